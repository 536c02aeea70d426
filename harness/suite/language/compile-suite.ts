import { isScalar, type Node } from 'yaml';
import type { CompiledCase, CompiledStep, CompiledSuite } from '../compiled.ts';
import { SuiteError } from '../errors.ts';
import type { CandidateFacts } from '../facts.ts';
import { CANARY_LEAST } from '../limits.ts';
import { parseCompiledSuite } from '../parse/parse-suite.ts';
import { readChecks } from './checks.ts';
import type { Context, ReadBeside } from './context.ts';
import { toControl, type WrittenControl } from './controls.ts';
import { readExceptions, refuseExceptions } from './exceptions.ts';
import { readFiles, withFolders } from './files.ts';
import { KEYS, WORDS } from './keys.ts';
import { DEFAULT_SETTLE_MS } from './limits.ts';
import { readMatrix } from './matrix.ts';
import { readFilledText } from './placeholders.ts';
import type { Places } from './places.ts';
import { Problems } from './problems.ts';
import {
  addOnce,
  type Fields,
  readBoolean,
  readDuration,
  readFields,
  readFormed,
  readInteger,
  readList,
  readOneOrMore,
  readText,
  readWord,
} from './read.ts';
import { readSource } from './source.ts';
import { readClasses, type Scope } from './statements.ts';
import { readSteps } from './steps.ts';
import { suggest } from './suggest.ts';

export interface SuiteSurroundings {
  /** The name of the file, for messages. */
  readonly file: string;
  readonly candidateFacts: CandidateFacts;
  /** Without it a suite that names files beside it is refused. */
  readonly readBeside?: ReadBeside;
}

const NOTHING_BESIDE: ReadBeside = () => ({ bytes: null, reason: 'no folder to read from' });
const CASE_ID = { pattern: /^[a-z0-9][a-z0-9._-]{0,119}$/, expected: 'an id like [a-z0-9][a-z0-9._-]*' };
const TAG = { pattern: /^[a-z0-9.-]{1,120}$/, expected: 'a tag of a-z, 0-9, dot and -' };
const MOST_SETTLE_MS = 60_000;

/**
 * Compiles a suite file for one candidate. Pure but for `readBeside`: the same bytes, candidate and files
 * beside it give the same suite. docs/suite-language.md describes the language.
 *
 * @throws {SuiteTextError} with every wrong place of the file; its code is that of the first
 */
export function compileSuite(bytes: Uint8Array, surroundings: SuiteSurroundings): CompiledSuite {
  return compile(bytes, surroundings, surroundings.candidateFacts).suite;
}

/**
 * Refuses a suite file that is wrong for every candidate, before there is one.
 *
 * @throws {SuiteTextError} as `compileSuite`, but for what the candidate decides
 */
export function checkSuiteFile(
  bytes: Uint8Array,
  surroundings: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
): void {
  compile(bytes, surroundings, null);
}

/** A check of a written suite, and the offset in its text of the value that states it. */
export interface LocatedCheck {
  readonly caseId: string;
  readonly checkId: string;
  readonly offset: number;
}

/**
 * Where the checks of a suite file stand. A default check stands where its case does; all cases of a matrix
 * stand at the same places.
 *
 * @throws {SuiteTextError} as `checkSuiteFile`
 */
export function locateChecks(
  bytes: Uint8Array,
  surroundings: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
): readonly LocatedCheck[] {
  const { suite, places } = compile(bytes, surroundings, null);
  return suite.cases.flatMap(({ id, checks }, index) =>
    checks.flatMap((check, at): readonly LocatedCheck[] => {
      const range = places.get(`/cases/${index}/checks/${at}`)?.range;
      return range == null ? [] : [{ caseId: id, checkId: check.id, offset: range[0] }];
    }),
  );
}

