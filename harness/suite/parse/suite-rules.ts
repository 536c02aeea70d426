import type { CompiledCase, CompiledFile, CompiledSuite, Expectation, StreamReference } from '../compiled.ts';
import { checkExceptions } from '../exceptions.ts';
import { isWritable, WRITABLE } from '../layout.ts';
import { FILE_BYTES_LIMIT } from '../limits.ts';
import { checkLimits } from './limit-rules.ts';
import { checkArchives, checkReferences } from './reference-rules.ts';
import { member, type Report } from './report.ts';
import { checkVolatile } from './volatile-rules.ts';

/** Rules that hold between fields of a suite whose fields are each well-formed. */
export function checkSuiteRules(suite: CompiledSuite, report: Report): void {
  checkArchives(suite, report);
  const earlier = new Map<string, CompiledCase>();
  const all = new Map(suite.cases.map((one) => [one.id, one]));
  suite.cases.forEach((compiled, index) => {
    const path = member('/cases', index);
    if (earlier.has(compiled.id)) report.add(`${path}/id`, 'an id of its own', compiled.id);
    const needed = compiled.requires?.classification;
    if (needed !== undefined && !earlier.has(needed)) {
      report.add(`${path}/requires/classification`, 'an earlier case', needed);
    }
    checkCase(compiled, path, { all, report });
    checkReferences(compiled, path, { suite, report });
    earlier.set(compiled.id, compiled);
  });
  for (const { list, index, expected, actual } of checkExceptions(suite)) {
    report.add(`/${list}/${index}`, expected, actual);
  }
}

interface Context {
  readonly all: ReadonlyMap<string, CompiledCase>;
  readonly report: Report;
}

function checkCase(compiled: CompiledCase, path: string, context: Context): void {
  const { report } = context;
  checkUnique(
    compiled.steps.map((one) => one.name),
    `${path}/steps`,
    'name',
    report,
  );
  checkUnique(
    compiled.checks.map((one) => one.id),
    `${path}/checks`,
    'id',
    report,
  );
  checkVolatile(compiled, `${path}/volatile`, report);
  checkLimits(compiled.limits, `${path}/limits`, report);
  checkFiles(compiled.files, `${path}/files`, report);
  checkControls(compiled, `${path}/controls`, report);
  compiled.steps.forEach((one, index) => {
    if (typeof one.stdout === 'object' && 'file' in one.stdout && !isWritable(one.stdout.file)) {
      report.add(`${path}/steps/${index}/stdout/file`, 'a path in a writable place', one.stdout.file);
    }
  });
  compiled.checks.forEach((one, index) => {
    const at = member(`${path}/checks`, index);
    if (one.precondition !== null)
      checkExpectation(one.precondition, compiled, `${at}/precondition`, context);
    checkExpectation(one.expect, compiled, `${at}/expect`, context);
  });
}

const PHASES = ['positive', 'negative', 'restored'];

/** The first steps in the fixed order of phases, each with a check of its undo; the candidate's steps follow. */
function checkControls({ controls, steps, files, checks }: CompiledCase, path: string, report: Report): void {
  if (controls.length > 0 && controls.length >= steps.length)
    report.add(path, 'a step after the controls', 'none');
  const laid = new Set(files.flatMap(({ kind, path: own }) => (kind === 'file' ? [own] : [])));
  controls.forEach((control, index) => {
    const at = `${path}/${index}`;
    if (control.step !== steps[index]?.name)
      report.add(`${at}/step`, 'the steps of the case in order', control.step);
    if (control.phase !== PHASES[index]) report.add(`${at}/phase`, `${PHASES[index]}`, control.phase);
    const isUndone = checks.some(
      ({ expect }) => expect.kind === 'control-undone' && expect.control === control.step,
    );
    if (!isUndone) report.add(at, 'a check of its undo', 'none');
    for (const gone of control.remove) {
      if (!isWritable(gone) || files.some((file) => isWithin(file.path, gone))) {
        report.add(`${at}/remove`, 'a path that the case does not lay', gone);
      }
    }
    for (const again of control.restore) {
      if (!laid.has(again)) report.add(`${at}/restore`, 'a file that the case lays', again);
    }
    for (const file of control.files) {
      const isUndone = control.remove.includes(file.path) || control.restore.includes(file.path);
      if (!isUndone) report.add(`${at}/files`, 'files that the undo removes or restores', file.path);
    }
  });
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function checkUnique(names: readonly string[], path: string, field: string, report: Report): void {
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (seen.has(name)) report.add(`${path}/${index}/${field}`, 'a name of its own', name);
    seen.add(name);
  });
}

