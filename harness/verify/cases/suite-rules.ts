import { checkChoice } from '../boundary/kind.ts';
import type { Findings } from '../finding.ts';
import type { Expectation, Suite, SuiteCase, SuiteFile } from '../shape/suite.ts';
import { checkVolatile } from './volatile.ts';
import { isWritable, WRITABLE } from './writable.ts';

/** Decoded bytes of the files of one case. */
const FILE_BYTES = 64 * 1024 * 1024;

/** What holds between the fields of a suite: every name that is spoken of is there, and none is there twice. */
export function checkSuiteRules(suite: Suite, path: string, findings: Findings): void {
  const all = new Map(suite.cases.map((one) => [one.id, one]));
  const earlier = new Set<string>();
  for (const [index, one] of suite.cases.entries()) {
    const at = `${path}.cases[${index}]`;
    const needed = one.requires?.classification;
    if (needed !== undefined && !earlier.has(needed)) {
      findings.add('SUITE_RULE', `${at}.requires.classification`, 'an earlier case', needed);
    }
    earlier.add(one.id);
    checkUnique(
      one.steps.map(({ name }) => name),
      `${at}.steps`,
      findings,
    );
    checkUnique(
      one.checks.map(({ id }) => id),
      `${at}.checks`,
      findings,
    );
    checkVolatile(one, `${at}.volatile`, findings);
    checkChoice(one.limits, `${at}.limits`, findings);
    checkFiles(one.files, `${at}.files`, findings);
    checkControls(one, `${at}.controls`, findings);
    for (const { name, stdout } of one.steps) {
      if (typeof stdout === 'object' && 'file' in stdout && !isWritable(stdout.file)) {
        findings.add('SUITE_RULE', `${at}.steps ${name}`, 'a file in a writable place', stdout.file);
      }
    }
    for (const { id, precondition, expect } of one.checks) {
      for (const stated of [precondition, expect]) {
        if (stated !== null) checkNames(stated, one, { all, at: `${at}.checks ${id}`, findings });
      }
    }
  }
}

const PHASES = ['positive', 'negative', 'restored'];

/** Controls are the first steps, in the order of phases, each undone from outside, which a check asserts. */
function checkControls({ controls, steps, files, checks }: SuiteCase, at: string, findings: Findings): void {
  const rule = (fits: boolean, expected: string, actual: string): void => {
    if (!fits) findings.add('SUITE_RULE', at, expected, actual);
  };
  rule(controls.length === 0 || controls.length < steps.length, 'a step after the controls', 'none');
  for (const [index, control] of controls.entries()) {
    rule(control.step === steps[index]?.name, 'the steps of the case in order', control.step);
    rule(control.phase === PHASES[index], `${PHASES[index]}`, control.phase);
    const asserted = checks.some(
      ({ expect }) => expect.kind === 'control-undone' && expect.control === control.step,
    );
    rule(asserted, 'a check of each undo', control.step);
    for (const path of control.remove) {
      const laid = files.some((file) => `${file.path}/`.startsWith(`${path}/`));
      rule(isWritable(path) && !laid, 'a path that the case does not lay', path);
    }
    for (const path of control.restore) {
      rule(
        files.some((file) => file.kind === 'file' && file.path === path),
        'a file of the case',
        path,
      );
    }
    for (const { path } of control.files) {
      rule([...control.remove, ...control.restore].includes(path), 'a file that is undone', path);
    }
  }
}

function checkUnique(names: readonly string[], at: string, findings: Findings): void {
  if (new Set(names).size !== names.length) {
    findings.add('SUITE_RULE', at, 'names of their own', names.join(','));
  }
}

/** Parents come before their children, nothing is laid twice or outside. */
function checkFiles(files: readonly SuiteFile[], at: string, findings: Findings): void {
  const laid = new Set<string>();
  const folders = new Set(WRITABLE);
  const facts = new Set<string>();
  let sizeBytes = 0;
  for (const file of files) {
    if (file.kind === 'times' || file.kind === 'owner') {
      const fact = `${file.kind} ${file.path}`;
      if (!laid.has(file.path) || facts.has(fact)) {
        findings.add('SUITE_RULE', at, `one ${file.kind} of a path laid before`, file.path);
      }
      facts.add(fact);
      continue;
    }
    if (facts.size > 0) findings.add('SUITE_RULE', at, 'times and owners last', file.path);
    const parent = file.path.slice(0, file.path.lastIndexOf('/'));
    const fits = isWritable(file.path) && !laid.has(file.path) && folders.has(parent);
    if (!fits) findings.add('SUITE_RULE', at, 'a path of its own below a laid folder', file.path);
    laid.add(file.path);
    if (file.kind === 'directory') folders.add(file.path);
    if (file.kind === 'file') sizeBytes += Buffer.byteLength(file.contentBase64, 'base64');
  }
  if (sizeBytes > FILE_BYTES) findings.add('SUITE_RULE', at, `at most ${FILE_BYTES} bytes`, sizeBytes);
}

interface Place {
  readonly all: ReadonlyMap<string, SuiteCase>;
  readonly at: string;
  readonly findings: Findings;
}

function checkNames(stated: Expectation, own: SuiteCase, place: Place): void {
  for (const { caseId, step } of namedBy(stated)) {
    const found = caseId === null ? own : place.all.get(caseId);
    if (found === undefined) place.findings.add('SUITE_RULE', place.at, 'a case of the suite', caseId);
    else if (step !== null && !found.steps.some(({ name }) => name === step)) {
      place.findings.add('SUITE_RULE', place.at, `a step of ${found.id}`, step);
    }
  }
}

/** The steps that a statement speaks of; the step is null where it speaks of a case as a whole. */
export function namedBy(
  stated: Expectation,
): readonly { readonly caseId: string | null; readonly step: string | null }[] {
  switch (stated.kind) {
    case 'all':
    case 'any':
      return stated.of.flatMap(namedBy);
    case 'not':
      return namedBy(stated.of);
    case 'classified':
      return [{ caseId: stated.caseId, step: null }];
    case 'termination':
      return [stated];
    case 'duration':
    case 'exit-lag':
    case 'ended-after-signal':
    case 'action-absent':
      return [{ caseId: null, step: stated.step }];
    case 'streams-equal':
      return [stated.left, stated.right];
    case 'file-not-longer':
      return [stated.than];
    case 'path-changed':
    case 'path-absent':
    case 'file-is':
    case 'control-undone':
      return stated.control === null ? [] : [{ caseId: null, step: stated.control }];
    case 'no-leftovers':
    case 'no-oom-kill':
    case 'no-files-created':
    case 'files-unchanged':
    case 'no-canaries':
      return [];
    default:
      return [stated.of];
  }
}
