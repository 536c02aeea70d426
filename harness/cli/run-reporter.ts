import type { PrepareProgress } from '../prepare/progress.ts';
import type { Reporter } from '../run/reporter.ts';
import type { Progress } from './output.ts';

/** A line for every tenth part of a long count is enough for a log. */
const STEPS = 10;

/** Shows a run on stderr: phases, and each case as it ends. */
export function toRunReporter(progress: Progress): Reporter {
  let total = 0;
  let ended = 0;
  return {
    phase: (phase, count) => {
      if (phase === 'cases') total = count;
      const words = { probe: 'measuring the boundary', cases: `${count} cases`, finish: 'closing' };
      progress.say('run', words[phase]);
    },
    caseStarted: () => {},
    caseEnded: (run) => {
      if (run.reason === 'selection') return;
      // Nothing of them was to run, so they are not among those that are counted.
      const isExcluded = run.outcome === 'excluded';
      if (!isExcluded) ended += 1;
      const reason = run.reason === null ? '' : ` (${run.reason})`;
      progress.say(
        'run',
        `${isExcluded ? '-' : `${ended}/${total}`} ${run.outcome}${reason} ${run.caseId}@${run.node} ${run.durationMs} ms`,
      );
    },
  };
}

/** Shows prepare on stderr; counted stages only at every tenth. */
export function toPrepareReporter(progress: Progress): (event: PrepareProgress) => void {
  return ({ stage, detail, done, total }) => {
    if (done === null || total === null) {
      progress.say(stage, detail);
      return;
    }
    const step = Math.max(1, Math.ceil(total / STEPS));
    if (done % step === 0 || done === total) progress.say(stage, `${done}/${total} ${detail}`);
  };
}
