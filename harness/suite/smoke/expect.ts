import type { StreamName } from '../../engine/engine.ts';
import type { BinClass, Expectation, StreamReference, TerminationPattern } from '../compiled.ts';
import {
  HELP_TEXT,
  LOADER,
  LOADS_USER_FILE,
  NOT_A_PROGRAM,
  quotePattern,
  SYNTAX,
  TERMINAL_CRASH,
  UNCAUGHT,
} from '../signatures.ts';

/** Words in which the generated cases are written; each is a plain expectation of the closed list. */

export function all(...of: readonly Expectation[]): Expectation {
  return { kind: 'all', of };
}

export function any(...of: readonly Expectation[]): Expectation {
  return { kind: 'any', of };
}

export function not(of: Expectation): Expectation {
  return { kind: 'not', of };
}

/** Never true: the precondition of a check that is listed and, for a stated reason, not tried. */
export const NEVER: Expectation = { kind: 'any', of: [] };

export function stdout(step: string): StreamReference {
  return { caseId: null, step, stream: 'stdout' };
}

export function stderr(step: string): StreamReference {
  return { caseId: null, step, stream: 'stderr' };
}

function ends(step: string, anyOf: readonly TerminationPattern[]): Expectation {
  return { kind: 'termination', step, caseId: null, anyOf };
}

export function exitedWith(step: string, ...codes: readonly number[]): Expectation {
  return ends(step, [{ kind: 'exited', codes }]);
}

export function exitedNonzero(step: string): Expectation {
  return ends(step, [{ kind: 'exited', codes: 'nonzero' }]);
}

export function exited(step: string): Expectation {
  return ends(step, [{ kind: 'exited', codes: 'any' }]);
}

/** By itself or by a signal, but not because its time was up. */
export function ended(step: string): Expectation {
  return not(ends(step, [{ kind: 'timed-out' }]));
}

/** The step took place, whatever became of it; of one that did not this is unknown, never true. */
export function ran(step: string): Expectation {
  return not(ends(step, [{ kind: 'exited', codes: [] }]));
}

export function started(step: string): Expectation {
  return not(ends(step, [{ kind: 'not-started' }]));
}

export function withinOutputLimit(step: string): Expectation {
  return not(ends(step, [{ kind: 'output-limit' }]));
}

/** Ended by a signal that means a broken program. */
export function crashed(step: string): Expectation {
  return ends(step, [
    {
      kind: 'signaled',
      signals: ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'],
    },
  ]);
}

export function matches(of: StreamReference, pattern: string): Expectation {
  return { kind: 'stream-matches', of, pattern };
}

export function includes(of: StreamReference, text: string): Expectation {
  return { kind: 'stream-includes', of, text };
}

export function blank(of: StreamReference): Expectation {
  return { kind: 'stream-empty', of, ignoreWhitespace: true };
}

export function atMostBytes(of: StreamReference, maxBytes: number): Expectation {
  return { kind: 'stream-size', of, minBytes: null, maxBytes };
}

export function atLeastBytes(of: StreamReference, minBytes: number): Expectation {
  return { kind: 'stream-size', of, minBytes, maxBytes: null };
}

export function sameBytes(left: StreamReference, right: StreamReference): Expectation {
  return { kind: 'streams-equal', left, right };
}

export function classified(caseId: string | null, ...classes: readonly BinClass[]): Expectation {
  return { kind: 'classified', caseId, classes };
}

/** On either stream. */
export function says(step: string, pattern: string): Expectation {
  return any(...streamsOf(step).map((of) => matches(of, pattern)));
}

/** Failed, and stderr has the signature. A program that mentions an error and succeeds has not failed. */
export function failedWith(step: string, pattern: string): Expectation {
  return all(not(exitedWith(step, 0)), matches(stderr(step), pattern));
}

/** Node's loader gave up on a file of the installation. */
export function failedToLoad(step: string): Expectation {
  return all(
    not(exitedWith(step, 0)),
    any(matches(stderr(step), LOADER), matches(stderr(step), SYNTAX)),
    not(matches(stderr(step), LOADS_USER_FILE)),
  );
}

/** It never became a running program: no start at all, or an interpreter's complaint in its place. */
export function failedToStart(step: string): Expectation {
  return any(not(started(step)), failedWith(step, NOT_A_PROGRAM));
}

/** Node printed an exception that nothing caught, or the kernel ended it. */
export function diedUncaught(step: string): Expectation {
  return any(crashed(step), failedWith(step, UNCAUGHT));
}

export function failedForTerminal(step: string): Expectation {
  return failedWith(step, TERMINAL_CRASH);
}

/** Text that reads like help was printed, on whichever stream. */
export function printedHelp(step: string): Expectation {
  return says(step, HELP_TEXT);
}

/** The candidate's version stands in the output by itself, not inside a longer number. */
export function printedVersion(step: string, version: string): Expectation {
  return matches(stdout(step), versionPattern(version));
}

/** stdout is nothing but the candidate's version, `v` and build metadata apart. */
export function printedOnlyVersion(step: string, version: string): Expectation {
  return matches(stdout(step), `^\\s*v?${quotePattern(release(version))}(\\+[0-9A-Za-z.-]+)?\\s*$`);
}

function versionPattern(version: string): string {
  return `(^|[^0-9.])${quotePattern(release(version))}($|[^0-9A-Za-z-])`;
}

/** npm drops build metadata from a version when it publishes. */
function release(version: string): string {
  return version.split('+', 1)[0] ?? version;
}

function streamsOf(step: string): readonly StreamReference[] {
  const names: readonly StreamName[] = ['stdout', 'stderr'];
  return names.map((stream) => ({ caseId: null, step, stream }));
}
