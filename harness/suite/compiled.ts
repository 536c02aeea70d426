import type { BoundaryLimit } from '../boundary/kind.ts';
import type { StreamName } from '../engine/engine.ts';
import type { CompiledArchive } from './archive.ts';
import type { Termination } from './observation.ts';

export type Severity = 'gate' | 'warn' | 'info';
export type CheckResult = 'pass' | 'fail' | 'not-exercised' | 'error';
/**
 * Of a case whose checks were evaluated: `fail` when a gate failed; else `error` when any check is `error`;
 * else `pass` when at least one check was exercised (passed or failed), `unsupported` when none was. In this
 * order, because a candidate that fails and also hides something has failed, and is no fault of ours.
 * A step cut off by the budget or an interrupt makes the case `unrun`, whatever its checks would say.
 */
export type CaseOutcome = 'pass' | 'fail' | 'error' | 'unrun' | 'excluded' | 'unsupported' | 'flaky';

/** What a bin turned out to be, derived from the observation of its classification case; rules in classify.ts. */
export type BinClass =
  | 'cli'
  | 'reads-stdin'
  | 'server'
  | 'mcp-server'
  | 'needs-terminal'
  | 'broken'
  | 'unclear';

/** The one form of a suite that run and verify read: canonical JSON, complete, no defaults left to guess. */
export interface CompiledSuite {
  readonly formatVersion: 1;
  readonly id: string;
  readonly title: string;
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
  /** What reference steps run; of an archive that only excluded cases run no bytes are needed. */
  readonly archives: readonly CompiledArchive[];
  readonly cases: readonly CompiledCase[];
  /** Cases that do not run: they are `excluded`. No case that is not excluded needs one of them. */
  readonly exclusions: readonly SuiteException[];
  /** Cases that must come out as `unsupported` wherever they run; any other result is a stale expectation. */
  readonly expectedUnsupported: readonly SuiteException[];
}

/** Cases of the same suite that are not as others; no case is in two exceptions. */
export interface SuiteException {
  /** A glob over case ids, `case-glob.ts`. */
  readonly cases: string;
  readonly reason: string;
  /** How many cases it matches; at least one. */
  readonly count: number;
}

export interface CompiledCase {
  /** Unique in the suite; `[a-z0-9][a-z0-9._-]*`, at most 120 characters, unique under case folding. */
  readonly id: string;
  readonly why: string;
  /** What a pass of this case shows and does not show, beside what its suite says. */
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
  readonly tags: readonly string[];
  /**
   * The case runs only when the case `classification` (an earlier one of the suite, same Node version) was
   * classified as one of `classes`; else it is `unsupported`. When that case was itself `unsupported`, so is
   * this one; when it is `unrun` or `error`, this one is `unrun`.
   */
  readonly requires: { readonly classification: string; readonly classes: readonly BinClass[] } | null;
  /**
   * Node versions of the run: every one, only the first, or every one that is in one of these ranges. When none is,
   * the case stands on the first and is `unsupported` there (`no-node-version`); nothing of it is run.
   */
  readonly node: 'each' | 'first' | readonly NodeRange[];
  /** Whether `/work`, `/home/node` and `/tmp` allow execution. */
  readonly exec: boolean;
  /** Limits of its boxes that are tighter than the boundary's own. */
  readonly limits: readonly BoundaryLimit[];
  /** Bytes of one stream of one step, kept or not, beyond which the step ends as `output-limit`. */
  readonly outputBytes: number;
  /**
   * How long processes that outlive the last step may take to end by themselves before they count as left over
   * (a helper that notices its parent's end needs a moment). Waited only while any is alive.
   */
  readonly settleMs: number;
  readonly files: readonly CompiledFile[];
  readonly steps: readonly CompiledStep[];
  /** The first steps of the case that are controls, in order; empty for a case without. */
  readonly controls: readonly CompiledControl[];
  /** The steps after the controls that are references, in order; every step after these is the candidate's. */
  readonly references: readonly CompiledReference[];
  readonly checks: readonly CompiledCheck[];
  /** What may differ between two runs of the same thing; it decides no result, only how a replay is read. */
  readonly volatile: readonly CompiledVolatile[];
}

/** Versions from `from` on and before `below` (null: all later ones), each `major.minor.patch`. */
export interface NodeRange {
  readonly from: string;
  readonly below: string | null;
}

