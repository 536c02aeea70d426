import { createHash } from 'node:crypto';
import type { Json } from '../canonical.ts';
import type { FileSource } from '../files/source.ts';
import { type Finding, type FindingCode, toFinding } from '../finding.ts';
import { parseCanonical, readBytes, readChunks } from '../read.ts';
import { bundleShape, LISTED_FILES_LIMIT, listedFileShape } from '../shape/bundle.ts';
import { type Misfit, parseShape, type Shaped } from '../shape/shape.ts';
import { asObject } from '../shape.ts';
import { ListedFiles } from './listed-files.ts';

export const INDEX = 'bundle.json';
/** A million entries with paths of a hundred and fifty characters; no document but this one is read in pieces. */
export const INDEX_LIMIT_BYTES = 256 * 1024 * 1024;
/** An index that is not in the form read in pieces is parsed as a whole up to here, to say what is wrong with it. */
const WHOLE_LIMIT_BYTES = 8 * 1024 * 1024;
/** One entry: a path of the longest form, each character of it an escape. */
const ENTRY_LIMIT_CHARACTERS = 64 * 1024;
/** Findings about the form of entries; with more, the rest of the list is not read. */
const MISFITS_LIMIT = 100;

const START = '{"files":[';
/** An entry as an exporter writes it, whose byte form and shape need no further look. */
const PLAIN_ENTRY =
  /\{"path":"([A-Za-z0-9._@%/-]{0,4096})","sha256":"([0-9a-f]{64})","sizeBytes":(0|[1-9][0-9]{0,14})\}(?=[,\]])/y;

/** The closed list as it was written, not yet held to anything. */
export interface Index {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: ListedFiles;
  readonly sha256: string;
}

export type IndexResult = { readonly index: Index } | Rejected;

/**
 * Reads `bundle.json` entry by entry, so that a long list costs little more than its bytes. Every entry is held to
 * the same byte form and shape as a document, and so is what is left when all entries are taken out.
 *
 * The digest is of the very bytes that were read.
 */
export function readIndex(source: FileSource): IndexResult {
  const file = source.open(INDEX);
  if (file === null) return reject('INDEX_UNREADABLE', '', 'a regular file', 'none');
  const { sizeBytes } = file;
  file.close();
  if (sizeBytes > INDEX_LIMIT_BYTES) {
    return reject('DOCUMENT_TOO_LARGE', '', `at most ${INDEX_LIMIT_BYTES} bytes`, String(sizeBytes));
  }
  return new EntryReader(source, sizeBytes).read() ?? readWhole(source, sizeBytes);
}

/** What is not of the form that is read in pieces, with the findings of any other document. */
function readWhole(source: FileSource, sizeBytes: number): IndexResult {
  if (sizeBytes > WHOLE_LIMIT_BYTES) {
    const expected = 'the RFC 8785 byte form of a list';
    return reject('DOCUMENT_NOT_CANONICAL', '', expected, 'another text of many megabytes');
  }
  const bytes = readBytes(source, INDEX, WHOLE_LIMIT_BYTES);
  if (bytes === null) return reject('INDEX_UNREADABLE', '', 'a regular file', 'none');
  const parsed = parseCanonical(INDEX, bytes);
  if (parsed.kind === 'rejected') return { findings: [parsed.finding] };
  const header = parseHeader(parsed.value);
  if ('findings' in header) return header;
  const files = new ListedFiles(bytes.length);
  for (const entry of header.files) files.add(entry);
  files.close();
  const { runId, nonce } = header;
  return { index: { runId, nonce, files, sha256: createHash('sha256').update(bytes).digest('hex') } };
}

/** Goes through the text of an index once; bytes are taken as Latin-1, which keeps them as they are. */
class EntryReader {
  readonly #chunks: Iterator<Buffer>;
  readonly #hash = createHash('sha256');
  readonly #files: ListedFiles;
  readonly #misfits: Finding[] = [];
  #text = '';
  #at = 0;
  #position = 0;
  #room: number;

  constructor(source: FileSource, sizeBytes: number) {
    this.#chunks = readChunks(source, INDEX);
    this.#files = new ListedFiles(sizeBytes);
    this.#room = sizeBytes;
  }

  /** Null when the text is not of this form. */
  read(): IndexResult | null {
    try {
      return this.#readList();
    } finally {
      // The file is closed however far it was read.
      this.#chunks.return?.();
    }
  }