function compile(
  bytes: Uint8Array,
  { file, readBeside = NOTHING_BESIDE }: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
  facts: CandidateFacts | null,
): { readonly suite: CompiledSuite; readonly places: Places } {
  const problems = new Problems(file);
  const root = readSource(bytes, problems);
  const places: Places = new Map([['', root]]);
  const suite = readSuite(root, places, { problems, facts, readBeside, matrix: new Map() });
  refuseExceptions(suite, places, problems);
  problems.refuse();
  return { suite: acceptCompiled(suite, places, problems), places };
}

const REQUIRED = ['formatVersion', 'id', 'title', 'proves', 'doesNotProve', 'cases'] as const;

function readSuite(root: Node, places: Places, context: Context): CompiledSuite {
  const { problems } = context;
  const fields = readFields(root, { keys: KEYS.suite, required: REQUIRED }, problems);
  const version = fields.get('formatVersion');
  if (version !== undefined && readInteger(version, { min: 0, max: 999 }, problems) !== 1) {
    problems.add(version, 'SUITE_VERSION_UNSUPPORTED', { expected: '1', actual: 'another' });
  }
  const id = fields.get('id');
  const title = fields.get('title');
  const casesNode = fields.get('cases');
  return {
    formatVersion: 1,
    id: id === undefined ? '' : readFormed(id, CASE_ID, problems),
    title: title === undefined ? '' : readFilledText(title, context),
    proves: readSentences(fields.get('proves'), context),
    doesNotProve: readSentences(fields.get('doesNotProve'), context),
    cases: casesNode === undefined ? [] : readCases(casesNode, places, context),
    exclusions: readExceptions('exclusions', fields, places, problems),
    expectedUnsupported: readExceptions('expectedUnsupported', fields, places, problems),
  };
}

function readSentences(node: Node | undefined, context: Context): readonly string[] {
  if (node === undefined) return [];
  return readOneOrMore(node, context.problems).map((item) => readFilledText(item, context));
}

interface OpenCase {
  readonly fields: Fields;
  readonly place: Node;
  readonly id: string;
  readonly steps: readonly CompiledStep[];
  readonly controls: readonly WrittenControl[];
  /** With the values of the matrix that this case has. */
  readonly context: Context;
}

/** First the ids and steps of all cases, because checks may speak of any of them; then everything else. */
function readCases(node: Node, places: Places, context: Context): readonly CompiledCase[] {
  const seen = new Set<string>();
  const open = readList(node, context.problems, { min: 1 }).flatMap((item) => openCases(item, seen, context));
  const cases = new Map(open.map(({ id, steps }) => [id, steps.map(({ name }) => name)]));
  const earlier = new Set<string>();
  return open.map((one, index) => {
    const controls = one.controls.map(({ step }) => step);
    const scope = { caseId: one.id, steps: one.steps.map(({ name }) => name), controls, cases };
    const compiled = readCase(one, { scope, earlier, places, path: `/cases/${index}` }, one.context);
    earlier.add(one.id);
    return compiled;
  });
}

/** One case, or of a case with a matrix one for each combination. */
function openCases(place: Node, seen: Set<string>, context: Context): readonly OpenCase[] {
  const { problems } = context;
  const fields = readFields(place, { keys: KEYS.case, required: ['id', 'why', 'steps'] }, problems);
  const idNode = fields.get('id');
  const written = idNode === undefined ? '' : readFormed(idNode, CASE_ID, problems);
  return readMatrix(fields.get('matrix'), context).map(({ suffix, values }) => {
    const id = `${written}${suffix}`;
    if (idNode !== undefined) addOnce(id, seen, idNode, problems);
    const own = { ...context, matrix: values };
    return { fields, place, id, ...readSteps(fields.get('steps'), own), context: own };
  });
}

interface CaseSurroundings {
  readonly scope: Scope;
  readonly earlier: ReadonlySet<string>;
  readonly places: Places;
  readonly path: string;
}

