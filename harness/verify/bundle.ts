import { createHash } from 'node:crypto';
import type { ClosedList } from './closed-list.ts';
import type { Findings } from './finding.ts';
import { DOCUMENT_LIMIT_BYTES, parseCanonical, readBytes } from './read.ts';
import { parseShape, type Shape } from './shape/shape.ts';

const LINE_FEED = 0x0a;

/**
 * The documents of a bundle, read through its closed list: bytes that are not those of the list are never
 * parsed. Every document is held to its byte form and its shape; what is wrong becomes a finding.
 */
export class Bundle {
  readonly root: string;
  readonly list: ClosedList;
  readonly findings: Findings;
  readonly #known = new Set<string>();

  constructor(root: string, list: ClosedList, findings: Findings) {
    this.root = root;
    this.list = list;
    this.findings = findings;
  }

  /** Says that a document of the bundle explains this file. */
  know(path: string): void {
    this.#known.add(path);
  }

  /** Files of the list that nothing explains. */
  unknown(): readonly string[] {
    return [...this.list.files.keys()].filter((path) => !this.#known.has(path));
  }

  has(path: string): boolean {
    return this.list.files.has(path);
  }

  /** Null when the file is not listed, too large, or no longer what was listed. */
  bytes(path: string, limitBytes = DOCUMENT_LIMIT_BYTES): Buffer | null {
    const listed = this.list.files.get(path);
    this.know(path);
    if (listed === undefined || listed.sizeBytes > limitBytes) return null;
    const bytes = readBytes(this.root, path, limitBytes);
    if (bytes === null) return null;
    return createHash('sha256').update(bytes).digest('hex') === listed.sha256 ? bytes : null;
  }

  /** A required document; null with a finding when it is missing or not as it must be. */
  document<T>(path: string, shape: Shape<T>): T | null {
    const bytes = this.#required(path);
    return bytes === null ? null : this.parse(path, bytes, shape);
  }

  /** One document a line, each ended by a line feed; null when the file as a whole cannot be read. */
  lines<T>(path: string, shape: Shape<T>): readonly T[] | null {
    const bytes = this.#required(path);
    if (bytes === null) return null;
    const values: T[] = [];
    const before = this.findings.count;
    for (let start = 0, line = 1; start < bytes.length; line += 1) {
      const feed = bytes.indexOf(LINE_FEED, start);
      if (feed === -1) {
        this.findings.add('LINE_ENDING', path, 'a line feed at the end', 'none');
        return null;
      }
      const value = this.parse(`${path}:${line}`, bytes.subarray(start, feed), shape);
      if (value !== null) values.push(value);
      start = feed + 1;
    }
    return this.findings.count === before ? values : null;
  }

  parse<T>(path: string, bytes: Buffer, shape: Shape<T>): T | null {
    const parsed = parseCanonical(path, bytes);
    if (parsed.kind === 'rejected') {
      this.findings.addAll([parsed.finding]);
      return null;
    }
    const { value } = parsed;
    if (isOtherFormat(value)) {
      const version = JSON.stringify(value.formatVersion);
      this.findings.add('FORMAT_UNKNOWN', `${path}.formatVersion`, '1', version);
      return null;
    }
    const shaped = parseShape(shape, value);
    if ('value' in shaped) return shaped.value;
    for (const { at, expected, actual } of shaped.misfits) {
      this.findings.add('DOCUMENT_SHAPE', `${path}${at}`, expected, actual);
    }
    return null;
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

function isOtherFormat(value: unknown): value is { readonly formatVersion: unknown } {
  return typeof value === 'object' && value !== null && 'formatVersion' in value && value.formatVersion !== 1;
}
