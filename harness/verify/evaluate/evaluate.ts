import { namedBy } from '../cases/suite-rules.ts';
import { type CheckResult, outcomeOfChecks } from '../outcome.ts';
import type { Expectation, PlainExpectation, SuiteCase, SuiteCheck } from '../shape/suite.ts';
import { canaryRules } from './canaries.ts';
import { caseRules } from './case-statements.ts';
import { fileRules } from './file-statements.ts';
import { messageRules } from './message-statements.ts';
import { isExcluded, spokenReferences, statesUndo } from './references.ts';
import type { Scene } from './scene.ts';
import { streamRules } from './stream-statements.ts';
import { greatest, least, opposite, type Truth, UNKNOWN, YES } from './truth.ts';

/** What one attempt of a case comes to by its own record. */
export interface Derived {
  readonly results: readonly CheckResult[];
  readonly outcome: 'pass' | 'fail' | 'error' | 'unrun' | 'unsupported';
  readonly reason:
    | 'budget'
    | 'interrupted'
    | 'not-observed'
    | 'check-not-judged'
    | 'control-failed'
    | 'no-check-exercised'
    | null;
}

const RULES = { ...streamRules, ...messageRules, ...caseRules, ...fileRules, ...canaryRules };

/** Whether a statement of the closed list holds of what the bundle keeps. */
export function evaluate(stated: Expectation, scene: Scene): Truth {
  switch (stated.kind) {
    case 'all':
      return least(stated.of.map((part) => evaluate(part, scene)));
    case 'any':
      return greatest(stated.of.map((part) => evaluate(part, scene)));
    case 'not':
      return opposite(evaluate(stated.of, scene));
    default:
      return evaluatePlain(stated, scene);
  }
}

/** The table has a rule for every kind, each for its own kind alone; the compiler cannot follow that. */
function evaluatePlain(stated: PlainExpectation, scene: Scene): Truth {
  const rule = RULES[stated.kind] as (stated: PlainExpectation, scene: Scene) => Truth;
  return rule(stated, scene);
}

/** Re-derives every check result of an attempt, and its outcome. A step cut off makes it unrun. */
export function evaluateCase(declared: SuiteCase, scene: Scene): Derived {
  const ofControls = declared.checks.map((check) => speaksOfControl(check, declared));
  const ofReferences = declared.checks.map((check) => spokenReferences(check, declared));
  const results = declared.checks.map((check, index) => {
    const excluded = ofReferences[index]?.some((name) => {
      const step = scene.own?.steps.get(name);
      return step !== undefined && isExcluded(step);
    });
    if (excluded === true) return 'not-exercised';
    const result = resultOf(check, scene);
    return result === 'fail' && ofControls[index] === true ? 'error' : result;
  });
  if (scene.own === null) return { results, outcome: 'error', reason: 'not-observed' };
  for (const { termination } of scene.own.steps.values()) {
    if (termination.kind === 'budget' || termination.kind === 'interrupted') {
      return { results, outcome: 'unrun', reason: termination.kind };
    }
  }
  // Where a control did not show what it must, nothing is said of the candidate.
  if (results.some((result, index) => ofControls[index] === true && result !== 'pass')) {
    return { results, outcome: 'error', reason: 'control-failed' };
  }
  // What speaks of a reference counts for nothing.
  const outcome = outcomeOfChecks(
    declared.checks.flatMap(({ severity }, index) =>
      ofReferences[index]?.length === 0 ? [{ severity, result: results[index] ?? 'error' }] : [],
    ),
  );
  return { results, outcome, reason: REASONS[outcome] };
}

function speaksOfControl(check: SuiteCheck, declared: SuiteCase): boolean {
  if (statesUndo(check, declared)) return true;
  const { controls, id } = declared;
  const { expect, precondition } = check;
  if (controls.length === 0 || spokenReferences(check, declared).length > 0) return false;
  return [expect, ...(precondition === null ? [] : [precondition])]
    .flatMap(namedBy)
    .some(
      ({ caseId, step }) => (caseId === null || caseId === id) && controls.some((one) => one.step === step),
    );
}

const REASONS = {
  pass: null,
  fail: null,
  error: 'check-not-judged',
  unsupported: 'no-check-exercised',
} as const;

function resultOf(check: SuiteCheck, scene: Scene): CheckResult {
  if (check.precondition !== null && evaluate(check.precondition, scene) !== YES) return 'not-exercised';
  const truth = evaluate(check.expect, scene);
  return truth === UNKNOWN ? 'error' : truth === YES ? 'pass' : 'fail';
}
