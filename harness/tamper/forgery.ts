import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import { type BaseBundle, envelopeOf, INDEX, isLines, lineTextOf, SUMS } from './base-bundle.ts';
import { bytesOf, type Change, changedFile, changedLines, deleted, fileOf } from './change.ts';
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
  const indexSha256 = sha256Hex(index);
  const digestOf = (path: string): string | undefined =>
    path === INDEX ? indexSha256 : entries.get(path)?.sha256;
  for (const path of base.statements) {
    const statement = statementOf(base, path, digestOf, forgery.statements?.[path]);
    made.set(path, statement);
    const envelope = sign(statement, path);
    if (envelope !== null) made.set(envelopeOf(path), envelope);
  }
  const sums = sumsOf(entries, made);
  const oldSums = base.read(SUMS);
  const change =
    forgery.sums === undefined
      ? changedLines(SUMS, oldSums, sums)
      : changedFile(SUMS, oldSums, Buffer.from(forgery.sums(sums.join('')), 'utf8'));
  return [
    ...[...edited].map(([path, bytes]) => (bytes === null ? deleted(path) : changeOf(base, path, bytes))),
    ...[...made].map(([path, bytes]) => changeOf(base, path, bytes)),
    change,
    ...base.envelopes.filter((path) => !made.has(path)).map(deleted),
  ];
}

function changeOf(base: BaseBundle, path: string, bytes: Uint8Array): Change {
  const isThere = base.has(path);
  return isThere ? changedFile(path, base.read(path), Buffer.from(bytes)) : fileOf(path, bytesOf(bytes));
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
  return base.filesWith(sha256) <= 1;
}

/** The list after the change, in byte order. */
function entriesOf(
  base: BaseBundle,
  edited: ReadonlyMap<string, Uint8Array | null>,
): ReadonlyMap<string, Entry> {
  const gone = [...edited].flatMap(([path, bytes]) => (bytes === null ? [path] : []));
  const kept = base.index.files.filter(
    ({ path }) => !gone.some((one) => path === one || path.startsWith(`${one}/`)),
  );
  const entries = new Map<string, Entry>(kept.map((file) => [file.path, file]));
  let inOrder = true;
  for (const [path, bytes] of edited) {
    if (bytes === null) continue;
    inOrder &&= entries.has(path);
    entries.set(path, { sizeBytes: bytes.length, sha256: sha256Hex(bytes) });
  }
  return inOrder ? entries : new Map([...entries].sort(([one], [other]) => compareBytes(one, other)));
}

/** Written out by hand where nothing else is edited: an index of many files is made for every change. */
function indexOf(base: BaseBundle, entries: ReadonlyMap<string, Entry>, edit: Edit | undefined): Buffer {
  const { runId, nonce, formatVersion } = base.index;
  if (edit !== undefined) {
    const list = [...entries].map(([path, { sizeBytes, sha256 }]) => ({ path, sizeBytes, sha256 }));
    return toCanonicalBytes(edit({ formatVersion, runId, nonce, files: list }));
  }
  const list = Array.from(entries, ([path, entry]) => linesOf(path, entry).index);
  const head = `{"files":[${list.join(',')}],"formatVersion":${formatVersion}`;
  return Buffer.from(`${head},"nonce":${JSON.stringify(nonce)},"runId":${JSON.stringify(runId)}}`, 'utf8');
}

interface EntryLines {
  readonly index: string;
  readonly sums: string;
}

/** Of most files the entry stays as it was read. */
const entryLines = new WeakMap<Entry, EntryLines>();

function linesOf(path: string, entry: Entry): EntryLines {
  const known = entryLines.get(entry);
  if (known !== undefined) return known;
  const { sizeBytes, sha256 } = entry;
  const lines = {
    index: `{"path":${JSON.stringify(path)},"sha256":"${sha256}","sizeBytes":${sizeBytes}}`,
    sums: sumLine(path, sha256),
  };
  entryLines.set(entry, lines);
  return lines;
}

function sumLine(path: string, sha256: string): string {
  return `${sha256}  ${path}\n`;
}

type DigestOf = (path: string) => string | undefined;

