import { spokenReferences, statesUndo } from '../evaluate/references.ts';
import type { Findings } from '../finding.ts';
import type { Suite, SuiteCase } from '../shape/suite.ts';
import { namedBy } from './suite-rules.ts';
import { isWritable } from './writable.ts';

/** What holds between references and the rest of a suite. */
export function checkReferenceRules(suite: Suite, path: string, findings: Findings): void {
  const names = suite.archives.map(({ name }) => name);
  const rule = (fits: boolean, at: string, expected: string, actual: string | null): void => {
    if (!fits) findings.add('SUITE_RULE', at, expected, actual);
  };
  rule(new Set(names).size === names.length, `${path}.archives`, 'names of their own', names.join(','));
  for (const [index, { unpack, strip }] of suite.archives.entries()) {
    const fits = unpack !== 'none' || strip === 0;
    rule(fits, `${path}.archives[${index}].strip`, '0 where nothing is unpacked', String(strip));
  }
  for (const [index, one] of suite.cases.entries()) {
    const at = `${path}.cases[${index}].references`;
    const { references, controls, steps, checks } = one;
    const leaves = references.length === 0 || controls.length + references.length < steps.length;
    rule(leaves, at, 'a step of the candidate after the references', 'none');
    for (const [position, { step, archive, files }] of references.entries()) {
      const due = steps[controls.length + position]?.name ?? 'no further step';
      rule(step === due, `${at}[${position}].step`, due, step);
      rule(names.includes(archive), `${at}[${position}].archive`, 'an archive of the suite', archive);
      for (const file of files) {
        const fits = isWritable(file.path);
        rule(fits, `${at}[${position}].files`, 'a path in a writable place', file.path);
      }
      const isStated = checks.some(
        (check) =>
          statesUndo(check, one) && check.expect.kind === 'control-undone' && check.expect.control === step,
      );
      rule(isStated, `${at}[${position}]`, 'a check of its undo', 'none');
    }
    checkSpoken(suite, one, `${path}.cases[${index}].checks`, findings);
  }
}

/** What speaks of a reference informs, and speaks of one of its own case. */
function checkSpoken(suite: Suite, one: SuiteCase, at: string, findings: Findings): void {
  for (const check of one.checks) {
    const [spoken] = spokenReferences(check, one);
    if (spoken !== undefined && check.severity !== 'info') {
      findings.add(
        'SUITE_RULE',
        `${at} ${check.id}.severity`,
        `info: it speaks of ${spoken}`,
        check.severity,
      );
    }
    const named = [check.expect, ...(check.precondition === null ? [] : [check.precondition])].flatMap(
      namedBy,
    );
    for (const { caseId, step } of named) {
      if (caseId === null || caseId === one.id) continue;
      const other = suite.cases.find(({ id }) => id === caseId);
      if (other?.references.some((reference) => reference.step === step) !== true) continue;
      findings.add('SUITE_RULE', `${at} ${check.id}`, 'no reference of another case', `${caseId} ${step}`);
    }
  }
}
