import type { StreamName } from '../engine/engine.ts';
import type { Termination } from './observation.ts';

export type Severity = 'gate' | 'warn' | 'info';
export type CheckResult = 'pass' | 'fail' | 'not-exercised' | 'error';
export type CaseOutcome = 'pass' | 'fail' | 'error' | 'unrun' | 'excluded' | 'unsupported' | 'flaky';

/** What a bin turned out to be, derived from the observation of its classification case. */
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
  readonly cases: readonly CompiledCase[];
}

export interface CompiledCase {
  /** Unique in the suite; `[a-z0-9][a-z0-9._-]*`, at most 120 characters, unique under case folding. */
  readonly id: string;
  readonly why: string;
  readonly tags: readonly string[];
  /** The case runs only when the classification case of `bin` gave one of `classes`; else `unsupported`. */
  readonly requires: { readonly classification: string; readonly classes: readonly BinClass[] } | null;
  /** Node versions of the matrix: every one, or only the first. */
  readonly node: 'each' | 'first';
  /** Whether `/work`, `/home/node` and `/tmp` allow execution. */
  readonly exec: boolean;
  readonly files: readonly CompiledFile[];
  readonly steps: readonly CompiledStep[];
  readonly checks: readonly CompiledCheck[];
}

/** A file laid into a writable mount before the first step. Content is base64. */
export type CompiledFile =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: string }
  | { readonly kind: 'file'; readonly path: string; readonly mode: string; readonly contentBase64: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'fifo'; readonly path: string; readonly mode: string };

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

/** One line to send; `answerId` null sends a notification and goes on at once. */
export interface DialogueExchange {
  readonly line: string;
  readonly answerId: string | number | null;
  readonly waitMs: number;
}

/** After the dialogue: close stdin, wait, SIGTERM, wait, SIGKILL. Which rung was needed is recorded as actions. */
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
  readonly advice: string;
  /** When it does not hold, the check is `not-exercised`. */
  readonly precondition: Expectation | null;
  readonly expect: Expectation;
}

/** Names the bytes of one stream of one step, of this case or of another of the same suite and Node version. */
export interface StreamReference {
  readonly caseId: string | null;
  readonly step: string;
  readonly stream: StreamName;
}

/** The closed list of things that can be stated. Patterns are RE2, matched over UTF-8 text, linear time. */
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
  | { readonly kind: 'file-equals-stream'; readonly path: string; readonly of: StreamReference }
  | { readonly kind: 'json-lines'; readonly of: StreamReference; readonly jsonRpc: boolean }
  | {
      readonly kind: 'json-rpc-answer';
      readonly of: StreamReference;
      readonly id: string | number;
      readonly resultHas: readonly string[];
    }
  | { readonly kind: 'no-leftovers' }
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
  | { readonly kind: 'classified'; readonly classes: readonly BinClass[] };

/** Matches a termination: `exited` with one of `codes` (null: any; `nonzero`), or another kind by name. */
export type TerminationPattern =
  | { readonly kind: 'exited'; readonly codes: readonly number[] | 'any' | 'nonzero' }
  | { readonly kind: 'signaled'; readonly signals: readonly string[] | 'any' }
  | { readonly kind: Exclude<Termination['kind'], 'exited' | 'signaled'> };
