import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import { type BaseBundle, envelopeOf, INDEX, isLines, SUMS } from './base-bundle.ts';
import { bytesOf, type Change, deleted, fileOf } from './change.ts';
import { isRecord } from './places.ts';

export type Edit = (value: unknown) => unknown;

/** What an attacker changes by hand; everything that follows from it is recomputed. */
export interface Forgery {
  /** New bytes of listed files; null: gone, with all below it. */
  readonly files?: ReadonlyMap<string, Uint8Array | null>;
  /** Applied to the finished index, statements (by path) and sums, before what binds them is made. */
  readonly index?: Edit;
  readonly statements?: Readonly<Record<string, Edit>>;
  readonly sums?: (text: string) => string;
  /** Digests in other documents stay as they are: the change contradicts them by itself. */
  readonly keepMentions?: boolean;
}

/** Makes the envelope of a statement; null: it has none. */
export type Sign = (statement: Buffer, path: string) => Buffer | null;

/** The changes of a forged bundle without a signature. */
export function forge(base: BaseBundle, forgery: Forgery): readonly Change[] {
  return forgeSigned(base, forgery, () => null);
}

/** The same, with envelopes that the caller makes of the forged statements. */
export function forgeSigned(base: BaseBundle, forgery: Forgery, sign: Sign): readonly Change[] {
  const edited = new Map(forgery.files ?? []);
  if (forgery.keepMentions !== true) propagate(base, edited);
  const entries = entriesOf(base, edited);
  const index = indexOf(base, entries, forgery.index);
  const made = new Map<string, Buffer>([[INDEX, index]]);
  const digests = new Map([...entries].map(([path, { sha256 }]) => [path, sha256]));
  digests.set(INDEX, sha256Hex(index));
  for (const path of base.statements) {
    const statement = statementOf(base.document(path), digests, forgery.statements?.[path]);
    made.set(path, statement);
    const envelope = sign(statement, path);
    if (envelope !== null) made.set(envelopeOf(path), envelope);
  }
  for (const [path, bytes] of made) digests.set(path, sha256Hex(bytes));
  const sums = sumsOf(digests);
  made.set(SUMS, Buffer.from(forgery.sums?.(sums) ?? sums, 'utf8'));
  return [
    ...[...edited].map(([path, bytes]) => (bytes === null ? deleted(path) : fileOf(path, bytesOf(bytes)))),
    ...[...made].map(([path, bytes]) => fileOf(path, bytesOf(bytes))),
    ...base.envelopes.filter((path) => !made.has(path)).map(deleted),
  ];
}

interface Entry {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A file's digest is replaced wherever a document mentions it, its own name included, and so on from there. */
function propagate(base: BaseBundle, edited: Map<string, Uint8Array | null>): void {
  const queue = [...edited.keys()];
  const told = new Map<string, string>();
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const bytes = edited.get(path);
    const before = told.get(path) ?? base.files.get(path)?.sha256;
    if (bytes === undefined || bytes === null || before === undefined || !isUnique(base, before)) continue;
    const after = sha256Hex(bytes);
    told.set(path, after);
    if (path.includes(before)) {
      edited.set(path, null);
      edited.set(path.replace(before, after), bytes);
    }
    const origin = base.files.get(path)?.sha256 ?? before;
    for (const mentioned of base.mentionsOf(origin)) {
      if (mentioned === path) continue;
      const text = Buffer.from(edited.get(mentioned) ?? base.read(mentioned)).toString('utf8');
      if (edited.get(mentioned) === null || !text.includes(before)) continue;
      edited.set(mentioned, Buffer.from(text.replaceAll(before, after), 'utf8'));
      queue.push(mentioned);
    }
  }
}

/** What several files have in common, such as being empty, is no mention of one of them. */
function isUnique(base: BaseBundle, sha256: string): boolean {
  return base.index.files.filter((file) => file.sha256 === sha256).length <= 1;
}

function entriesOf(
  base: BaseBundle,
  edited: ReadonlyMap<string, Uint8Array | null>,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const gone = [...edited].flatMap(([path, bytes]) => (bytes === null ? [path] : []));
  for (const { path, sizeBytes, sha256 } of base.index.files) {
    if (!gone.some((one) => path === one || path.startsWith(`${one}/`)))
      entries.set(path, { sizeBytes, sha256 });
  }
  for (const [path, bytes] of edited) {
    if (bytes !== null) entries.set(path, { sizeBytes: bytes.length, sha256: sha256Hex(bytes) });
  }
  return entries;
}

/** Written out by hand where nothing else is edited: an index of many files is made for every change. */
function indexOf(base: BaseBundle, entries: ReadonlyMap<string, Entry>, edit: Edit | undefined): Buffer {
  const { runId, nonce, formatVersion } = base.index;
  const files = [...entries].sort(([one], [other]) => compareBytes(one, other));
  if (edit !== undefined) {
    const list = files.map(([path, entry]) => ({ path, ...entry }));
    return toCanonicalBytes(edit({ formatVersion, runId, nonce, files: list }));
  }
  const list = files.map(
    ([path, { sizeBytes, sha256 }]) =>
      `{"path":${JSON.stringify(path)},"sha256":"${sha256}","sizeBytes":${sizeBytes}}`,
  );
  const head = `{"files":[${list.join(',')}],"formatVersion":${formatVersion}`;
  return Buffer.from(`${head},"nonce":${JSON.stringify(nonce)},"runId":${JSON.stringify(runId)}}`, 'utf8');
}

function statementOf(
  statement: unknown,
  digests: ReadonlyMap<string, string>,
  edit: Edit | undefined,
): Buffer {
  const bound = rebind(statement, digests);
  return toCanonicalBytes(edit === undefined ? bound : edit(bound));
}

/** A statement with the present digest of every file that it names. */
function rebind(value: unknown, digests: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => rebind(item, digests));
  if (!isRecord(value)) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, rebind(member, digests)]),
  );
  const sha256 = digests.get(String(members['name']));
  return sha256 === undefined || members['digest'] === undefined
    ? members
    : { ...members, digest: { sha256 } };
}

function sumsOf(digests: ReadonlyMap<string, string>): string {
  return [...digests]
    .sort(([one], [other]) => compareBytes(one, other))
    .map(([path, sha256]) => `${sha256}  ${path}\n`)
    .join('');
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The bytes of a document after an edit, in its one byte form. */
export function editedBytes(base: BaseBundle, path: string, edit: Edit): Buffer {
  return encode(path, edit(base.document(path)));
}

export function encode(path: string, document: unknown): Buffer {
  if (!isLines(path)) return toCanonicalBytes(document);
  const lines = (Array.isArray(document) ? document : [document]).map(
    (line: unknown) => `${toCanonicalBytes(line).toString('utf8')}\n`,
  );
  return Buffer.from(lines.join(''), 'utf8');
}

/** A change of one document, everything that follows from it recomputed. */
export function forgeDocument(base: BaseBundle, path: string, edit: Edit): readonly Change[] {
  if (path === INDEX) return forge(base, { index: edit });
  if (base.statements.includes(path)) return forge(base, { statements: { [path]: edit } });
  return forge(base, { files: new Map([[path, editedBytes(base, path, edit)]]) });
}