/** Parents come first, and nothing is laid twice or outside: the holder lays them in order. */
function checkFiles(files: readonly CompiledFile[], path: string, report: Report): void {
  const laid = new Set<string>(WRITABLE);
  const entries = new Set<string>();
  const facts = new Set<string>();
  let sizeBytes = 0;
  files.forEach((file, index) => {
    const at = `${path}/${index}/path`;
    if (file.kind === 'times' || file.kind === 'owner') {
      if (!entries.has(file.path)) report.add(at, 'a path laid before', file.path);
      const told = `${file.kind} ${file.path}`;
      if (facts.has(told)) report.add(at, `one ${file.kind} of a path`, file.path);
      facts.add(told);
      return;
    }
    if (facts.size > 0) report.add(at, 'times and owners last', file.path);
    entries.add(file.path);
    if (!isWritable(file.path)) report.add(at, 'a path in a writable place', file.path);
    else if (laid.has(file.path)) report.add(at, 'a path of its own', file.path);
    else if (!laid.has(file.path.slice(0, file.path.lastIndexOf('/')))) {
      report.add(at, 'a parent laid before', file.path);
    }
    if (file.kind === 'directory') laid.add(file.path);
    if (file.kind === 'file') sizeBytes += Buffer.byteLength(file.contentBase64, 'base64');
  });
  if (sizeBytes > FILE_BYTES_LIMIT) report.add(path, `at most ${FILE_BYTES_LIMIT} bytes`, sizeBytes);
}

/** Every step and case that a statement speaks of exists, so that a typing mistake is no `error` at run time. */
function checkExpectation(expectation: Expectation, own: CompiledCase, path: string, context: Context): void {
  const { report } = context;
  switch (expectation.kind) {
    case 'all':
    case 'any':
      expectation.of.forEach((one, index) => {
        checkExpectation(one, own, `${path}/of/${index}`, context);
      });
      return;
    case 'not':
      checkExpectation(expectation.of, own, `${path}/of`, context);
      return;
    case 'classified':
      findCase(expectation.caseId, own, `${path}/caseId`, context);
      return;
    case 'termination':
      checkStep({ caseId: expectation.caseId, step: expectation.step }, own, path, context);
      return;
    case 'duration':
    case 'exit-lag':
    case 'ended-after-signal':
    case 'action-absent':
      checkStep({ caseId: null, step: expectation.step }, own, path, context);
      return;
    case 'streams-equal':
      checkStep(expectation.left, own, `${path}/left`, context);
      checkStep(expectation.right, own, `${path}/right`, context);
      return;
    case 'file-not-longer':
      checkStep(expectation.than, own, `${path}/than`, context);
      return;
    case 'path-changed':
    case 'path-absent':
    case 'file-is':
    case 'control-undone': {
      const { control } = expectation;
      const looked =
        expectation.kind === 'control-undone' ? [...own.controls, ...own.references] : own.controls;
      if (control !== null && !looked.some(({ step }) => step === control)) {
        report.add(`${path}/control`, 'a control of the case', control);
      }
      return;
    }
    case 'no-leftovers':
    case 'no-oom-kill':
    case 'no-files-created':
    case 'files-unchanged':
    case 'no-canaries':
      return;
    default:
      checkStep(expectation.of, own, `${path}/of`, context);
  }
}

function checkStep(
  reference: Pick<StreamReference, 'caseId' | 'step'>,
  own: CompiledCase,
  path: string,
  context: Context,
): void {
  const found = findCase(reference.caseId, own, `${path}/caseId`, context);
  if (found !== null && !found.steps.some((one) => one.name === reference.step)) {
    context.report.add(`${path}/step`, `a step of ${found.id}`, reference.step);
  }
}

function findCase(
  caseId: string | null,
  own: CompiledCase,
  path: string,
  context: Context,
): CompiledCase | null {
  const found = caseId === null ? own : (context.all.get(caseId) ?? null);
  if (found === null) context.report.add(path, 'a case of the suite', caseId);
  return found;
}