function readCase(one: OpenCase, around: CaseSurroundings, context: Context): CompiledCase {
  const { problems } = context;
  const { fields, place, steps } = one;
  const [why, severity, node] = [fields.get('why'), fields.get('severity'), fields.get('node')];
  const [exec, settle, tags] = [fields.get('exec'), fields.get('settle'), fields.get('tags')];
  const laid = one.controls.flatMap(({ lay }) => lay);
  const named = readFiles(fields.get('files'), context);
  const files = withFolders(named, { steps, laid, place });
  const whyText = why === undefined ? '' : readText(why, problems);
  const checks = readChecks(
    fields.get('checks'),
    {
      why: whyText,
      severity: severity === undefined ? 'gate' : readWord(severity, WORDS.severity, problems),
      steps,
      scope: around.scope,
      canaries: readCanaries(fields.get('canaries'), context),
      place,
    },
    context,
  );
  const { places, path } = around;
  places.set(path, place);
  for (const [index, item] of files.entries()) places.set(`${path}/files/${index}`, item.place);
  for (const [index, item] of checks.entries()) places.set(`${path}/checks/${index}`, item.place);
  return {
    id: one.id,
    why: whyText,
    tags: tags === undefined ? [] : readList(tags, problems).map((tag) => readFormed(tag, TAG, problems)),
    requires: readRequires(fields.get('requires'), around, context),
    node: node === undefined ? 'each' : readWord(node, WORDS.node, problems),
    exec: exec !== undefined && readBoolean(exec, problems),
    settleMs: settle === undefined ? DEFAULT_SETTLE_MS : readDuration(settle, MOST_SETTLE_MS, problems),
    files: files.map((item) => item.file),
    steps,
    controls: one.controls.map((control) =>
      toControl(
        control,
        files.map(({ file }) => file),
      ),
    ),
    checks: checks.map((item) => item.check),
  };
}

/** Texts that lie in what a case is given, and that nothing may repeat. */
function readCanaries(node: Node | undefined, context: Context): readonly string[] {
  if (node === undefined) return [];
  return readList(node, context.problems, { min: 1 }).map((item) => {
    const text = readFilledText(item, context);
    if (isScalar(item) && typeof item.value === 'string' && text.length < CANARY_LEAST) {
      const expected = `at least ${CANARY_LEAST} characters, which nothing has by accident`;
      context.problems.add(item, 'VALUE_WRONG', { expected, actual: text });
    }
    return text;
  });
}

function readRequires(
  node: Node | undefined,
  { earlier, scope }: CaseSurroundings,
  context: Context,
): CompiledCase['requires'] {
  if (node === undefined) return null;
  const { problems } = context;
  const fields = readFields(node, { keys: KEYS.requires, required: KEYS.requires }, problems);
  const [caseNode, classes] = [fields.get('case'), fields.get('classes')];
  const classification = caseNode === undefined ? '' : readText(caseNode, problems);
  if (caseNode !== undefined && !earlier.has(classification)) {
    const isLater = scope.cases.has(classification);
    const actual = `${classification}${suggest(classification, [...earlier])}`;
    const code = isLater ? 'CASE_NOT_EARLIER' : 'CASE_UNKNOWN';
    problems.add(caseNode, code, { expected: 'the id of an earlier case', actual });
  }
  return { classification, classes: classes === undefined ? [] : readClasses(classes, context) };
}

/** The compiled form has the last word; what it refuses is shown at the nearest place of the file. */
function acceptCompiled(suite: CompiledSuite, places: Places, problems: Problems): CompiledSuite {
  try {
    return parseCompiledSuite(suite);
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    for (const { path, expected, actual } of error.problems) {
      problems.add(nearest(path, places), 'VALUE_WRONG', { expected: `${expected} (${path})`, actual });
    }
    problems.refuse();
    throw error;
  }
}

function nearest(path: string, places: Places): Node | number {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = places.get(at);
    if (found !== undefined) return found;
  }
  return places.get('') ?? 0;
}
