import { isMap, isScalar, type Node } from 'yaml';
import type { Context } from './context.ts';
import { readFilledText } from './placeholders.ts';
import { wrongType } from './read.ts';

/** One case of a matrix: what its id ends in, and the text that each axis has in it. */
export interface Variant {
  readonly suffix: string;
  readonly values: ReadonlyMap<string, string>;
}

/** The variant of a case without a matrix. */
const ALONE: Variant = { suffix: '', values: new Map() };

/** Cases that one may become; more are better written by a program. */
const VARIANTS_LIMIT = 256;

const NAME = { pattern: /^[a-z0-9][a-z0-9-]{0,39}$/, expected: 'a name of a-z, 0-9 and -' };

/** Every combination of the values of the axes, the last axis first; the names of the values make the ids. */
export function readMatrix(node: Node | undefined, context: Context): readonly Variant[] {
  if (node === undefined) return [ALONE];
  const { problems } = context;
  let variants: readonly Variant[] = [ALONE];
  for (const [axis, values] of readNamed(node, context)) {
    const texts = readNamed(values, context).map(
      ([name, value]) => [name, readFilledText(value, context)] as const,
    );
    variants = variants.flatMap((one) => texts.map(([name, text]) => extend(one, name, [axis, text])));
    if (variants.length > VARIANTS_LIMIT) {
      problems.add(node, 'VALUE_WRONG', { expected: `at most ${VARIANTS_LIMIT} cases`, actual: 'more' });
      return [ALONE];
    }
  }
  return variants.length === 0 ? [ALONE] : variants;
}

function extend(variant: Variant, name: string, entry: readonly [string, string]): Variant {
  return { suffix: `${variant.suffix}.${name}`, values: new Map([...variant.values, entry]) };
}

/** The members of a mapping that has at least one, each under a name of its own form. */
function readNamed(node: Node, { problems }: Context): readonly (readonly [string, Node])[] {
  if (!isMap<Node, Node | null>(node)) {
    wrongType(node, 'a mapping', problems);
    return [];
  }
  if (node.items.length === 0) {
    problems.add(node, 'LIST_EMPTY', { expected: 'at least one', actual: 'none' });
  }
  return node.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : '';
    if (!NAME.pattern.test(name)) problems.add(key, 'ID_WRONG', { expected: NAME.expected, actual: name });
    return [name, value ?? key] as const;
  });
}
