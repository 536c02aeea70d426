import { type BaseBundle, INDEX, isLines, STATEMENT } from '../base-bundle.ts';
import { forge, forgeDocument } from '../forgery.ts';
import type { Draft, Kind } from '../kind.ts';
import { documentOf, isRecord, replaceAt } from '../places.ts';
import { wholeKind } from './whole-kind.ts';

/** Another spelling of a document's text; null: this one has none. */
type Respell = (text: string, path: string) => string | null;

/** One and the same value in another byte form, with the digests of that form. */
function formKind(id: string, what: string, respell: Respell): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      for (const path of bundle.documents()) {
        const text = bundle.read(path).toString('utf8');
        const after = text === '' ? null : respell(text, path);
        if (after === null || after === text) continue;
        const files = new Map([[path, Buffer.from(after, 'utf8')]]);
        yield { document: documentOf(path), field: '', place: path, changes: () => forge(bundle, { files }) };
      }
    },
  };
}

/** The list of files forged; what binds it is right again. */
function listKind(
  id: string,
  what: string,
  edit: (files: readonly Readonly<Record<string, unknown>>[]) => readonly unknown[] | null,
): Kind {
  return wholeKind(id, what, {
    document: INDEX,
    field: 'files',
    place: `${INDEX}.files`,
    make: (bundle) => {
      const after = edit(bundle.index.files.map((file) => ({ ...file })));
      return after === null ? null : { index: (index) => replaceAt(index, ['files'], after) };
    },
  });
}

/** The format's number in every document that has one. */
function formatKind(id: string, what: string, version: unknown): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      for (const path of [...bundle.documents().filter((one) => hasFormat(bundle, one)), INDEX]) {
        yield {
          document: documentOf(path),
          field: 'formatVersion',
          place: `${path}.formatVersion`,
          changes: () =>
            forgeDocument(bundle, path, (document) => replaceAt(document, ['formatVersion'], version)),
        };
      }
    },
  };
}

function hasFormat(bundle: BaseBundle, path: string): boolean {
  const document = bundle.document(path);
  return isRecord(document) && 'formatVersion' in document;
}

const padded = (name: string) => ({ path: name, sizeBytes: 0, sha256: '0'.repeat(64) });

const withPath =
  (rename: (path: string) => string) =>
  (files: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] =>
    files.map((file, index) => (index === 0 ? { ...file, path: rename(String(file['path'])) } : file));

export const FORM_KINDS: readonly Kind[] = [
  formKind('spaces-added', 'a document with spaces between its parts', (text, path) =>
    isLines(path) ? text.replace('":', '": ') : JSON.stringify(JSON.parse(text), null, 1),
  ),
  formKind('members-turned', 'a document with its members in another order', (text, path) => {
    if (isLines(path)) return null;
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? JSON.stringify(Object.fromEntries(Object.entries(value).reverse())) : null;
  }),
  formKind('member-twice', 'a document with one member twice', (text) =>
    text.replace(/^\{("[^"]+":)/, '{$1null,$1'),
  ),
  formKind('letters-escaped', 'a document with a letter written as an escape', (text) =>
    text.replace(/"([a-z])/, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  formKind('mark-before', 'a document with a byte order mark', (text) => `\ufeff${text}`),
  formKind('number-respelled', 'a document with a number in another spelling', (text) =>
    text.replace(/:(\d+)([,}])/, ':$1.0$2'),
  ),
  formKind('line-feed-after', 'a document with a line feed after it', (text) => `${text}\n`),
  formKind('last-line-open', 'a file of lines whose last line has no end', (text, path) =>
    isLines(path) ? text.slice(0, -1) : null,
  ),
  formKind('nested-deep', 'a document nested deeper than any honest one', (_text, path) =>
    isLines(path) ? null : `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ),
  formKind('not-json', 'a document that is none', (text, path) =>
    isLines(path) ? `${text}{\n` : text.slice(0, -1),
  ),
  formatKind('format-downgraded', 'an older format', 0),
  formatKind('format-raised', 'a format that nobody knows', 2),
  formatKind('format-as-text', 'the format as a text', '1'),
  listKind('list-doubled', 'a file listed twice', (files) => [...files.slice(0, 1), ...files]),
  listKind('list-turned', 'the list in another order', (files) => files.toReversed()),
  listKind('list-without-one', 'a file left out of the list', (files) => files.slice(1)),
  listKind('list-with-more', 'a file listed that is not there', (files) => [...files, padded('zzz')]),
  listKind(
    'list-climbing',
    'a listed path that climbs out',
    withPath((path) => `../${path}`),
  ),
  listKind(
    'list-absolute',
    'a listed path from the root',
    withPath((path) => `/${path}`),
  ),
  listKind(
    'list-dotted',
    'a listed path with a dot in it',
    withPath((path) => (path.includes('/') ? path.replace('/', '/./') : `./${path}`)),
  ),
  listKind(
    'list-nul',
    'a listed path with a NUL in it',
    withPath((path) => `${path}\u0000`),
  ),
  listKind(
    'list-newline',
    'a listed path with a line feed in it',
    withPath((path) => `${path}\n`),
  ),
  listKind('list-of-itself', 'the list in the list', (files) => [padded('SHA256SUMS'), ...files]),
  listKind('list-empty', 'an empty list', () => []),
  {
    id: 'sums-cut',
    level: 'b',
    what: 'a line left out of the sums',
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      const changes = () => forge(bundle, { sums: (text) => text.replace(/^.*\n/, '') });
      yield { document: 'SHA256SUMS', field: '', place: 'SHA256SUMS', changes };
    },
  },
  {
    id: 'sums-other-form',
    level: 'b',
    what: 'the sums in the binary form of the same tool',
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      const changes = () => forge(bundle, { sums: (text) => text.replaceAll('  ', ' *') });
      yield { document: 'SHA256SUMS', field: '', place: 'SHA256SUMS', changes };
    },
  },
  {
    id: 'binding-dropped',
    level: 'b',
    what: 'a statement that binds one file less',
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      const place = ['predicate', 'configuration', 0];
      const edit = (statement: unknown): unknown => replaceAt(statement, place, undefined);
      yield {
        document: STATEMENT,
        field: 'predicate.configuration',
        place: `${STATEMENT}.predicate.configuration`,
        changes: () => forge(bundle, { statements: { [STATEMENT]: edit } }),
      };
    },
  },
];
