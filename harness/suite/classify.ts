import type { BinClass } from './compiled.ts';
import { type JsonLine, listResponses, valueAt } from './evaluate/json-rpc.ts';
import { anyOf, type Judgement } from './evaluate/judgement.ts';
import { findsPattern } from './evaluate/patterns.ts';
import { Seen } from './evaluate/seen.ts';
import type { CaseObservation, StepObservation, StreamBytes } from './observation.ts';
import { LOADER, LOADS_USER_FILE, NEEDS_TERMINAL, NOT_A_PROGRAM, SYNTAX } from './signatures.ts';

/** Steps of a classification case that the rules below look at; `HELP_STEP` may be absent. */
export const HELP_STEP = 'help';
export const SESSION_STEP = 'session';
/** The id of the `initialize` request that the session step sends. */
export const INITIALIZE_ID = 1;

/** Signals by which the kernel ends a program that is broken, as opposed to asked to stop. */
const CRASH_SIGNALS: ReadonlySet<string> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
]);

/**
 * Derives what a bin is from its classification case: a session step (no arguments, one `initialize` line, the
 * shutdown ladder) and, beside it, a help step. First rule that holds:
 *
 * 1. no session step was seen → `unclear`;
 * 2. the session could not start, or it failed in the loader, as no program or by a crash signal, and help did
 *    not succeed either → `broken`;
 * 3. a JSON-RPC response to `initialize` (result or error) is on stdout, and `initialize` itself is not →
 *    `mcp-server`. A program that copies its input shows the request too, and even what a client answers to it;
 * 4. it exited with failure and said that it wants a terminal → `needs-terminal`;
 * 5. it ended by itself before its stdin was closed → `cli`;
 * 6. it ended by itself after its stdin was closed → `reads-stdin`;
 * 7. it had to be signalled → `server`;
 * 8. anything else (time-out, output limit, bytes not to be had) → `unclear`.
 */
export function classify(observation: CaseObservation, streamBytes: StreamBytes): BinClass {
  return classifySeen(observation.caseId, new Seen(observation.caseId, [observation], streamBytes));
}

/** The same over what a case's evaluation has already read; `caseId` names the classification case. */
export function classifySeen(caseId: string, seen: Seen): BinClass {
  const session = seen.step(caseId, SESSION_STEP);
  if (session === null) return 'unclear';
  if (isBroken(caseId, session, seen)) return 'broken';
  if (answersInitialize(caseId, seen)) return 'mcp-server';
  if (wantsTerminal(caseId, session, seen)) return 'needs-terminal';
  return classOfEnding(session);
}

function isBroken(caseId: string, session: StepObservation, seen: Seen): boolean {
  const help = seen.step(caseId, HELP_STEP);
  if (help?.termination.kind === 'exited' && help.termination.code === 0) return false;
  const end = session.termination;
  if (end.kind === 'not-started') return true;
  if (end.kind === 'signaled') return CRASH_SIGNALS.has(end.signal);
  if (end.kind !== 'exited' || end.code === 0) return false;
  const says = (pattern: string): boolean => finds(caseId, SESSION_STEP, pattern, seen);
  return says(NOT_A_PROGRAM) || ((says(LOADER) || says(SYNTAX)) && !says(LOADS_USER_FILE));
}

function answersInitialize(caseId: string, seen: Seen): boolean {
  const read = seen.jsonLines({ caseId, step: SESSION_STEP, stream: 'stdout' });
  if (read === null || isEcho(read.lines)) return false;
  return listResponses(read.lines).some((response) => response.id === INITIALIZE_ID);
}

/** Only clients send `initialize`, so a program that writes it copies what it reads. */
function isEcho(lines: readonly JsonLine[]): boolean {
  return lines.some(({ value }) => valueAt(value, '/method') === 'initialize');
}

function wantsTerminal(caseId: string, session: StepObservation, seen: Seen): boolean {
  const end = session.termination;
  return end.kind === 'exited' && end.code !== 0 && finds(caseId, SESSION_STEP, NEEDS_TERMINAL, seen);
}

function classOfEnding(session: StepObservation): BinClass {
  const end = session.termination;
  if (session.actions.some((action) => action.kind === 'signal')) return 'server';
  if (end.kind !== 'exited' && end.kind !== 'signaled') return 'unclear';
  const closed = session.actions.find((action) => action.kind === 'stdin-closed');
  const refused = session.actions.some(
    (action) => action.kind === 'stdin' && action.detail.endsWith('broken-pipe'),
  );
  // A program that ends while the line is on its way never waited for its input.
  return closed === undefined || refused || closed.atMs >= session.durationMs ? 'cli' : 'reads-stdin';
}

function finds(caseId: string, step: string, pattern: string, seen: Seen): boolean {
  const text = seen.text({ caseId, step, stream: 'stderr' });
  return text !== null && findsPattern(pattern, text.text);
}

/** Whether a class is one of those asked for, as a judgement. */
export function judgeClass(found: BinClass, classes: readonly BinClass[]): Judgement {
  const seen = `classified as ${found}`;
  return anyOf(classes.map((one) => ({ truth: one === found ? 'true' : 'false', seen })));
}
