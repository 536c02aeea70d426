import { createHash } from 'node:crypto';
import type { Findings } from '../finding.ts';
import type { Attempt, StepRecord, StreamRecord } from '../shape/receipt.ts';
import type { SuiteCase, SuiteStep } from '../shape/suite.ts';
import type { StoredAttempt } from './stored-attempt.ts';

const KEPT_BYTES = 16 * 1024 * 1024;
const EMPTY = createHash('sha256').digest('hex');
/**
 * What a step may outlast its limit, or fall short of it, by the record: clocks start when the holder answers,
 * which a loaded machine delays by its limit of 3 s at most. In milliseconds.
 */
const CLOCK_SLACK_MS = 5000;

export interface StepPlace {
  readonly path: string;
  readonly caseTimeoutMs: number;
  /** The case has no result, so that its steps may be missing without any gain. */
  readonly unjudged: boolean;
  readonly findings: Findings;
}

/** Holds the record of each step of an attempt against its declaration and against itself. */
export function checkSteps(declared: SuiteCase, stored: StoredAttempt, place: StepPlace): void {
  const { attempt } = stored;
  checkOom(attempt, place.path, place.findings);
  attempt.steps.forEach((step, index) => {
    const plan = declared.steps[index];
    const at = `${place.path}.steps[${index}]`;
    if (plan === undefined || plan.name !== step.name) {
      place.findings.add('STEP_ORDER', `${at}.name`, plan?.name ?? 'no further step', step.name);
      return;
    }
    const told = { at, step, stored, findings: place.findings };
    place.findings.same('STEP_ARGV', `${at}.argv`, JSON.stringify(plan.argv), JSON.stringify(step.argv));
    // A reference has its own time alone.
    const isReference = declared.references.some((one) => one.step === step.name);
    checkEnd(plan, told, isReference ? Number.POSITIVE_INFINITY : place.caseTimeoutMs);
    checkOutputLimit(step, declared.outputBytes, at, place.findings);
    checkStream(step.stdout, `${at}.stdout`, place.findings);
    checkStream(step.stderr, `${at}.stderr`, place.findings);
  });
  checkMissing(declared, stored, place);
}

interface Told {
  readonly at: string;
  readonly step: StepRecord;
  readonly stored: StoredAttempt;
  readonly findings: Findings;
}

/**
 * How the step ended, who ended it, and when, agree. Exit codes are exits; only a signal that we did not send
 * is somebody else's; SIGKILL in a box that lost processes to its memory limit is the kernel's.
 */
function checkEnd(plan: SuiteStep, { at, step, stored, findings }: Told, caseTimeoutMs: number): void {
  const { termination, killedBy, durationMs } = step;
  const killers = killersOf(step, stored);
  if (!killers.includes(killedBy)) {
    findings.add('STEP_KILLED_BY', `${at}.killedBy`, killers.join(' or ') || 'null', killedBy);
  }
  if (termination.kind === 'timed-out') {
    const limits = [plan.timeoutMs, caseTimeoutMs].filter((limit) => limit <= caseTimeoutMs);
    if (!limits.includes(termination.limitMs)) {
      findings.add('STEP_LIMIT', `${at}.termination.limitMs`, limits.join(' or '), termination.limitMs);
    }
    const ownLimit = termination.limitMs === plan.timeoutMs && plan.timeoutMs < caseTimeoutMs;
    if (ownLimit && durationMs + CLOCK_SLACK_MS < termination.limitMs) {
      findings.add('STEP_TIME', `${at}.durationMs`, `about ${termination.limitMs}`, durationMs);
    }
  }
  const longest = Math.min(plan.timeoutMs, caseTimeoutMs) + CLOCK_SLACK_MS;
  if (killedBy === null && durationMs > longest) {
    findings.add('STEP_TIME', `${at}.durationMs`, `at most ${longest}`, durationMs);
  }
}

/**
 * The end of a step is `output-limit` when it gave more than its case allows, and never before. A step that ended
 * in another way than by an exit can have given more while it was being ended for that other reason.
 */
function checkOutputLimit(step: StepRecord, outputBytes: number, at: string, findings: Findings): void {
  const { termination } = step;
  if (termination.kind === 'output-limit') {
    const { totalBytes } = step[termination.stream];
    if (totalBytes > outputBytes) return;
    findings.add('STEP_LIMIT', `${at}.termination`, `more than ${outputBytes} bytes`, totalBytes);
  }
  if (termination.kind !== 'exited') return;
  for (const stream of ['stdout', 'stderr'] as const) {
    const { totalBytes } = step[stream];
    if (totalBytes <= outputBytes) continue;
    findings.add('STEP_LIMIT', `${at}.termination`, `output-limit: at most ${outputBytes} bytes`, totalBytes);
  }
}