/** A part of what was seen that may differ in a replay, and why. How a step ends is never one. */
export type CompiledVolatile =
  /** What the pattern matches, in a stream of at most a MiB of UTF-8; null: all of it. */
  | {
      readonly kind: 'stream';
      readonly step: string;
      readonly stream: StreamName;
      readonly pattern: string | null;
      readonly why: string;
    }
  /** What lies at the path or below it. */
  | { readonly kind: 'files'; readonly path: string; readonly why: string };

/**
 * A step of ours that shows, before the candidate's, that the case can tell one behaviour from another:
 * `positive` shows the effect, `negative` its absence under other inputs, `restored` the effect under the first
 * inputs again. Each is followed by its undo, done from outside. A check that speaks of a control and does not
 * pass is `error`, and the case with it (`control-failed`), whatever the candidate did.
 */
export interface CompiledControl {
  readonly step: string;
  readonly phase: ControlPhase;
  /** Laid before the control, in place of what is at their paths. */
  readonly files: readonly Extract<CompiledFile, { readonly kind: 'file' }>[];
  /** Taken away by the undo, with what lies below; then `restore`: files of the case laid again with their times. */
  readonly remove: readonly string[];
  readonly restore: readonly string[];
}

/**
 * A step that runs a pinned native program for comparison, before anything of the candidate runs in the box. It
 * is observed and gates nothing: each check that speaks of it is `info` and counts for no outcome. Its undo, done
 * from outside, puts back every file of the case and takes away everything else.
 */
export interface CompiledReference {
  readonly step: string;
  /** Name of the archive that it runs. */
  readonly archive: string;
  /** Its configuration, reset: laid before its first process in place of what is at their paths. */
  readonly files: readonly Extract<CompiledFile, { readonly kind: 'file' }>[];
}

export type ControlPhase = 'positive' | 'negative' | 'restored';

/**
 * A file laid into a writable mount before the first step. Content is base64. Paths and targets are in the text
 * form of `document/box-path.ts`. No mode has a set-user-id or set-group-id bit.
 */
export type CompiledFile =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: string }
  | { readonly kind: 'file'; readonly path: string; readonly mode: string; readonly contentBase64: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'fifo' | 'socket'; readonly path: string; readonly mode: string }
  /** A file of this size in which nothing is stored: it reads as zeros. */
  | { readonly kind: 'sparse'; readonly path: string; readonly mode: string; readonly sizeBytes: number }
  /** When an entry laid before was last modified, in whole seconds since 1970. */
  | { readonly kind: 'times'; readonly path: string; readonly mtimeSeconds: number }
  /** Whose an entry laid before is; all others are 1000:1000, the user of the box. */
  | { readonly kind: 'owner'; readonly path: string; readonly uid: number; readonly gid: number };

export type StdinPlan =
  /** End of file at once. */
  | { readonly kind: 'closed' }
  /** An open pipe that never gets a byte and closes only with the step. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'bytes'; readonly contentBase64: string; readonly thenClose: boolean }
  /** `sizeBytes` of a repeated line, offered whether or not they are read. */
  | { readonly kind: 'fill'; readonly sizeBytes: number; readonly thenClose: boolean }
  /** JSON-RPC lines sent one after another, each after the answer to the one before (or its wait) came. */
  | {
      readonly kind: 'dialogue';
      readonly exchanges: readonly DialogueExchange[];
      readonly ladder: ShutdownLadder;
    };

/**
 * One line to send (a line feed is added); `answerId` null sends a notification and goes on at once.
 *
 * Otherwise the next exchange follows when a line of stdout is a JSON-RPC response with that id, or after
 * `waitMs`. The dialogue ends early when the process ends. A request that the candidate sends is answered
 * with error -32601; each line given is recorded as a `stdin` action.
 */
export interface DialogueExchange {
  readonly line: string;
  readonly answerId: string | number | null;
  readonly waitMs: number;
}

/**
 * After the dialogue: close stdin, wait, SIGTERM, wait, SIGKILL. Which rung was needed is recorded as actions:
 * `stdin-closed` only when the process was still alive, `signal` with the signal's name as detail.
 */
export interface ShutdownLadder {
  readonly afterEofMs: number;
  readonly afterTermMs: number;
}

export interface SignalPlan {
  readonly signal: string;
  /** Sent this long after the first output byte, or after the start when `after` says so. */
  readonly after: 'start' | 'first-output';
  readonly delayMs: number;
}

