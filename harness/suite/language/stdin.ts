import { isMap, isScalar, type Node } from 'yaml';
import type { DialogueExchange, StdinPlan } from '../compiled.ts';
import { TIME_LIMIT_MS } from '../limits.ts';
import { CONTENT_KEYS, readContent } from './content.ts';
import type { Context } from './context.ts';
import { KEYS, WORDS } from './keys.ts';
import { DEFAULT_ANSWER_MS, DEFAULT_LADDER } from './limits.ts';
import { fill, readFilledText } from './placeholders.ts';
import {
  type Fields,
  pickOne,
  readBoolean,
  readDuration,
  readFields,
  readList,
  readSize,
  readWord,
  wrongType,
} from './read.ts';

/** Keys that say what is given; the other keys of the plan say how it ends. */
const PLANS = [...CONTENT_KEYS, 'fill', 'dialogue'] as const;
const LADDER_KEYS = ['afterEof', 'afterTerm'] as const;

/** What a step gets on its standard input; closed unless said otherwise. */
export function readStdin(node: Node | undefined, context: Context): StdinPlan {
  const { problems } = context;
  if (node === undefined) return { kind: 'closed' };
  if (!isMap(node)) return { kind: readWord(node, WORDS.stdin, problems) };
  const fields = readFields(node, { keys: KEYS.stdin }, problems);
  const plan = pickOne(fields, PLANS, problems);
  const what = plan === null ? undefined : fields.get(plan);
  if (plan === null || what === undefined) return { kind: 'closed' };
  refuseOthers(fields, plan === 'dialogue' ? ['thenClose'] : LADDER_KEYS, plan, context);
  if (plan === 'dialogue') return readDialogue(fields, what, context);
  const closing = fields.get('thenClose');
  const thenClose = closing === undefined || readBoolean(closing, problems);
  if (plan === 'fill') return { kind: 'fill', sizeBytes: readSize(what, problems), thenClose };
  return { kind: 'bytes', contentBase64: readContent(fields, context), thenClose };
}

function refuseOthers(fields: Fields, keys: readonly string[], plan: string, { problems }: Context): void {
  for (const key of keys) {
    const node = fields.get(key);
    if (node !== undefined) {
      problems.add(node, 'KEY_CONFLICT', { expected: `no ${key} with ${plan}`, actual: 'one' });
    }
  }
}

function readDialogue(fields: Fields, node: Node, context: Context): StdinPlan {
  const wait = (key: string, fallback: number): number => {
    const found = fields.get(key);
    return found === undefined ? fallback : readDuration(found, TIME_LIMIT_MS, context.problems);
  };
  return {
    kind: 'dialogue',
    exchanges: readList(node, context.problems, { min: 1 }).map((item) => readExchange(item, context)),
    ladder: {
      afterEofMs: wait('afterEof', DEFAULT_LADDER.afterEofMs),
      afterTermMs: wait('afterTerm', DEFAULT_LADDER.afterTermMs),
    },
  };
}

function readExchange(node: Node, context: Context): DialogueExchange {
  const fields = readFields(node, { keys: KEYS.exchange, required: ['send'] }, context.problems);
  const send = fields.get('send');
  const answer = fields.get('answer');
  const wait = fields.get('wait');
  const sent = send === undefined ? { line: '', id: null } : readSent(send, context);
  return {
    line: sent.line,
    answerId: answer === undefined ? sent.id : readRequestId(answer, context),
    waitMs: wait === undefined ? DEFAULT_ANSWER_MS : readDuration(wait, TIME_LIMIT_MS, context.problems),
  };
}

/** A line as it is, or a mapping that becomes one line of JSON; the id of a request is what is waited for. */
function readSent(
  node: Node,
  context: Context,
): { readonly line: string; readonly id: string | number | null } {
  if (!isMap(node)) {
    const line = readFilledText(node, context);
    if (/[\r\n]/.test(line)) {
      context.problems.add(node, 'VALUE_WRONG', { expected: 'one line', actual: line });
    }
    return { line, id: null };
  }
  const line = fill(node, JSON.stringify(node.toJSON()), context, (fact) =>
    JSON.stringify(fact).slice(1, -1),
  );
  const id = node.has('method') ? node.get('id') : null;
  return { line, id: typeof id === 'string' || typeof id === 'number' ? id : null };
}

/** A whole number or a text, as JSON-RPC has it. */
export function readRequestId(node: Node, context: Context): string | number {
  const value = isScalar(node) ? node.value : null;
  if (typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  wrongType(node, 'a whole number or a text', context.problems);
  return 0;
}
