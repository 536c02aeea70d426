import type { Expectation, TerminationPattern } from '../compiled.ts';
import type { StepObservation, Termination } from '../observation.ts';
import { fails, holds, isUnknown, type Judgement, judge } from './judgement.ts';
import type { Seen } from './seen.ts';

export type StepExpectation = Extract<
  Expectation,
  { readonly kind: 'termination' | 'duration' | 'exit-lag' | 'ended-after-signal' | 'action-absent' }
>;

type Of<Kind extends StepExpectation['kind']> = Extract<StepExpectation, { readonly kind: Kind }>;

/** Judges a statement about how one step ended and what was done to it. */
export function judgeStep(expectation: StepExpectation, seen: Seen): Judgement {
  const caseId = expectation.kind === 'termination' ? expectation.caseId : null;
  const step = seen.step(caseId, expectation.step);
  if (step === null) return isUnknown(`step ${expectation.step} was not observed`);
  switch (expectation.kind) {
    case 'termination':
      return judge(
        expectation.anyOf.some((pattern) => fitsTermination(pattern, step.termination)),
        `${step.name} ${showTermination(step.termination)}`,
      );
    case 'duration':
      return judgeDuration(expectation, step);
    case 'exit-lag':
      return judgeLag(expectation, step);
    case 'ended-after-signal':
      return judgeAfterSignal(expectation, step);
    case 'action-absent':
      return judgeAbsent(expectation, step);
  }
}

function fitsTermination(pattern: TerminationPattern, termination: Termination): boolean {
  if (pattern.kind !== termination.kind) return false;
  if (pattern.kind === 'exited' && termination.kind === 'exited') {
    if (pattern.codes === 'any') return true;
    if (pattern.codes === 'nonzero') return termination.code !== 0;
    return pattern.codes.includes(termination.code);
  }
  if (pattern.kind === 'signaled' && termination.kind === 'signaled') {
    return pattern.signals === 'any' || pattern.signals.includes(termination.signal);
  }
  return true;
}

function judgeDuration({ minMs, maxMs }: Of<'duration'>, step: StepObservation): Judgement {
  const fits = (minMs === null || step.durationMs >= minMs) && (maxMs === null || step.durationMs <= maxMs);
  return judge(fits, `${step.name} took ${Math.round(step.durationMs)} ms`);
}

/** From the last byte of either stream to the end; a step without output has nothing to lag behind. */
function judgeLag(expected: Of<'exit-lag'>, step: StepObservation): Judgement {
  const last = Math.max(step.stdout.lastByteAtMs ?? -1, step.stderr.lastByteAtMs ?? -1);
  if (last < 0) return holds(`${step.name} had no output`);
  const lagMs = Math.max(0, step.durationMs - last);
  return judge(lagMs <= expected.maxMs, `${step.name} ended ${Math.round(lagMs)} ms after its last output`);
}

function judgeAfterSignal(expected: Of<'ended-after-signal'>, step: StepObservation): Judgement {
  const sent = step.actions.find((action) => action.kind === 'signal' && action.detail === expected.signal);
  if (sent === undefined) return fails(`${expected.signal} was not sent to ${step.name}`);
  const end = step.termination;
  const ended = end.kind === 'exited' || (end.kind === 'signaled' && end.signal !== 'SIGKILL');
  const tookMs = Math.max(0, step.durationMs - sent.atMs);
  const shown = `${step.name} ${showTermination(end)} ${Math.round(tookMs)} ms after ${expected.signal}`;
  return judge(ended && tookMs <= expected.withinMs, shown);
}

function judgeAbsent(expected: Of<'action-absent'>, step: StepObservation): Judgement {
  const found = step.actions.some(
    (action) => action.kind === expected.action && action.detail === expected.detail,
  );
  return judge(!found, `${step.name} ${found ? 'needed' : 'needed no'} ${expected.detail}`);
}

/** How a step ended, in words. */
export function showTermination(termination: Termination): string {
  switch (termination.kind) {
    case 'exited':
      return `exited with ${termination.code}`;
    case 'signaled':
      return `was ended by ${termination.signal}`;
    case 'timed-out':
      return `did not end within ${termination.limitMs} ms`;
    case 'output-limit':
      return `wrote more to ${termination.stream} than the limit`;
    case 'budget':
      return 'was cut off by the budget';
    case 'interrupted':
      return 'was interrupted';
    case 'not-started':
      return `could not start: ${termination.errno}`;
  }
}
