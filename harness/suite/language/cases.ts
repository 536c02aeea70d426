import { isScalar, type Node } from 'yaml';
import { BOUNDARY_KINDS_LIMIT, nameKind } from '../../boundary/kind.ts';
import type { CompiledCase, CompiledStep } from '../compiled.ts';
import { CANARY_LEAST } from '../limits.ts';
import { readLimits } from './case-limits.ts';
import { readChecks } from './checks.ts';
import type { Context } from './context.ts';
import { toControl, type WrittenControl } from './controls.ts';
import { readFiles, withFolders } from './files.ts';
import { layOver, readFixture } from './fixture.ts';
import { KEYS, WORDS } from './keys.ts';
import { DEFAULT_SETTLE_MS } from './limits.ts';
import { readMatrix } from './matrix.ts';
import { readNode } from './node-ranges.ts';
import { readFilledText, readSentences } from './placeholders.ts';
import type { Places } from './places.ts';
import {
  addOnce,
  type Fields,
  ID,
  readBoolean,
  readDuration,
  readFields,
  readFormed,
  readList,
  readText,
  readWord,
} from './read.ts';
import { toReference, type WrittenReference } from './references.ts';
import { readClasses, type Scope } from './statements.ts';
import { readSteps } from './steps.ts';
import { suggest } from './suggest.ts';
import { readVolatile } from './volatile.ts';

const TAG = { pattern: /^[a-z0-9.-]{1,120}$/, expected: 'a tag of a-z, 0-9, dot and -' };
const MOST_SETTLE_MS = 60_000;

interface OpenCase {
  readonly fields: Fields;
  readonly place: Node;
  readonly id: string;
  readonly steps: readonly CompiledStep[];
  readonly controls: readonly WrittenControl[];
  readonly references: readonly WrittenReference[];
  /** With the values of the matrix that this case has. */
  readonly context: Context;
}

/** First the ids and steps of all cases, because checks may speak of any of them; then everything else. */
export function readCases(node: Node, places: Places, context: Context): readonly CompiledCase[] {
  const seen = new Set<string>();
  const open = readList(node, context.problems, { min: 1 }).flatMap((item) => openCases(item, seen, context));
  const cases = new Map(open.map(({ id, steps }) => [id, steps.map(({ name }) => name)]));
  const allReferences = new Map(open.map(({ id, references }) => [id, references.map(({ step }) => step)]));
  const earlier = new Set<string>();
  const kinds = new Set<string>();
  return open.map((one, index) => {
    const controls = one.controls.map(({ step }) => step);
    const references = one.references.map(({ step }) => step);
    const steps = one.steps.map(({ name }) => name);
    const scope = { caseId: one.id, steps, controls, references, allReferences, cases };
    const compiled = readCase(one, { scope, earlier, places, path: `/cases/${index}` }, one.context);
    earlier.add(one.id);
    kinds.add(nameKind(compiled));
    if (kinds.size === BOUNDARY_KINDS_LIMIT + 1) {
      const expected = `at most ${BOUNDARY_KINDS_LIMIT} different settings of exec and limits`;
      context.problems.add(one.place, 'LIMITS_TOO_MANY', { expected, actual: nameKind(compiled) });
    }
    return compiled;
  });
}

/** One case, or of a case with a matrix one for each combination. */
function openCases(place: Node, seen: Set<string>, context: Context): readonly OpenCase[] {
  const { problems } = context;
  const fields = readFields(place, { keys: KEYS.case, required: ['id', 'why', 'steps'] }, problems);
  const idNode = fields.get('id');
  const written = idNode === undefined ? '' : readFormed(idNode, ID, problems);
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
  const laid = [...one.controls.flatMap(({ lay }) => lay), ...one.references.flatMap(({ reset }) => reset)];
  const fixture = readFixture(fields.get('fixture'), context);
  const named = layOver(fixture, readFiles(fields.get('files'), context));
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
  const volatile = readVolatile(fields.get('volatile'), steps, context);
  const { places, path } = around;
  places.set(path, place);
  for (const [index, item] of files.entries()) places.set(`${path}/files/${index}`, item.place);
  for (const [index, item] of volatile.entries()) places.set(`${path}/volatile/${index}`, item.place);
  for (const [index, item] of checks.entries()) places.set(`${path}/checks/${index}`, item.place);
  return {
    id: one.id,
    why: whyText,
    proves: readSentences(fields.get('proves'), context),
    doesNotProve: readSentences(fields.get('doesNotProve'), context),
    tags: tags === undefined ? [] : readList(tags, problems).map((tag) => readFormed(tag, TAG, problems)),
    requires: readRequires(fields.get('requires'), around, context),
    node: readNode(node, problems),
    exec: exec !== undefined && readBoolean(exec, problems),
    ...readLimits(fields.get('limits'), context),
    settleMs: settle === undefined ? DEFAULT_SETTLE_MS : readDuration(settle, MOST_SETTLE_MS, problems),
    files: files.map((item) => item.file),
    steps,
    controls: one.controls.map((control) =>
      toControl(
        control,
        files.map(({ file }) => file),
      ),
    ),
    references: one.references.map(toReference),
    checks: checks.map((item) => item.check),
    volatile: volatile.map((item) => item.volatile),
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
