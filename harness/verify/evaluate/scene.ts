import type { Entry, FilesLine, StepRecord, StreamRecord } from '../shape/receipt.ts';
import type { StreamName, StreamReference } from '../shape/suite.ts';
import { type JsonLines, readJsonLines } from './json-lines.ts';
import { decode } from './text.ts';

/** A file that lay in a writable place after the last step. */
export interface LeftFile {
  readonly kind: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
}

/** What was done to a step, in the order of the transcript. */
export interface Action {
  readonly kind: string;
  readonly detail: string;
  readonly atMs: number;
}

export interface SeenStep
  extends Pick<StepRecord, 'durationMs' | 'termination' | 'killedBy' | 'oomKilled' | 'stdout' | 'stderr'> {
  readonly actions: readonly Action[];
}

/** The writable places before a control, after it, and after its undo. */
export type SeenControl = Readonly<Record<'laid' | 'ran' | 'undone', readonly Entry[] | null>>;

/** One attempt of one case, as the bundle keeps it. */
export interface SeenCase {
  readonly steps: ReadonlyMap<string, SeenStep>;
  /** Names of the steps that are references. */
  readonly references: ReadonlySet<string>;
  /** How many processes outlived the steps. */
  readonly leftovers: number;
  readonly oomKilled: boolean;
  readonly before: ReadonlySet<string>;
  /** By path; null when no snapshot was taken. */
  readonly after: ReadonlyMap<string, LeftFile> | null;
  /** Both snapshots are whole. */
  readonly filesWhole: boolean;
  /** The entries of both, as they are stored. */
  readonly listed: { readonly before: readonly FilesLine[]; readonly after: readonly FilesLine[] };
  /** Stored bytes of a file that was left, by its sha256; null when there are none. */
  readonly fileBytes: (sha256: string) => Buffer | null;
  /** The entries around each control that ran; null where no look could be taken. */
  readonly controls: ReadonlyMap<string, SeenControl>;
  /** The stored bytes of a stream, null when they are not those that were recorded. */
  readonly bytes: (step: string, stream: StreamName) => Buffer | null;
}

/** The part of a stream that patterns look at, in bytes. */
const PATTERN_BYTES = 1024 * 1024;

/** A stream as a statement sees it. */
export class SeenStream {
  readonly record: StreamRecord;
  /** Nothing is missing at its end. */
  readonly whole: boolean;
  readonly #read: () => Buffer | null;
  #bytes: Buffer | null | undefined;
  #head: string | undefined;
  #lines: JsonLines | undefined;

  constructor(record: StreamRecord, started: boolean, read: () => Buffer | null) {
    this.record = record;
    this.whole = !started || (record.eofSeen && !record.truncated);
    this.#read = read;
  }

  get bytes(): Buffer | null {
    if (this.#bytes === undefined) this.#bytes = this.#read();
    return this.#bytes;
  }

  /** The bytes that patterns look at. */
  get headBytes(): Buffer | null {
    return this.bytes?.subarray(0, PATTERN_BYTES) ?? null;
  }

  get head(): string | null {
    const bytes = this.headBytes;
    if (bytes === null) return null;
    this.#head ??= decode(bytes);
    return this.#head;
  }

  /** The head is all of the stream. */
  get headIsWhole(): boolean {
    return this.whole && (this.bytes?.length ?? 0) <= PATTERN_BYTES;
  }

  /** JSON lines; the last line of a stream whose end is missing is none yet. */
  get lines(): JsonLines | null {
    const bytes = this.bytes;
    if (bytes === null) return null;
    this.#lines ??= readJsonLines(this.whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
    return this.#lines;
  }
}

/** What the checks of one case may look at: the case itself, and others of its suite and Node version. */
export class Scene {
  readonly own: SeenCase | null;
  readonly #ownId: string;
  readonly #find: (caseId: string) => SeenCase | null;
  readonly #streams = new Map<string, SeenStream | null>();

  constructor(ownId: string, own: SeenCase | null, find: (caseId: string) => SeenCase | null) {
    this.#ownId = ownId;
    this.own = own;
    this.#find = find;
  }

  /** Null names the case itself. */
  case(caseId: string | null): SeenCase | null {
    return caseId === null || caseId === this.#ownId ? this.own : this.#find(caseId);
  }

  step(caseId: string | null, name: string): SeenStep | null {
    return this.case(caseId)?.steps.get(name) ?? null;
  }

  stream(reference: StreamReference): SeenStream | null {
    const key = `${reference.caseId ?? this.#ownId}\n${reference.step}\n${reference.stream}`;
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const stream = this.#open(reference);
    this.#streams.set(key, stream);
    return stream;
  }

  #open({ caseId, step, stream }: StreamReference): SeenStream | null {
    const seen = this.case(caseId);
    const record = seen?.steps.get(step);
    if (seen === null || record === undefined) return null;
    const started = record.termination.kind !== 'not-started';
    return new SeenStream(record[stream], started, () => seen.bytes(step, stream));
  }
}
