import type { BaseBundle } from '../base-bundle.ts';
import { bytesOf, type Change, deleted, fileOf, sliceOf } from '../change.ts';
import type { Draft, Kind } from '../kind.ts';
import { documentOf } from '../places.ts';

type Rearrange = (
  path: string,
  bundle: BaseBundle,
) => { readonly place: string; readonly changes: readonly Change[] } | null;

/** Names of the folder changed in one way, at each of its files or folders. */
function nameKind(
  id: string,
  what: string,
  { at, make }: { readonly at: 'files' | 'folders'; readonly make: Rearrange },
): Kind {
  return {
    id,
    level: 'a',
    what,
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      for (const path of at === 'files' ? bundle.files.keys() : foldersOf(bundle)) {
        const made = make(path, bundle);
        if (made !== null)
          yield { document: documentOf(path), field: '', place: made.place, changes: () => made.changes };
      }
    },
  };
}

function foldersOf(bundle: BaseBundle): readonly string[] {
  const folders = new Set<string>();
  for (const path of bundle.files.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  }
  return [...folders];
}

function whole(bundle: BaseBundle, path: string) {
  return sliceOf(path, 0, bundle.files.get(path)?.sizeBytes ?? 0);
}

const at = (place: string, ...changes: readonly Change[]) => ({ place, changes });

const moved =
  (rename: (path: string) => string): Rearrange =>
  (path, bundle) => {
    const to = rename(path);
    return to === path || bundle.files.has(to)
      ? null
      : at(`${path} to ${to}`, deleted(path), fileOf(to, whole(bundle, path)));
  };

const added =
  (name: (path: string) => string): Rearrange =>
  (path, bundle) => {
    const to = name(path);
    return to === path || bundle.files.has(to) ? null : at(to, fileOf(to, whole(bundle, path)));
  };

const inFolder =
  (name: string, make: (path: string) => readonly Change[]): Rearrange =>
  (folder) =>
    at(`${folder}/${name}`, ...make(`${folder}/${name}`));

const upper = (path: string): string => path.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());

export const NAME_KINDS: readonly Kind[] = [
  nameKind('file-renamed', 'a file under another name', {
    at: 'files',
    make: moved((path) => `${path}.old`),
  }),
  nameKind('letter-case-renamed', 'a file under its name in other letter case', {
    at: 'files',
    make: moved(upper),
  }),
  nameKind('file-moved-up', 'a file in the folder above', {
    at: 'files',
    make: moved((path) => path.replace(/[^/]+\/([^/]+)$/, '$1')),
  }),
  nameKind('copy-added', 'a copy of a file beside it', { at: 'files', make: added((path) => `${path}~`) }),
  nameKind('case-twin-added', 'a file whose name differs in letter case alone', {
    at: 'files',
    make: added(upper),
  }),
  nameKind('unicode-twin-added', 'a file whose name a file system may hold to be the same', {
    at: 'files',
    make: added((path) => path.replace(/i(?=[^i]*$)/, '\u0131').replace(/s(?=[^s]*$)/, '\u017f')),
  }),
  nameKind('newline-name-added', 'a file with a line feed in its name', {
    at: 'files',
    make: added((path) => `${path}\n0`),
  }),
  nameKind('nul-name-added', 'a file with a NUL in its name', {
    at: 'files',
    make: added((path) => `${path}\u0000`),
  }),
  nameKind('backslash-name-added', 'a file with a backslash in its name', {
    at: 'files',
    make: added((path) => path.replace(/\/([^/]+)$/, '\\$1')),
  }),
  nameKind('bidi-name-added', 'a file whose name is shown in another order', {
    at: 'files',
    make: added((path) => `${path}\u202etxt`),
  }),
  nameKind('file-linked-to-itself', 'a link to a copy in the place of a file', {
    at: 'files',
    make: (path, bundle) => at(path, fileOf('copy', whole(bundle, path)), { path, kind: 'link', to: 'copy' }),
  }),
  nameKind('file-linked-outside', 'a link to outside in the place of a file', {
    at: 'files',
    make: (path) => at(path, { path, kind: 'link', to: '/etc/passwd' }),
  }),
  nameKind('special-in-place', 'a FIFO or device in the place of a file', {
    at: 'files',
    make: (path) => at(path, { path, kind: 'special' }),
  }),
  nameKind('folder-in-place', 'a folder in the place of a file', {
    at: 'files',
    make: (path) => at(path, { path, kind: 'folder' }),
  }),
  nameKind('folder-deleted', 'a folder taken away with all in it', {
    at: 'folders',
    make: (path) => at(path, deleted(path)),
  }),
  nameKind('folder-linked', 'a link to a copy in the place of a folder', {
    at: 'folders',
    make: (folder, bundle) => {
      const inside = [...bundle.files.keys()].filter((path) => path.startsWith(`${folder}/`));
      const copies = inside.map((path) =>
        fileOf(`copy/${path.slice(folder.length + 1)}`, whole(bundle, path)),
      );
      return at(folder, ...copies, { path: folder, kind: 'link', to: 'copy' });
    },
  }),
  nameKind('folder-a-file', 'a file in the place of a folder', {
    at: 'folders',
    make: (folder) => at(folder, fileOf(folder, bytesOf('x'))),
  }),
  nameKind('folder-renamed', 'a folder under another name', {
    at: 'folders',
    make: (folder, bundle) => {
      const inside = [...bundle.files.keys()].filter((path) => path.startsWith(`${folder}/`));
      const copies = inside.map((path) =>
        fileOf(`${folder}-2${path.slice(folder.length)}`, whole(bundle, path)),
      );
      return at(folder, deleted(folder), ...copies);
    },
  }),
  nameKind('empty-folder-added', 'an empty folder put in', {
    at: 'folders',
    make: inFolder('more', (path) => [{ path, kind: 'folder' }]),
  }),
  nameKind('file-added', 'a file put in', {
    at: 'folders',
    make: inFolder('note.txt', (path) => [fileOf(path, bytesOf('x'))]),
  }),
  nameKind('empty-file-added', 'an empty file put in', {
    at: 'folders',
    make: inFolder('note', (path) => [fileOf(path)]),
  }),
  nameKind('hidden-file-added', 'a hidden file put in', {
    at: 'folders',
    make: inFolder('.note', (path) => [fileOf(path, bytesOf('x'))]),
  }),
  nameKind('deep-folders-added', 'folders nested beyond the depth that is walked', {
    at: 'folders',
    make: inFolder(Array.from({ length: 40 }, () => 'd').join('/'), (path) => [{ path, kind: 'folder' }]),
  }),
  nameKind('link-added', 'a link put in', {
    at: 'folders',
    make: inFolder('link', (path) => [{ path, kind: 'link', to: 'report.json' }]),
  }),
  nameKind('special-added', 'a FIFO or device put in', {
    at: 'folders',
    make: inFolder('pipe', (path) => [{ path, kind: 'special' }]),
  }),
];
