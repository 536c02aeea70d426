import type { CompiledCase, CompiledSuite } from '../compiled.ts';
import { isWritable } from '../layout.ts';
import { referencesOf } from '../references.ts';
import { stepsOfCheck } from '../spoken-steps.ts';
import type { Report } from './report.ts';

/** Every archive has a name of its own, and a file that is not unpacked keeps its whole path. */
export function checkArchives({ archives }: CompiledSuite, report: Report): void {
  const seen = new Set<string>();
  archives.forEach(({ name, unpack, strip }, index) => {
    const path = `/archives/${index}`;
    if (seen.has(name)) report.add(`${path}/name`, 'a name of its own', name);
    seen.add(name);
    if (unpack === 'none' && strip !== 0) report.add(`${path}/strip`, '0 where nothing is unpacked', strip);
  });
}

/**
 * References are the steps after the controls and before the candidate's, each of an archive of the suite, each
 * with a check of its undo; what speaks of one informs, and speaks of it in its own case.
 */
export function checkReferences(
  one: CompiledCase,
  path: string,
  { suite, report }: { readonly suite: CompiledSuite; readonly report: Report },
): void {
  const { references, controls, steps, checks } = one;
  const at = `${path}/references`;
  if (references.length > 0 && controls.length + references.length >= steps.length) {
    report.add(at, 'a step of the candidate after the references', 'none');
  }
  references.forEach(({ step, archive, files }, index) => {
    const own = `${at}/${index}`;
    if (step !== steps[controls.length + index]?.name) {
      report.add(`${own}/step`, 'the steps after the controls in order', step);
    }
    if (!suite.archives.some(({ name }) => name === archive)) {
      report.add(`${own}/archive`, 'an archive of the suite', archive);
    }
    files.forEach((file, position) => {
      if (!isWritable(file.path))
        report.add(`${own}/files/${position}/path`, 'a path in a writable place', file.path);
    });
    const isUndone = checks.some(
      ({ expect, precondition }) =>
        expect.kind === 'control-undone' && expect.control === step && precondition === null,
    );
    if (!isUndone) report.add(own, 'a check of its undo', 'none');
  });
  checks.forEach((check, index) => {
    const [spoken] = referencesOf(check, one);
    if (spoken !== undefined && check.severity !== 'info') {
      report.add(`${path}/checks/${index}/severity`, `info, because it speaks of ${spoken}`, check.severity);
    }
    for (const { caseId, step } of stepsOfCheck(check)) {
      const other = caseId === null || caseId === one.id ? undefined : findCase(suite, caseId);
      if (other?.references.some((reference) => reference.step === step) !== true) continue;
      report.add(`${path}/checks/${index}`, 'no reference of another case', `${step} of ${caseId}`);
    }
  });
}

function findCase({ cases }: CompiledSuite, id: string | null): CompiledCase | undefined {
  return cases.find((one) => one.id === id);
}
