import { isMap, type Node } from 'yaml';
import type { BinClass, Expectation, StreamReference, TerminationPattern } from '../compiled.ts';
import { FOREIGN_CWD, OUTPUT_DIRECTORY } from '../layout.ts';
import { TIME_LIMIT_MS } from '../limits.ts';
import type { Context } from './context.ts';
import { FILE_STATEMENTS, readFileIs, readFilesStatements } from './file-statements.ts';
import { KEYS, WORDS } from './keys.ts';
import {
  describeNode,
  type Fields,
  pickOne,
  readDuration,
  readFields,
  readInteger,
  readList,
  readOneOrMore,
  readPath,
  readText,
  readWord,
} from './read.ts';
import type { ReferenceScope } from './references.ts';
import { readSignalName } from './steps.ts';
import { readStreamStatements, type Statement } from './streams.ts';
import { suggest } from './suggest.ts';

/** What a check may speak of: the steps of its own case, and the cases of the suite with theirs. */
export interface Scope extends ReferenceScope {
  readonly steps: readonly string[];
  /** Those of the steps that are controls. */
  readonly controls: readonly string[];
  readonly cases: ReadonlyMap<string, readonly string[]>;
}

const STATEMENTS = KEYS.statement.filter((key) => key !== 'step');
type StatementKey = Exclude<(typeof KEYS.statement)[number], 'step'>;

/** What a check read from `fields` states, about which step, and by which of the keys. */
export interface Stated {
  readonly key: StatementKey;
  /** Null for what concerns the whole case. */
  readonly step: string | null;
  readonly statements: readonly Statement[];
}

/** Exactly one statement; null after a problem. */
export function readStated(fields: Fields, scope: Scope, context: Context): Stated | null {
  const key = pickOne(fields, STATEMENTS, context.problems);
  const node = key === null ? undefined : fields.get(key);
  if (key === null || node === undefined) return null;
  const control = isAboutFiles(key) ? readControlName(fields, scope, context) : null;
  const step = isAboutStep(key)
    ? readStepName(fields, scope, context)
    : (control ?? refuseStep(fields, key, context));
  const statements = readStatements({ key, node, step: step ?? '', control }, scope, context);
  return { key, step, statements };
}

/** A mapping with one statement, as one expectation. */
export function readExpectation(node: Node, scope: Scope, context: Context): Expectation {
  const stated = readStated(readFields(node, { keys: KEYS.statement }, context.problems), scope, context);
  const parts = stated?.statements.map(({ expect }) => expect) ?? [];
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : { kind: 'all', of: parts };
}

function isAboutStep(key: StatementKey): boolean {
  return ['termination', 'stdout', 'stderr', 'duration', 'exitLag', 'endedAfter', 'notNeeded'].includes(key);
}

function isAboutFiles(key: StatementKey): boolean {
  return key === 'file' || key === 'files';
}

/** The control after which files are looked at; null without a step: after the last one. */
function readControlName(fields: Fields, scope: Scope, { problems }: Context): string | null {
  const node = fields.get('step');
  if (node === undefined) return null;
  const name = readText(node, problems);
  if (!scope.controls.includes(name)) {
    const controls = scope.controls.length === 0 ? '' : `: one of ${scope.controls.join(', ')}`;
    const expected = `a control${controls}, or no step for after the case`;
    problems.add(node, 'STEP_UNKNOWN', { expected, actual: `${name}${suggest(name, scope.controls)}` });
  }
  return name;
}

function refuseStep(fields: Fields, key: StatementKey, { problems }: Context): null {
  const step = fields.get('step');
  if (step !== undefined) {
    problems.add(step, 'KEY_CONFLICT', { expected: `no step with ${key}`, actual: 'one' });
  }
  return null;
}

interface Found {
  readonly key: StatementKey;
  readonly node: Node;
  readonly step: string;
  readonly control: string | null;
}

