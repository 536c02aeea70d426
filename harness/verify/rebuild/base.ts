import type { InventoryLine } from '../shape/inputs.ts';
import { type DebianFile, describeFile } from './debian-package.ts';

/** Folders that one tree of a merged /usr takes the place of. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];
/** Laid under another name than the package has. */
const RENAMED: Readonly<Record<string, string>> = { 'usr/bin/perl': '.packproof/perl' };
/** A folder in which a loader looks. */
const LIBRARIES = /(?:^|\/)lib[^/]*(?:\/|$)/;
const OWN_FOLDER = '.packproof/';
/** packproof's own two programs; their bytes come with packproof itself. */
export const OWN_PROGRAMS: readonly string[] = ['.packproof/holder.pl', '.packproof/probe.pl'];

/** Text of the files that the base has beside those of its packages, and the mode of each. */
const OWN_FILES: Readonly<Record<string, readonly [mode: '0644' | '0755', text: string]>> = {
  'etc/passwd': [
    '0644',
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n',
  ],
  'etc/group': ['0644', 'root:x:0:\nnogroup:x:65534:\n'],
  'etc/nsswitch.conf': ['0644', 'passwd: files\ngroup: files\nhosts: files myhostname dns\n'],
  'etc/hostname': ['0755', ''],
  'etc/hosts': ['0755', ''],
  'etc/resolv.conf': ['0755', ''],
};

/** What may lie at a path of the base, each in the words of `describeLine`. */
export type BaseFiles = ReadonlyMap<string, ReadonlySet<string>>;

/** Contents of the base's own files, which no archive has. */
export function ownContents(): readonly Buffer[] {
  return Object.values(OWN_FILES).map(([, text]) => Buffer.from(text));
}

/** Every place at which a base may have a file of these packages, and the base's own files and links. */
export function expectBase(packages: readonly (readonly DebianFile[])[]): BaseFiles {
  const files = new Map<string, Set<string>>();
  const add = (path: string, what: string): void => {
    files.set(path, (files.get(path) ?? new Set()).add(what));
  };
  for (const folder of MERGED) add(folder, `symlink usr/${folder}`);
  for (const [path, [mode, text]] of Object.entries(OWN_FILES)) {
    const content = Buffer.from(text);
    add(path, describeFile({ path, kind: 'file', mode: Number.parseInt(mode, 8), content, target: '' }));
  }
  for (const file of packages.flat()) {
    add(toImagePath(file.path), file.kind === 'file' ? describeFile(file) : `symlink ${file.target}`);
  }
  return files;
}

/**
 * What packproof lays on a root file system that somebody brought: its own files, and of the packages what was lacking
 * there, a library under its own name wherever the loader of that system looks.
 */
export function expectLaid(
  packages: readonly (readonly DebianFile[])[],
  lines: readonly InventoryLine[],
): BaseFiles {
  const all = expectBase(packages);
  const byName = new Map<string, Set<string>>();
  for (const [path, options] of all) {
    if (MERGED.includes(path) || Object.hasOwn(OWN_FILES, path)) continue;
    const name = path.slice(path.lastIndexOf('/') + 1);
    byName.set(name, new Set([...(byName.get(name) ?? []), ...options]));
  }
  return new Map(
    lines.flatMap(({ path }): [string, ReadonlySet<string>][] => {
      const isOwn = Object.hasOwn(OWN_FILES, path) || path.startsWith(OWN_FOLDER);
      const cut = path.lastIndexOf('/');
      const isLibrary = LIBRARIES.test(path.slice(0, cut));
      const options = isOwn ? all.get(path) : isLibrary ? byName.get(path.slice(cut + 1)) : undefined;
      return options === undefined ? [] : [[path, options]];
    }),
  );
}

function toImagePath(path: string): string {
  const [top = ''] = path.split('/');
  return RENAMED[path] ?? (MERGED.includes(top) ? `usr/${path}` : path);
}

export function describeLine({ kind, mode, sizeBytes, sha256, target }: InventoryLine): string {
  if (kind === 'symlink') return `symlink ${target}`;
  return kind === 'file' ? `file ${mode} ${sizeBytes} ${sha256}` : `directory ${mode}`;
}