export interface CompiledStep {
  /** Unique in the case, `[a-z0-9-]+`. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: StdinPlan;
  /** `closeAfterBytes`: the reading end is closed once that many bytes came; 0 closes it at the start. */
  readonly stdout: 'pipe' | { readonly file: string } | { readonly closeAfterBytes: number };
  readonly signals: readonly SignalPlan[];
  readonly timeoutMs: number;
}

/** One statement about the observation of its case; evaluated from raw bytes, by runner and verifier apart. */
export interface CompiledCheck {
  /** Unique in the case, `[a-z0-9.-]+`. */
  readonly id: string;
  readonly severity: Severity;
  readonly why: string;
  /** Of the author, to whom the check fails; may be empty. */
  readonly advice: string;
  /** When it does not hold, or what it asks was not seen, the check is `not-exercised`, which is never a pass. */
  readonly precondition: Expectation | null;
  readonly expect: Expectation;
}

/** Names the bytes of one stream of one step, of this case or of another of the same suite and Node version. */
export interface StreamReference {
  readonly caseId: string | null;
  readonly step: string;
  readonly stream: StreamName;
}

/**
 * The closed list of things that can be stated. Each is true, false or unknown of an observation (unknown: the
 * bytes needed were cut off or not seen); `all`, `any` and `not` follow Kleene's three-valued logic, an empty
 * `all` is true, an empty `any` false. An unknown expectation makes its check `error`.
 *
 * Text: kept bytes as UTF-8, each maximal invalid part replaced by U+FFFD (WHATWG Encoding), no BOM removed.
 * Patterns: RE2 syntax, found anywhere in the text unless anchored, linear time. They look at the first MiB;
 * a pattern not found there in a stream that has more is unknown. Text to include is looked for as its UTF-8
 * bytes in all kept bytes; not found in a truncated stream is unknown.
 * Lines: split at line feed, one carriage return before it dropped, blank lines skipped; the unterminated
 * tail is a line. JSON is looked for in the first 20 000 lines; what more lines could change is unknown.
 */