function killersOf(step: StepRecord, { attempt, seen }: StoredAttempt): readonly StepRecord['killedBy'][] {
  const { termination, oomKilled } = step;
  if (termination.kind === 'exited' || termination.kind === 'not-started') return [null];
  // A process may have exited by itself while the bytes that were too many were still on their way.
  if (termination.kind === 'output-limit') return ['packproof', null];
  if (termination.kind !== 'signaled') return ['packproof'];
  const { signal } = termination;
  const sent = (seen.steps.get(step.name)?.actions ?? []).some(
    ({ kind, detail }) => kind === 'signal' && detail === signal,
  );
  const own = sent ? 'packproof' : signal === 'SIGKILL' && oomKilled ? 'oom' : 'candidate';
  const boxEnded = signal === 'SIGKILL' && attempt.teardown.some(({ action }) => action === 'kill-box');
  const isLast = attempt.steps.at(-1) === step;
  return boxEnded && isLast ? [own, oomKilled ? 'oom' : 'engine'] : [own];
}

/**
 * The cgroup counts kills for the box. When as many steps died by a SIGKILL of unknown sender, it was those;
 * else every step carries the mark, so that none passes that must not.
 */
function checkOom({ end, steps }: Attempt, path: string, findings: Findings): void {
  const killed = end.oomKilled || (end.oomKills ?? 0) > 0;
  const marks = steps.map(({ oomKilled }) => oomKilled);
  const suspects = steps.map(
    ({ termination, killedBy }) =>
      termination.kind === 'signaled' && termination.signal === 'SIGKILL' && killedBy !== 'packproof',
  );
  const count = suspects.filter(Boolean).length;
  const exact = count > 0 && count === end.oomKills && marks.every((mark, index) => mark === suspects[index]);
  const agrees = killed ? marks.every(Boolean) || exact : !marks.some(Boolean);
  if (!agrees) {
    const expected = killed ? 'the steps that lost processes' : 'no step';
    findings.add('STEP_OOM', `${path}.steps.oomKilled`, expected, marks.join(','));
  }
}

/** Counts, flags and digests of a stream follow from each other. */
function checkStream(stream: StreamRecord, at: string, findings: Findings): void {
  const { totalBytes, keptBytes, truncated, totalSha256, keptSha256, lastByteAtMs } = stream;
  const add = (
    field: string,
    expected: string | number | boolean,
    actual: string | number | boolean | null,
  ): void => findings.same('STREAM_ARITHMETIC', `${at}.${field}`, expected, actual);
  add('keptBytes', Math.min(totalBytes, KEPT_BYTES), keptBytes);
  add('truncated', keptBytes < totalBytes, truncated);
  if (totalBytes === keptBytes) add('totalSha256', keptSha256, totalSha256);
  else if (totalSha256 === keptSha256) add('totalSha256', 'a digest of all bytes', totalSha256);
  if (totalBytes === 0) add('totalSha256', EMPTY, totalSha256);
  if ((totalBytes === 0) !== (lastByteAtMs === null)) {
    add('lastByteAtMs', totalBytes === 0 ? 'null' : 'a time', lastByteAtMs);
  }
}

/** Declared steps are left out only by an end of the box, of the run, or of the case's time. */
function checkMissing(declared: SuiteCase, { attempt }: StoredAttempt, place: StepPlace): void {
  const { steps, teardown } = attempt;
  if (steps.length >= declared.steps.length || place.unjudged) return;
  const [first] = steps;
  const last = steps.at(-1);
  const boxEnded = teardown.some(({ action }) => action === 'kill-box');
  const stopped = last !== undefined && ['budget', 'interrupted'].includes(last.termination.kind);
  if (boxEnded || stopped) return;
  // Otherwise the case's time was used up, which the steps themselves must show.
  const drained = teardown.filter(({ action }) => action === 'drain').at(-1)?.atMs ?? 0;
  const between =
    first === undefined || last === undefined
      ? 0
      : Date.parse(last.startedAt) - Date.parse(first.startedAt) + last.durationMs;
  const references = steps.filter(({ name }) => declared.references.some(({ step }) => step === name));
  const notOfCase = references.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (Math.max(between, drained) - notOfCase + CLOCK_SLACK_MS / 5 < place.caseTimeoutMs) {
    place.findings.add(
      'STEP_MISSING',
      `${place.path}.steps`,
      `${declared.steps.length} steps, or ${place.caseTimeoutMs} ms`,
      `${steps.length} steps in ${Math.round(Math.max(between, drained))} ms`,
    );
  }
}