function readStatements(
  { key, node, step, control }: Found,
  scope: Scope,
  context: Context,
): readonly Statement[] {
  const { problems } = context;
  const one = (expect: Expectation, label = toLabel(key)): readonly Statement[] => [
    { label, expect, place: node },
  ];
  switch (key) {
    case 'termination':
      return one({ kind: 'termination', step, caseId: null, anyOf: readTerminations(node, context) });
    case 'stdout':
    case 'stderr': {
      const of: StreamReference = { caseId: null, step, stream: key };
      const readOther = (other: Node, keys: readonly string[]): StreamReference =>
        readStreamOf(other, keys, scope, context);
      return readStreamStatements(node, { of, readOther }, context);
    }
    case 'leftovers':
      return one(presence(readWord(node, WORDS.presence, problems), { kind: 'no-leftovers' }));
    case 'oomKill':
      return one(presence(readWord(node, WORDS.presence, problems), { kind: 'no-oom-kill' }));
    case 'noFilesCreated':
      return one(readNoFilesCreated(node, context));
    case 'files':
      return readFilesStatements(node, control, context);
    case 'duration':
      return one(readDurationBounds(node, step, context));
    case 'file':
      return one(readFileStatement(node, { scope, control }, context));
    case 'exitLag':
      return one({ kind: 'exit-lag', step, maxMs: readDuration(node, TIME_LIMIT_MS, problems) });
    case 'endedAfter':
      return one(readEndedAfter(node, step, context));
    case 'notNeeded': {
      const detail = readSignalName(node, context);
      return one({ kind: 'action-absent', step, action: 'signal', detail });
    }
    case 'classified':
      return one(readClassified(node, scope, context));
    case 'allOf':
    case 'anyOf': {
      const of = readList(node, problems, { min: 1 }).map((item) => readExpectation(item, scope, context));
      return one({ kind: key === 'allOf' ? 'all' : 'any', of });
    }
    case 'not':
      return one({ kind: 'not', of: readExpectation(node, scope, context) });
  }
}