  #readList(): IndexResult | null {
    while (this.#text.length < START.length) if (!this.#more()) return null;
    if (!this.#text.startsWith(START)) return null;
    this.#at = START.length;
    while (!this.#isAt(']')) {
      if (this.#position > 0) {
        if (!this.#isAt(',')) return null;
        this.#at += 1;
      }
      const done = this.#readEntry();
      if (done !== true) return done;
    }
    return this.#close();
  }

  /** True when one was read; else null, or what is wrong. */
  #readEntry(): true | IndexResult | null {
    const end = this.#plainEntry() ?? this.#otherEntry();
    if (typeof end !== 'number') return end;
    this.#at = end;
    this.#position += 1;
    if (this.#position > LISTED_FILES_LIMIT) {
      return reject('DOCUMENT_SHAPE', '.files', `a list of 0 to ${LISTED_FILES_LIMIT}`, 'more');
    }
    return true;
  }

  #plainEntry(): number | null {
    PLAIN_ENTRY.lastIndex = this.#at;
    const [, path = '', sha256 = '', size = ''] = PLAIN_ENTRY.exec(this.#text) ?? [];
    if (sha256 === '') return null;
    this.#files.add({ path, sha256, sizeBytes: Number(size) });
    return PLAIN_ENTRY.lastIndex;
  }

  /** An entry at the end of what was read so far, or one that needs a closer look. */
  #otherEntry(): number | IndexResult | null {
    if (!this.#isAt('{')) return null;
    let end = endOfObject(this.#text, this.#at);
    while (end === null) {
      if (this.#text.length - this.#at > ENTRY_LIMIT_CHARACTERS || !this.#more()) return null;
      end = endOfObject(this.#text, this.#at);
    }
    const at = `.files[${this.#position}]`;
    const bytes = Buffer.from(this.#text.slice(this.#at, end), 'latin1');
    const parsed = parseCanonical(`${INDEX}${at}`, bytes);
    if (parsed.kind === 'rejected') return { findings: [parsed.finding] };
    const shaped = parseShape(listedFileShape, parsed.value);
    if ('value' in shaped) this.#files.add(shaped.value);
    else this.#misfits.push(...toFindings(shaped.misfits.map((one) => ({ ...one, at: `${at}${one.at}` }))));
    return this.#misfits.length > MISFITS_LIMIT ? { findings: this.#misfits } : end;
  }

  #close(): IndexResult | null {
    while (this.#more()) if (this.#text.length > ENTRY_LIMIT_CHARACTERS) return null;
    const rest = Buffer.from(`${START}${this.#text.slice(this.#at)}`, 'latin1');
    const parsed = parseCanonical(INDEX, rest);
    if (parsed.kind === 'rejected') return { findings: [parsed.finding] };
    const header = parseHeader(parsed.value);
    if ('findings' in header) return header;
    if (this.#misfits.length > 0) return { findings: this.#misfits };
    this.#files.close();
    const { runId, nonce } = header;
    return { index: { runId, nonce, files: this.#files, sha256: this.#hash.digest('hex') } };
  }

  #isAt(character: string): boolean {
    if (this.#at === this.#text.length) this.#more();
    return this.#text[this.#at] === character;
  }

  /** False at the end. A file that grows meanwhile is cut where it ended. */
  #more(): boolean {
    const next = this.#chunks.next();
    if (next.done === true || this.#room === 0) return false;
    const chunk = next.value.subarray(0, this.#room);
    this.#room -= chunk.length;
    this.#hash.update(chunk);
    this.#text = this.#text.slice(this.#at) + chunk.toString('latin1');
    this.#at = 0;
    return true;
  }
}

/** Where the object that starts here ends; null when the text ends before it. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function parseHeader(value: Json): Shaped<typeof bundleShape> | Rejected {
  const version = asObject(value)?.formatVersion;
  if (version !== undefined && version !== 1) {
    return reject('FORMAT_UNKNOWN', '.formatVersion', '1', JSON.stringify(version));
  }
  const shaped = parseShape(bundleShape, value);
  return 'value' in shaped ? shaped.value : { findings: toFindings(shaped.misfits) };
}

interface Rejected {
  readonly findings: readonly Finding[];
}

function reject(code: FindingCode, at: string, expected: string, actual: string): Rejected {
  return { findings: [toFinding(code, `${INDEX}${at}`, expected, actual)] };
}

function toFindings(misfits: readonly Misfit[]): readonly Finding[] {
  return misfits.map(({ at, expected, actual }) =>
    toFinding('DOCUMENT_SHAPE', `${INDEX}${at}`, expected, actual),
  );
}
