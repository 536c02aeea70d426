import { sha256Hex } from '../../document/digest.ts';
import type { StreamName } from '../../engine/engine.ts';
import type { CompiledCase, StreamReference } from '../compiled.ts';
import { PATTERN_TEXT_BYTES } from '../limits.ts';
import type {
  CaseObservation,
  StepObservation,
  StoredBytes,
  StreamBytes,
  StreamObservation,
} from '../observation.ts';
import { type JsonLines, parseJsonLines } from './json-rpc.ts';
import { decodeText } from './text.ts';

/** One stream with its kept bytes, as far as they are to be had. */
export interface SeenStream {
  readonly name: string;
  readonly observation: StreamObservation;
  /** Null when the stored bytes are missing or are not those that were recorded. */
  readonly bytes: Buffer | null;
  /** Nothing is missing at its end: neither cut off by a limit nor without its end of file. */
  readonly complete: boolean;
}

/** The part of a stream that patterns look at, and whether it is all of the stream. */
export interface SeenText {
  readonly text: string;
  readonly whole: boolean;
}

/**
 * What was seen of a case and of those it refers to, looked up by name. Bytes are checked against the digest
 * of the observation when first used, and each stream is decoded once.
 */
export class Seen {
  readonly #ownCaseId: string;
  readonly #references: ReadonlySet<string>;
  readonly #cases: ReadonlyMap<string, CaseObservation>;
  readonly #bytesOf: StoredBytes;
  readonly #streams = new Map<string, SeenStream>();
  readonly #texts = new Map<string, SeenText>();
  readonly #jsonLines = new Map<string, JsonLines>();

  /** `own`: the case that is judged, or its id where it has no references. */
  constructor(
    own: string | Pick<CompiledCase, 'id' | 'references'>,
    observations: readonly CaseObservation[],
    bytesOf: StreamBytes | StoredBytes,
  ) {
    this.#ownCaseId = typeof own === 'string' ? own : own.id;
    const references = typeof own === 'string' ? [] : own.references;
    this.#references = new Set(references.map(({ step }) => step));
    this.#cases = new Map(observations.map((one) => [one.caseId, one]));
    this.#bytesOf = typeof bytesOf === 'function' ? { stream: bytesOf, file: () => null } : bytesOf;
  }

  case(caseId: string | null): CaseObservation | null {
    return this.#cases.get(caseId ?? this.#ownCaseId) ?? null;
  }

  /** Whether a step of the case itself is a reference, whose doings are not the candidate's. */
  isReference(step: string): boolean {
    return this.#references.has(step);
  }

  step(caseId: string | null, name: string): StepObservation | null {
    return this.case(caseId)?.steps.find((step) => step.name === name) ?? null;
  }

  stream(reference: StreamReference): SeenStream | null {
    const key = this.#key(reference);
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const step = this.step(reference.caseId, reference.step);
    if (step === null) return null;
    const stream = this.#toStream(reference, step);
    this.#streams.set(key, stream);
    return stream;
  }

  /** Bytes of a file that the case left; null when they are missing or are not those that were recorded. */
  file(sha256: string): Buffer | null {
    const bytes = this.#bytesOf.file(this.#ownCaseId, sha256);
    return bytes !== null && sha256Hex(bytes) === sha256 ? bytes : null;
  }

  /** Null when the stream or its bytes are missing. */
  text(reference: StreamReference): SeenText | null {
    const key = this.#key(reference);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const stream = this.stream(reference);
    if (stream === null || stream.bytes === null) return null;
    const text = {
      text: decodeText(stream.bytes.subarray(0, PATTERN_TEXT_BYTES)),
      whole: stream.complete && stream.bytes.length <= PATTERN_TEXT_BYTES,
    };
    this.#texts.set(key, text);
    return text;
  }

  /** Null when the stream or its bytes are missing. `whole` is false when more lines came than were read. */
  jsonLines(reference: StreamReference): JsonLines | null {
    const key = this.#key(reference);
    const known = this.#jsonLines.get(key);
    if (known !== undefined) return known;
    const stream = this.stream(reference);
    if (stream === null || stream.bytes === null) return null;
    // The last line of an incomplete stream may be cut, so it is no line yet.
    const end = stream.complete ? stream.bytes.length : stream.bytes.lastIndexOf(0x0a) + 1;
    const read = parseJsonLines(stream.bytes.subarray(0, end));
    const lines = { lines: read.lines, whole: read.whole && stream.complete };
    this.#jsonLines.set(key, lines);
    return lines;
  }

  #toStream(reference: StreamReference, step: StepObservation): SeenStream {
    const observation = observationOf(step, reference.stream);
    const bytes = this.#bytesOf.stream(reference.caseId ?? this.#ownCaseId, reference.step, reference.stream);
    const started = step.termination.kind !== 'not-started';
    return {
      name: `${reference.step} ${reference.stream}`,
      observation,
      bytes: bytes !== null && sha256Hex(bytes) === observation.keptSha256 ? bytes : null,
      complete: !started || (!observation.truncated && observation.eofSeen),
    };
  }

  #key(reference: StreamReference): string {
    return `${reference.caseId ?? this.#ownCaseId}\n${reference.step}\n${reference.stream}`;
  }
}

function observationOf(step: StepObservation, stream: StreamName): StreamObservation {
  return stream === 'stdout' ? step.stdout : step.stderr;
}