function toLabel(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function presence(word: (typeof WORDS.presence)[number], none: Expectation): Expectation {
  if (word === 'none') return none;
  // `any` is always true and needs a reason of its own; the check says that nothing was asked.
  return word === 'some' ? { kind: 'not', of: none } : { kind: 'all', of: [] };
}

function readTerminations(node: Node, context: Context): readonly TerminationPattern[] {
  return readOneOrMore(node, context.problems).map((item) => readTermination(item, context));
}

function readTermination(node: Node, context: Context): TerminationPattern {
  const { problems } = context;
  if (!isMap(node)) return { kind: readWord(node, WORDS.termination, problems) };
  const fields = readFields(node, { keys: KEYS.termination }, problems);
  const key = pickOne(fields, KEYS.termination, problems);
  const value = key === null ? undefined : fields.get(key);
  if (value === undefined) return { kind: 'exited', codes: [0] };
  const word = wordOf(value);
  if (key === 'signaled') {
    if (word === 'any') return { kind: 'signaled', signals: 'any' };
    return {
      kind: 'signaled',
      signals: readOneOrMore(value, problems).map((item) => readSignalName(item, context)),
    };
  }
  if (word !== null)
    return { kind: 'exited', codes: readWord<'any' | 'nonzero'>(value, ['any', 'nonzero'], problems) };
  const codes = readOneOrMore(value, problems).map((item) =>
    readInteger(item, { min: 0, max: 255 }, problems),
  );
  return { kind: 'exited', codes };
}

function wordOf(node: Node): string | null {
  const value: unknown = 'value' in node ? node.value : null;
  return typeof value === 'string' ? value : null;
}

function readNoFilesCreated(node: Node, { problems }: Context): Expectation {
  const fields = readFields(node, { keys: KEYS.noFilesCreated, required: ['below'] }, problems);
  const paths = (key: string): readonly string[] => {
    const found = fields.get(key);
    if (found === undefined) return [];
    return readOneOrMore(found, problems).map((item) => readPath(item, FOREIGN_CWD, problems));
  };
  return { kind: 'no-files-created', below: paths('below'), except: paths('except') };
}

const CONTENT_STATEMENTS = ['sameAs', 'notLongerThan', ...FILE_STATEMENTS] as const;

function readFileStatement(
  node: Node,
  { scope, control }: { readonly scope: Scope; readonly control: string | null },
  context: Context,
): Expectation {
  const fields = readFields(node, { keys: KEYS.fileStatement, required: ['path'] }, context.problems);
  const pathNode = fields.get('path');
  const path = pathNode === undefined ? '/' : readPath(pathNode, OUTPUT_DIRECTORY, context.problems);
  const key = pickOne(fields, CONTENT_STATEMENTS, context.problems);
  const value = key === null ? undefined : fields.get(key);
  if (key !== 'sameAs' && key !== 'notLongerThan' && key !== null && value !== undefined) {
    return readFileIs({ key, value, path, mode: fields.get('mode'), control }, context);
  }
  if (key !== null && control !== null) {
    const expected = `no step with ${key}: it looks at what is there after the last`;
    context.problems.add(fields.place, 'KEY_CONFLICT', { expected, actual: 'one' });
  }
  const mode = fields.get('mode');
  if (mode !== undefined && key !== null) {
    context.problems.add(mode, 'KEY_CONFLICT', { expected: `no mode with ${key}`, actual: 'one' });
  }
  const none: StreamReference = { caseId: null, step: '', stream: 'stdout' };
  const of = value === undefined ? none : readStreamOf(value, KEYS.streamOf, scope, context);
  return key === 'notLongerThan'
    ? { kind: 'file-not-longer', path, than: of }
    : { kind: 'file-equals-stream', path, of };
}

/** `min`, `max` or both. */
function readDurationBounds(node: Node, step: string, { problems }: Context): Expectation {
  const fields = readFields(node, { keys: KEYS.duration }, problems);
  const read = (key: string): number | null => {
    const found = fields.get(key);
    return found === undefined ? null : readDuration(found, TIME_LIMIT_MS, problems);
  };
  const [minMs, maxMs] = [read('min'), read('max')];
  if (isMap(node) && (minMs ?? maxMs) === null) {
    problems.add(node, 'LIST_EMPTY', { expected: 'min, max or both', actual: 'none' });
  }
  if (minMs !== null && maxMs !== null && minMs > maxMs) {
    const actual = `${minMs}ms and ${maxMs}ms`;
    problems.add(node, 'VALUE_WRONG', { expected: 'min not above max', actual });
  }
  return { kind: 'duration', step, minMs, maxMs };
}

function readEndedAfter(node: Node, step: string, context: Context): Expectation {
  const allowed = { keys: KEYS.endedAfter, required: KEYS.endedAfter };
  const fields = readFields(node, allowed, context.problems);
  const [signal, within] = [fields.get('signal'), fields.get('within')];
  return {
    kind: 'ended-after-signal',
    step,
    signal: signal === undefined ? 'SIGTERM' : readSignalName(signal, context),
    withinMs: within === undefined ? 0 : readDuration(within, TIME_LIMIT_MS, context.problems),
  };
}

function readClassified(node: Node, scope: Scope, context: Context): Expectation {
  const fields = readFields(node, { keys: KEYS.classified, required: ['classes'] }, context.problems);
  const classes = fields.get('classes');
  return {
    kind: 'classified',
    caseId: readCaseId(fields, scope, context),
    classes: classes === undefined ? [] : readClasses(classes, context),
  };
}

export function readClasses(node: Node, { problems }: Context): readonly BinClass[] {
  return readOneOrMore(node, problems).map((item) => readWord(item, WORDS.classes, problems));
}

function readStreamOf(node: Node, keys: readonly string[], scope: Scope, context: Context): StreamReference {
  const fields = readFields(node, { keys }, context.problems);
  const caseId = readCaseId(fields, scope, context);
  const steps = caseId === null ? scope.steps : (scope.cases.get(caseId) ?? []);
  const stream = fields.get('stream');
  return {
    caseId,
    step: isMap(node) ? readStepName(fields, { ...scope, steps }, context) : '',
    stream: stream === undefined ? 'stdout' : readWord(stream, WORDS.stream, context.problems),
  };
}

/** The case that is named, or null for the check's own. */
function readCaseId(fields: Fields, scope: Scope, { problems }: Context): string | null {
  const node = fields.get('case');
  if (node === undefined) return null;
  const id = readText(node, problems);
  if (!scope.cases.has(id)) {
    const actual = `${describeNode(node)}${suggest(id, [...scope.cases.keys()])}`;
    problems.add(node, 'CASE_UNKNOWN', { expected: 'the id of a case of this suite', actual });
  }
  return id === scope.caseId ? null : id;
}

/** The step that is named, or the only one. */
function readStepName(fields: Fields, scope: Scope, { problems }: Context): string {
  const node = fields.get('step');
  const known = scope.steps;
  if (node === undefined) {
    const [only] = known;
    if (only !== undefined && known.length === 1) return only;
    if (known.length > 0) {
      const expected = `a step: one of ${known.join(', ')}`;
      problems.add(fields.place, 'STEP_UNNAMED', { expected, actual: 'none' });
    }
    return '';
  }
  const name = readText(node, problems);
  // No step is known of a case that is unknown itself, and was told.
  if (known.length > 0 && !known.includes(name)) {
    const expected = `one of ${known.join(', ')}`;
    problems.add(node, 'STEP_UNKNOWN', { expected, actual: `${name}${suggest(name, known)}` });
  }
  return name;
}

/** Whether a statement is the word that lets everything pass. */
export function saysAny(stated: Stated): boolean {
  return stated.statements.some(
    ({ label, expect }) =>
      label === 'stderr.any' || label === 'stdout.any' || (expect.kind === 'all' && expect.of.length === 0),
  );
}
