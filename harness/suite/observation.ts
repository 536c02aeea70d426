import type { BoxEnd, BoxProcess, OutsideView, Snapshot, StreamName } from '../engine/engine.ts';

/** How a step ended. The first reason wins; a missing exit code is never a number. */
export type Termination =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly limitMs: number }
  | { readonly kind: 'output-limit'; readonly stream: StreamName }
  | { readonly kind: 'budget' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'not-started'; readonly errno: string };

export type KilledBy = 'candidate' | 'packproof' | 'engine' | 'oom' | null;

/** One output stream: `keptBytes` of it are stored, all of it is counted and hashed. */
export interface StreamObservation {
  readonly totalBytes: number;
  readonly keptBytes: number;
  /** Digest over all bytes that arrived, kept or not. */
  readonly totalSha256: string;
  /** Digest over the kept bytes, the stored file. */
  readonly keptSha256: string;
  readonly truncated: boolean;
  readonly eofSeen: boolean;
  /** Milliseconds after the start at which the last byte arrived; null when none did. */
  readonly lastByteAtMs: number | null;
}

/** Arrival order of output: runs of bytes, merged while the stream stays the same within one event. */
export interface ArrivalRun {
  readonly stream: StreamName;
  readonly sizeBytes: number;
  readonly atMs: number;
}

/**
 * A signal that we sent, or an input we gave, with the time it was given. Details: the signal's name; for
 * `stdin` a text that ends in `written`, `broken-pipe` or `not taken`; the stream's name for `output-closed`.
 */
export interface StepAction {
  readonly kind: 'signal' | 'stdin' | 'stdin-closed' | 'output-closed';
  readonly detail: string;
  readonly atMs: number;
}

export interface StepObservation {
  readonly name: string;
  readonly argv: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly termination: Termination;
  readonly killedBy: KilledBy;
  readonly oomKilled: boolean;
  readonly stdout: StreamObservation;
  readonly stderr: StreamObservation;
  readonly arrivals: readonly ArrivalRun[];
  readonly actions: readonly StepAction[];
}

/** The end of a step, in the order in which it happened. `close` is in the receipt of the box. */
export interface TeardownEvent {
  readonly action:
    | 'freeze'
    | 'list'
    | 'kill-all'
    | 'drain'
    | 'lay'
    | 'undo'
    | 'snapshot'
    | 'kill-box'
    | 'close';
  readonly atMs: number;
  readonly detail: string;
}

/** A word of a step's command and the file that it names; null: none that is listed. */
export interface NamedFile {
  /** Place of the word in `argv`. */
  readonly word: number;
  readonly file: {
    /** In the text form of `document/box-path.ts`, every link followed. */
    readonly path: string;
    readonly mode: string;
    readonly sizeBytes: number;
    readonly sha256: string | null;
  } | null;
}

/** The writable places around one control; null where no snapshot could be taken. */
export interface ControlObservation {
  readonly step: string;
  /** With the files of the control laid, before it started: what it was given. */
  readonly laid: Snapshot | null;
  /** Its program, and other files that its command names; empty where it is not known what was laid. */
  readonly program: readonly NamedFile[];
  readonly ran: Snapshot | null;
  readonly undone: Snapshot | null;
}

/** Everything that was seen of one case, uninterpreted. Raw bytes lie beside it, by step and stream. */
export interface CaseObservation {
  readonly caseId: string;
  readonly attempt: number;
  readonly node: string;
  readonly boxId: string;
  readonly steps: readonly StepObservation[];
  /**
   * Processes alive at the end of any step, in order of the steps, the holder excepted. Of a step that ended by
   * itself: those alive after `settleMs` of the case; of one that had to be ended its own process is among them.
   */
  readonly leftovers: readonly BoxProcess[];
  readonly before: Snapshot;
  readonly controls: readonly ControlObservation[];
  readonly after: Snapshot | null;
  readonly outside: OutsideView;
  readonly end: BoxEnd;
  readonly teardown: readonly TeardownEvent[];
}

/** Bytes of a file that a case left, by their sha256 in hex, null when they were not kept. */
export type FileBytes = (caseId: string, sha256: string) => Buffer | null;

/** Everything stored of cases that an evaluation may look into. */
export interface StoredBytes {
  readonly stream: StreamBytes;
  readonly file: FileBytes;
}

/** Kept bytes of a step's stream, null when they are not to be had; asked for by the evaluator only. */
export type StreamBytes = (caseId: string, stepName: string, stream: StreamName) => Buffer | null;