export type Expectation =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Expectation[] }
  | { readonly kind: 'not'; readonly of: Expectation }
  | {
      readonly kind: 'termination';
      readonly step: string;
      readonly caseId: string | null;
      readonly anyOf: readonly TerminationPattern[];
    }
  | { readonly kind: 'stream-equals'; readonly of: StreamReference; readonly contentBase64: string }
  | { readonly kind: 'stream-empty'; readonly of: StreamReference; readonly ignoreWhitespace: boolean }
  | { readonly kind: 'stream-includes'; readonly of: StreamReference; readonly text: string }
  | { readonly kind: 'stream-matches'; readonly of: StreamReference; readonly pattern: string }
  | { readonly kind: 'stream-no-escapes'; readonly of: StreamReference }
  | { readonly kind: 'streams-equal'; readonly left: StreamReference; readonly right: StreamReference }
  /** Every kept byte is part of valid UTF-8, and there is no BOM. */
  | { readonly kind: 'stream-utf8'; readonly of: StreamReference }
  /** All bytes that arrived, kept or not, number at least `minBytes` and at most `maxBytes` (null: no bound). */
  | {
      readonly kind: 'stream-size';
      readonly of: StreamReference;
      readonly minBytes: number | null;
      readonly maxBytes: number | null;
    }
  /** The file (in the snapshot after the last step) has exactly the bytes that arrived on the stream. */
  | { readonly kind: 'file-equals-stream'; readonly path: string; readonly of: StreamReference }
  /** The file is not larger than what arrived on the stream: nothing was lost on the way through the pipe. */
  | { readonly kind: 'file-not-longer'; readonly path: string; readonly than: StreamReference }
  /**
   * Every line is JSON; with `jsonRpc`, each JSON object or array is a JSON-RPC 2.0 message or a batch of them.
   * `nonJson: 'skip'` leaves lines aside that are no JSON object or array.
   */
  | {
      readonly kind: 'json-lines';
      readonly of: StreamReference;
      readonly jsonRpc: boolean;
      readonly nonJson: 'refuse' | 'skip';
    }
  /** A line is a JSON-RPC response with this id and a result in which each JSON Pointer (RFC 6901) leads somewhere. */
  | {
      readonly kind: 'json-rpc-answer';
      readonly of: StreamReference;
      readonly id: string | number;
      readonly resultHas: readonly string[];
    }
  /** As above, and the value at `pointer` of the result is one of these strings. */
  | {
      readonly kind: 'json-rpc-value';
      readonly of: StreamReference;
      readonly id: string | number;
      readonly pointer: string;
      readonly anyOf: readonly string[];
    }
  /** A line is a JSON-RPC error response with this id and one of these codes (empty: any code). */
  | {
      readonly kind: 'json-rpc-error';
      readonly of: StreamReference;
      readonly id: string | number;
      readonly codes: readonly number[];
    }
  /** Every response on the stream answers one of these ids, and none twice. */
  | {
      readonly kind: 'json-rpc-ids';
      readonly of: StreamReference;
      readonly sent: readonly (string | number)[];
    }
  /**
   * JSON held against a rule: the stream as one document, or its lines, of which every one (and at least one)
   * or some one must fit. `json` is canonical (RFC 8785). `equals`: the same value. `subset`: every member of an
   * object is there and fits in turn, a list has as many items and each fits, all else is the same. `schema`:
   * the closed subset of JSON Schema 2020-12 that `json-schema.ts` lists, without references, so that its cost
   * is the size of the schema times that of the value.
   */
  | {
      readonly kind: 'json-value';
      readonly of: StreamReference;
      readonly scope: 'stream' | 'every-line' | 'some-line';
      readonly rule: 'equals' | 'subset' | 'schema';
      readonly json: string;
    }
  /**
   * Everything below `below` but `except` is after the last step what it was before the first: nothing gone,
   * nothing new, and alike in kind and in what `compare` lists (`bytes`: content and link target; `modes`:
   * permission bits and owners; `times`: last modification of all but folders). Of nothing at all it is false.
   */
  | {
      readonly kind: 'files-unchanged';
      readonly below: readonly string[];
      readonly except: readonly string[];
      readonly compare: readonly FileAspect[];
    }
  /**
   * In this and the two that follow `control` names a control, after whose step and before whose undo the files
   * are looked at; null: after the last step. The path is new, gone, or there as before with another kind,
   * content or link target.
   */
  | {
      readonly kind: 'path-changed';
      readonly path: string;
      readonly change: 'created' | 'removed' | 'changed';
      readonly control: string | null;
    }
  /** Nothing is at the path, seen on complete snapshots only; below a link it is unknown. */
  | { readonly kind: 'path-absent'; readonly path: string; readonly control: string | null }
  /** After the undo of a control or a reference everything was as before it: kinds, modes, owners, bytes, times of all but folders. */
  | { readonly kind: 'control-undone'; readonly control: string }
  /**
   * None of the texts, as UTF-8 bytes, is in an output stream of any step, or in name, link target or content of
   * a file that is new or changed after the last step. Unknown when a stream or such a file was not kept whole.
   */
  | { readonly kind: 'no-canaries'; readonly texts: readonly string[] }
  /** What lies at the path is of this kind and, where they are given, has this mode, content and link target. */
  | {
      readonly kind: 'file-is';
      readonly path: string;
      readonly type: FileType;
      readonly mode: string | null;
      readonly sha256: string | null;
      readonly target: string | null;
      readonly control: string | null;
    }
  /** The step took at least and at most this long, from its start to its end (null: no bound). */
  | {
      readonly kind: 'duration';
      readonly step: string;
      readonly minMs: number | null;
      readonly maxMs: number | null;
    }
  | { readonly kind: 'no-leftovers' }
  /** Neither a step nor the box lost a process to the memory limit, whatever the exit code. */
  | { readonly kind: 'no-oom-kill' }
  | {
      readonly kind: 'no-files-created';
      readonly below: readonly string[];
      readonly except: readonly string[];
    }
  | { readonly kind: 'exit-lag'; readonly step: string; readonly maxMs: number }
  | {
      readonly kind: 'ended-after-signal';
      readonly step: string;
      readonly signal: string;
      readonly withinMs: number;
    }
  | {
      readonly kind: 'action-absent';
      readonly step: string;
      readonly action: 'signal';
      readonly detail: string;
    }
  | {
      readonly kind: 'classified';
      /** The classification case; null: this one. */
      readonly caseId: string | null;
      readonly classes: readonly BinClass[];
    };

export type FileAspect = 'bytes' | 'modes' | 'times';
export type FileType = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket';

/** Matches a termination: `exited` with one of `codes`, any, or any but 0; another kind by its name. */
export type TerminationPattern =
  | { readonly kind: 'exited'; readonly codes: readonly number[] | 'any' | 'nonzero' }
  | { readonly kind: 'signaled'; readonly signals: readonly string[] | 'any' }
  | { readonly kind: Exclude<Termination['kind'], 'exited' | 'signaled'> };
