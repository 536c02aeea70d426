import { runsOn } from '../suite/node-versions.ts';
import type { CasePlan } from './case-plan.ts';
import type { CaseProgress, ProgressBook } from './case-progress.ts';
import type { Judge } from './evaluation.ts';
import { EVALUATION_LIMIT_MS } from './limits.ts';
import type { CaseRun } from './result.ts';

/** Why a case is not run although it is selected. */
export type Refusal = Pick<CaseRun, 'outcome' | 'reason' | 'detail'>;

/**
 * Null when the case may run: the Node version is one of its own, and it requires no class or its classification
 * gave one of those it requires. Call it once the classification is settled. Source of the rules: `CompiledCase.requires`.
 */
export async function checkRequirement(
  plan: CasePlan,
  book: ProgressBook,
  judge: Judge,
): Promise<Refusal | null> {
  if (!runsOn(plan.case, plan.node)) return { outcome: 'unsupported', reason: 'no-node-version', detail: '' };
  const { requires } = plan.case;
  if (requires === null) return null;
  const needed = book.find(requires.classification, plan.node);
  if (needed === null || needed.run === null) return missing('it is not in the run');
  const unusable = inherit(needed.run);
  if (unusable !== null) return unusable;
  const found = await classOf(needed, judge);
  if (found === null) return missing('it could not be classified');
  if (requires.classes.some((wanted) => wanted === found)) return null;
  return { outcome: 'unsupported', reason: 'not-of-this-class', detail: found };
}

function inherit(run: CaseRun): Refusal | null {
  if (run.outcome === 'unsupported')
    return { outcome: 'unsupported', reason: run.reason, detail: run.detail };
  if (run.outcome === 'unrun') return { outcome: 'unrun', reason: run.reason, detail: run.detail };
  return run.outcome === 'error' ? missing('it could not be observed') : null;
}

function missing(detail: string): Refusal {
  return { outcome: 'unrun', reason: 'classification-missing', detail };
}

async function classOf(needed: CaseProgress, judge: Judge): Promise<string | null> {
  const seen = needed.seenAt(needed.attempts.length);
  if (seen === null) return null;
  try {
    return await needed.classOnce(() => judge.classify(seen, EVALUATION_LIMIT_MS));
  } catch {
    return null;
  }
}
