import { createHash } from 'node:crypto';
import type { ClosedList } from './closed-list.ts';
import { once } from './files/once.ts';
import type { FileSource } from './files/source.ts';
import { type Finding, Findings, toFinding } from './finding.ts';
import { DOCUMENT_LIMIT_BYTES, digestFile, parseCanonical, readBytes } from './read.ts';
import { parseShape, type Shape } from './shape/shape.ts';
import { Trace } from './trace.ts';

const LINE_FEED = 0x0a;

/**
 * The documents of a bundle, read through its closed list: bytes that are not those of the list are never
 * parsed. Every document is held to its byte form and its shape; what is wrong becomes a finding.
 */
export class Bundle {
  readonly source: FileSource;
  readonly list: ClosedList;
  readonly findings: Findings;
  readonly #known = new Set<string>();

  constructor(source: FileSource, list: ClosedList, findings: Findings) {
    this.source = source;
    this.list = list;
    this.findings = findings;
  }

  /** Says that a document of the bundle explains this file. */
  know(path: string): void {
    this.#known.add(path);
  }

  /** Files of the list that nothing explains. */
  *unknown(): Generator<string, void, undefined> {
    for (const path of this.list.files.keys()) if (!this.#known.has(path)) yield path;
  }

  has(path: string): boolean {
    return this.list.files.has(path);
  }

  /** Null when the file is not listed, too large, or no longer what was listed. */
  bytes(path: string, limitBytes = DOCUMENT_LIMIT_BYTES): Buffer | null {
    const listed = this.list.files.get(path);
    this.know(path);
    if (listed === undefined || listed.sizeBytes > limitBytes) return null;
    const identity = this.source.identity(path);
    if (identity !== null && digestFile(this.source, path)?.sha256 !== listed.sha256) return null;
    const bytes = once(identity, 'bytes', () => readBytes(this.source, path, limitBytes));
    if (bytes === null || identity !== null) return bytes;
    // Whoever writes to the folder meanwhile must not be able to show other bytes than those that were hashed.
    return createHash('sha256').update(bytes).digest('hex') === listed.sha256 ? bytes : null;
  }

  /**
   * Works out a part of the verdict that depends on nothing but `inputs` and what `work` reads through the bundle
   * it is given. Where many changes of one bundle are judged, a part without findings is taken from before when
   * all of that is still the same. `work` must not belong to anything: what it refers to beside its parameters
   * would be missed.
   */
  part<I, T>(key: string, inputs: I, work: (bundle: Bundle, inputs: I) => T): T {
    const memory = this.source.memory();
    if (memory === null) return work(this, inputs);
    const kept = memory.get(key);
    if (kept instanceof Trace && kept.holds(this, inputs)) {
      for (const path of kept.known) this.know(path);
      // It was kept under this key by the same work.
      return kept.value as T;
    }
    const trace = new Trace(inputs);
    const traced = trace.watch(this);
    const inner = new Bundle(traced.source, traced.list, this.findings);
    const before = this.findings.count;
    const value = work(inner, inputs);
    for (const path of inner.#known) this.know(path);
    if (this.findings.count === before) trace.keep(memory, key, { value, known: [...inner.#known] });
    return value;
  }

  /** The same files, read for what is not judged here: findings about them are not collected. */
  aside(): Bundle {
    return new Bundle(this.source, this.list, new Findings());
  }

  /** A required document; null with a finding when it is missing or not as it must be. */
  document<T>(path: string, shape: Shape<T>): T | null {
    return this.#parsed(path, shape, parseDocument);
  }

  /** One document a line, each ended by a line feed; null when the file as a whole cannot be read. */
  lines<T>(path: string, shape: Shape<T>): readonly T[] | null {
    return this.#parsed(path, shape, parseLines);
  }

  #parsed<T, P>(path: string, shape: Shape<T>, parse: Parse<T, P>): P | null {
    const bytes = this.#required(path);
    if (bytes === null) return null;
    const parsed = once(this.source.identity(path), shape, () => parse(path, bytes, shape));
    this.findings.addAll(parsed.findings);
    return parsed.value;
  }

  #required(path: string): Buffer | null {
    const bytes = this.bytes(path);
    if (bytes !== null) return bytes;
    const listed = this.list.files.get(path);
    if (listed === undefined) this.findings.add('REQUIRED_FILE_MISSING', path, 'a listed file', 'none');
    else if (listed.sizeBytes > DOCUMENT_LIMIT_BYTES) {
      this.findings.add(
        'DOCUMENT_TOO_LARGE',
        path,
        `at most ${DOCUMENT_LIMIT_BYTES} bytes`,
        listed.sizeBytes,
      );
    }
    // Else it is missing or not what is listed, which the closed list has said.
    return null;
  }
}

/** What the bytes of a document come to; the value is null where there are findings. */
interface Parsed<T> {
  readonly value: T | null;
  readonly findings: readonly Finding[];
}

type Parse<T, P> = (path: string, bytes: Buffer, shape: Shape<T>) => Parsed<P>;

function parseDocument<T>(path: string, bytes: Buffer, shape: Shape<T>): Parsed<T> {
  const parsed = parseCanonical(path, bytes);
  if (parsed.kind === 'rejected') return { value: null, findings: [parsed.finding] };
  const { value } = parsed;
  if (isOtherFormat(value)) {
    const version = JSON.stringify(value.formatVersion);
    return { value: null, findings: [toFinding('FORMAT_UNKNOWN', `${path}.formatVersion`, '1', version)] };
  }
  const shaped = parseShape(shape, value);
  if ('value' in shaped) return { value: shaped.value, findings: [] };
  const findings = shaped.misfits.map(({ at, expected, actual }) =>
    toFinding('DOCUMENT_SHAPE', `${path}${at}`, expected, actual),
  );
  return { value: null, findings };
}

/** Findings of a file of lines that are kept; a hostile one could cause as many as it has bytes. */
const LINE_FINDINGS_LIMIT = 4000;

function parseLines<T>(path: string, bytes: Buffer, shape: Shape<T>): Parsed<readonly T[]> {
  const values: T[] = [];
  const findings: Finding[] = [];
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const feed = bytes.indexOf(LINE_FEED, start);
    if (feed === -1) {
      findings.push(toFinding('LINE_ENDING', path, 'a line feed at the end', 'none'));
      break;
    }
    const parsed = parseDocument(`${path}:${line}`, bytes.subarray(start, feed), shape);
    if (parsed.value !== null) values.push(parsed.value);
    if (findings.length < LINE_FINDINGS_LIMIT) findings.push(...parsed.findings);
    start = feed + 1;
  }
  return { value: findings.length === 0 ? values : null, findings };
}

function isOtherFormat(value: unknown): value is { readonly formatVersion: unknown } {
  return typeof value === 'object' && value !== null && 'formatVersion' in value && value.formatVersion !== 1;
}