/** A statement with the present digest of every file that it names. */
function statementOf(base: BaseBundle, path: string, digestOf: DigestOf, edit: Edit | undefined): Buffer {
  if (edit === undefined) return Buffer.from(fillIn(statementForm(base, path), digestOf), 'utf8');
  return toCanonicalBytes(edit(rebind(base.document(path), (name) => digestOf(name))));
}

/** The text of a statement between the digests of files, and those: the same for every change. */
interface StatementForm {
  readonly texts: readonly string[];
  readonly digests: readonly { readonly path: string; readonly sha256: string }[];
}

const statementForms = new WeakMap<BaseBundle, Map<string, StatementForm>>();

function statementForm(base: BaseBundle, path: string): StatementForm {
  const forms = statementForms.get(base) ?? new Map<string, StatementForm>();
  statementForms.set(base, forms);
  const known = forms.get(path) ?? toStatementForm(base.document(path), sha256Hex(base.read(path)));
  forms.set(path, known);
  return known;
}

/** The mark is a digest of the statement itself, which it cannot hold. */
function toStatementForm(statement: unknown, mark: string): StatementForm {
  const digests: { readonly path: string; readonly sha256: string }[] = [];
  const marked = rebind(statement, (path, sha256) => {
    digests.push({ path, sha256 });
    return `${mark}${digests.length - 1}${mark}`;
  });
  const parts = toCanonicalBytes(marked).toString('utf8').split(mark);
  // Every other part is the number of a digest.
  const order = parts.filter((_, index) => index % 2 === 1).map(Number);
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    digests: order.flatMap((number) => digests[number] ?? []),
  };
}

function fillIn({ texts, digests }: StatementForm, digestOf: DigestOf): string {
  return texts
    .map((text, index) => {
      const named = digests[index];
      return named === undefined ? text : text + (digestOf(named.path) ?? named.sha256);
    })
    .join('');
}

function rebind(value: unknown, digestOf: (path: string, before: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => rebind(item, digestOf));
  if (!isRecord(value)) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, rebind(member, digestOf)]),
  );
  const { name, digest } = members;
  if (typeof name !== 'string' || !isRecord(digest) || typeof digest['sha256'] !== 'string') return members;
  const sha256 = digestOf(name, digest['sha256']);
  return sha256 === undefined ? members : { ...members, digest: { ...digest, sha256 } };
}

function sumsOf(entries: ReadonlyMap<string, Entry>, made: ReadonlyMap<string, Buffer>): readonly string[] {
  const beside = [...made]
    .map(([path, bytes]) => ({ path, line: sumLine(path, sha256Hex(bytes)) }))
    .sort((one, other) => compareBytes(one.path, other.path))
    .reverse();
  const lines: string[] = [];
  for (const [path, entry] of entries) {
    for (let next = beside.at(-1); next !== undefined && next.path < path; next = beside.at(-1)) {
      lines.push(next.line);
      beside.pop();
    }
    lines.push(linesOf(path, entry).sums);
  }
  return [...lines, ...beside.reverse().map(({ line }) => line)];
}

/** Names of a bundle are ASCII, of which the order of bytes is that of the text. */
function compareBytes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The bytes of a document after an edit, in its one byte form. */
export function editedBytes(base: BaseBundle, path: string, edit: Edit): Buffer {
  return encode(path, edit(base.document(path)));
}

export function encode(path: string, document: unknown): Buffer {
  if (!isLines(path)) return toCanonicalBytes(document);
  const lines = (Array.isArray(document) ? document : [document]).map(
    (line: unknown) => `${lineTextOf(line) ?? toCanonicalBytes(line).toString('utf8')}\n`,
  );
  return Buffer.from(lines.join(''), 'utf8');
}

/** A change of one document, everything that follows from it recomputed. */
export function forgeDocument(base: BaseBundle, path: string, edit: Edit): readonly Change[] {
  if (path === INDEX) return forge(base, { index: edit });
  if (base.statements.includes(path)) return forge(base, { statements: { [path]: edit } });
  return forge(base, { files: new Map([[path, editedBytes(base, path, edit)]]) });
}
