import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { CompiledStep, SignalPlan } from '../compiled.ts';
import { BASE_ENV, FOREIGN_CWD, OUTPUT_DIRECTORY } from '../layout.ts';
import { TIME_LIMIT_MS } from '../limits.ts';
import type { Context } from './context.ts';
import { readControl, type WrittenControl } from './controls.ts';
import { KEYS, WORDS } from './keys.ts';
import { DEFAULT_TIMEOUT_MS } from './limits.ts';
import { readFilledText } from './placeholders.ts';
import {
  addOnce,
  describeNode,
  type Fields,
  pickOne,
  readDuration,
  readFields,
  readFormed,
  readList,
  readPath,
  readSize,
  readWord,
  wrongType,
} from './read.ts';
import { contextOfStep, readReference, type WrittenReference } from './references.ts';
import { readStdin } from './stdin.ts';

const STEP_NAME = { pattern: /^[a-z0-9-]{1,120}$/, expected: 'a name of a-z, 0-9 and -' };
const SIGNAL = { pattern: /^SIG[A-Z0-9]{1,17}$/, expected: 'a signal such as SIGTERM' };
/** The name of a case's only step when it has none. */
const ONLY_STEP = 'run';

/** The steps of a case, in order; several must have names, because checks speak of them. */
export function readSteps(node: Node | undefined, context: Context): WrittenSteps {
  if (node === undefined) return { steps: [], controls: [], references: [] };
  const items = readList(node, context.problems, { min: 1 });
  const seen = new Set<string>();
  const controls: WrittenControl[] = [];
  const references: WrittenReference[] = [];
  const steps = items.map((item, index) => {
    const fields = readFields(item, { keys: KEYS.step, required: ['argv'] }, context.problems);
    const own = contextOfStep(fields, context);
    const step = readStep(fields, { only: items.length === 1, seen }, own);
    const before = controls.length + references.length;
    const reference = readReference(fields, { name: step.name, index, before }, own);
    if (reference !== null) references.push(reference);
    else {
      const place = { name: step.name, index, before: controls.length };
      const control = readControl(fields, place, context);
      if (control !== null) controls.push(control);
    }
    return step;
  });
  if (steps.length > 0 && controls.length + references.length === steps.length) {
    const what = references.length === 0 ? 'controls' : 'controls and references';
    const expected = `a step of the candidate after the ${what}`;
    context.problems.add(node, 'CONTROL_ALONE', { expected, actual: `${what} alone` });
  }
  return { steps, controls, references };
}

/** The steps of a case, and which of the first are controls and references. */
export interface WrittenSteps {
  readonly steps: readonly CompiledStep[];
  readonly controls: readonly WrittenControl[];
  readonly references: readonly WrittenReference[];
}

function readStep(
  fields: Fields,
  list: { readonly only: boolean; readonly seen: Set<string> },
  context: Context,
): CompiledStep {
  const { problems } = context;
  const node = fields.place;
  const nameNode = fields.get('name');
  if (nameNode === undefined && !list.only && isMap(node)) {
    problems.add(node, 'STEP_UNNAMED', { expected: 'a name for each of several steps', actual: 'none' });
  }
  const name = nameNode === undefined ? ONLY_STEP : readFormed(nameNode, STEP_NAME, problems);
  if (nameNode !== undefined) addOnce(name, list.seen, nameNode, problems);
  const cwd = fields.get('cwd');
  const timeout = fields.get('timeout');
  return {
    name,
    argv: readArgv(fields.get('argv'), context),
    env: readEnv(fields.get('env'), context),
    cwd: cwd === undefined ? FOREIGN_CWD : readPath(cwd, FOREIGN_CWD, problems),
    stdin: readStdin(fields.get('stdin'), context),
    stdout: readStdout(fields.get('stdout'), context),
    signals: readSignals(fields.get('signals'), context),
    timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : readTimeout(timeout, context),
  };
}

function readTimeout(node: Node, { problems }: Context): number {
  const timeoutMs = readDuration(node, TIME_LIMIT_MS, problems);
  if (timeoutMs === 0) problems.add(node, 'DURATION_WRONG', { expected: 'some time', actual: 'none' });
  return timeoutMs;
}

/** A list, never one text: what would split it is a shell, and there is none. */
function readArgv(node: Node | undefined, context: Context): readonly string[] {
  if (node === undefined) return [];
  if (!isSeq(node)) {
    const expected = 'a list of arguments, the program first; no shell splits a text';
    context.problems.add(node, 'ARGV_NOT_LIST', { expected, actual: describeNode(node) });
    return [];
  }
  return readList(node, context.problems, { min: 1 }).map((item) => readArgument(item, context));
}

function readArgument(node: Node, context: Context): string {
  const text = readFilledText(node, context);
  if (text.includes('\0')) {
    context.problems.add(node, 'VALUE_WRONG', { expected: 'a text without NUL', actual: text });
  }
  return text;
}

/** The documented base and what the step adds; null takes a variable away. Nothing is inherited. */
function readEnv(node: Node | undefined, context: Context): Readonly<Record<string, string>> {
  if (node === undefined) return BASE_ENV;
  const env = new Map(Object.entries(BASE_ENV));
  if (!isMap<Node, Node | null>(node)) {
    wrongType(node, 'a mapping', context.problems);
    return BASE_ENV;
  }
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      context.problems.add(key, 'ID_WRONG', { expected: 'a name of A-Z, a-z, 0-9 and _', actual: name });
    } else if (value === null || (isScalar(value) && value.value === null)) env.delete(name);
    else env.set(name, readArgument(value, context));
  }
  return Object.fromEntries(env);
}

function readStdout(node: Node | undefined, { problems }: Context): CompiledStep['stdout'] {
  if (node === undefined) return 'pipe';
  if (!isMap(node)) return readWord<'pipe'>(node, ['pipe'], problems);
  const fields = readFields(node, { keys: KEYS.stdoutPlan }, problems);
  const plan = pickOne(fields, KEYS.stdoutPlan, problems);
  const what = plan === null ? undefined : fields.get(plan);
  if (what === undefined) return 'pipe';
  return plan === 'file'
    ? { file: readPath(what, OUTPUT_DIRECTORY, problems) }
    : { closeAfterBytes: readSize(what, problems) };
}

function readSignals(node: Node | undefined, context: Context): readonly SignalPlan[] {
  if (node === undefined) return [];
  return readList(node, context.problems).map((item) => {
    const allowed = { keys: KEYS.signal, required: ['signal'] };
    return readSignal(readFields(item, allowed, context.problems), context);
  });
}

function readSignal(fields: Fields, context: Context): SignalPlan {
  const after = fields.get('after');
  const delay = fields.get('delay');
  const signal = fields.get('signal');
  return {
    signal: signal === undefined ? 'SIGTERM' : readSignalName(signal, context),
    after: after === undefined ? 'first-output' : readWord(after, WORDS.after, context.problems),
    delayMs: delay === undefined ? 0 : readDuration(delay, TIME_LIMIT_MS, context.problems),
  };
}

export function readSignalName(node: Node, { problems }: Context): string {
  return readFormed(node, SIGNAL, problems);
}
