import { isMap, type Node } from 'yaml';
import type { CompiledStep, CompiledVolatile } from '../compiled.ts';
import { isPattern } from '../evaluate/patterns.ts';
import { FOREIGN_CWD } from '../layout.ts';
import type { Context } from './context.ts';
import { KEYS, WORDS } from './keys.ts';
import { type Fields, pickOne, readFields, readList, readPath, readText, readWord } from './read.ts';
import { suggest } from './suggest.ts';

const WHAT = ['stdout', 'stderr', 'files'] as const;

export interface PlacedVolatile {
  readonly volatile: CompiledVolatile;
  readonly place: Node;
}

/** What of a case may differ between two runs of the very same thing, each with its reason. */
export function readVolatile(
  node: Node | undefined,
  steps: readonly CompiledStep[],
  context: Context,
): readonly PlacedVolatile[] {
  if (node === undefined) return [];
  return readList(node, context.problems, { min: 1 }).flatMap((item) => {
    const fields = readFields(item, { keys: KEYS.volatile, required: ['why'] }, context.problems);
    const volatile = readOne(fields, steps, context);
    return volatile === null ? [] : [{ volatile, place: item }];
  });
}

function readOne(fields: Fields, steps: readonly CompiledStep[], context: Context): CompiledVolatile | null {
  const { problems } = context;
  const kind = pickOne(fields, WHAT, problems);
  const value = kind === null ? undefined : fields.get(kind);
  const why = readReason(fields, context);
  if (kind === null || value === undefined) return null;
  const step = fields.get('step');
  if (kind === 'files') {
    if (step !== undefined) {
      problems.add(step, 'KEY_CONFLICT', { expected: 'no step beside files', actual: 'one' });
    }
    return { kind, path: readPath(value, FOREIGN_CWD, problems), why };
  }
  const pattern = readMatching(value, context);
  return { kind: 'stream', step: readStep(fields, steps, context), stream: kind, pattern, why };
}

function readReason(fields: Fields, { problems }: Context): string {
  const node = fields.get('why');
  const why = node === undefined ? '' : readText(node, problems);
  if (node !== undefined && why.trim() === '') {
    problems.add(node, 'REASON_MISSING', { expected: 'why it may differ', actual: 'nothing' });
  }
  return why;
}

/** `all`, which is null, or what matches a pattern. */
function readMatching(node: Node, { problems }: Context): string | null {
  if (!isMap(node)) {
    readWord(node, WORDS.volatile, problems);
    return null;
  }
  const fields = readFields(node, { keys: KEYS.volatileStream, required: KEYS.volatileStream }, problems);
  const matching = fields.get('matching');
  const pattern = matching === undefined ? '' : readText(matching, problems);
  if (matching !== undefined && (pattern === '' || !isPattern(pattern))) {
    problems.add(matching, 'PATTERN_WRONG', { expected: 'an RE2 pattern', actual: pattern });
  }
  return pattern;
}

function readStep(fields: Fields, steps: readonly CompiledStep[], { problems }: Context): string {
  const names = steps.map(({ name }) => name);
  const node = fields.get('step');
  const [only = ''] = names;
  if (node === undefined) {
    if (names.length > 1) {
      problems.add(fields.place, 'STEP_UNNAMED', {
        expected: 'a step, as there are several',
        actual: 'none',
      });
    }
    return only;
  }
  const step = readText(node, problems);
  if (!names.includes(step)) {
    const expected = `a step of this case: ${names.join(', ')}`;
    problems.add(node, 'STEP_UNKNOWN', { expected, actual: `${step}${suggest(step, names)}` });
  }
  return step;
}
