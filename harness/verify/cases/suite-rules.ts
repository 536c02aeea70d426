import type { Findings } from '../finding.ts';
import type { Expectation, Suite, SuiteCase, SuiteFile } from '../shape/suite.ts';

/** Where a box can be written. */
const WRITABLE = ['/work', '/home/node', '/tmp'];
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
    checkFiles(one.files, `${at}.files`, findings);
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

function checkUnique(names: readonly string[], at: string, findings: Findings): void {
  if (new Set(names).size !== names.length) {
    findings.add('SUITE_RULE', at, 'names of their own', names.join(','));
  }
}

/** Parents come before their children, nothing is laid twice or outside. */
function checkFiles(files: readonly SuiteFile[], at: string, findings: Findings): void {
  const laid = new Set<string>();
  const folders = new Set(WRITABLE);
  let sizeBytes = 0;
  for (const file of files) {
    const parent = file.path.slice(0, file.path.lastIndexOf('/'));
    const fits = isWritable(file.path) && !laid.has(file.path) && folders.has(parent);
    if (!fits) findings.add('SUITE_RULE', at, 'a path of its own below a laid folder', file.path);
    laid.add(file.path);
    if (file.kind === 'directory') folders.add(file.path);
    if (file.kind === 'file') sizeBytes += Buffer.byteLength(file.contentBase64, 'base64');
  }
  if (sizeBytes > FILE_BYTES) findings.add('SUITE_RULE', at, `at most ${FILE_BYTES} bytes`, sizeBytes);
}

function isWritable(path: string): boolean {
  return WRITABLE.some((root) => path.startsWith(`${root}/`));
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
    case 'no-leftovers':
    case 'no-oom-kill':
    case 'no-files-created':
    case 'files-unchanged':
    case 'path-changed':
    case 'path-absent':
    case 'file-is':
    case 'no-canaries':
      return [];
    default:
      return [stated.of];
  }
}
