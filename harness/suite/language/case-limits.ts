import { isScalar, type Node } from 'yaml';
import { type BoundaryLimit, GRANTED_LIMITS } from '../../boundary/kind.ts';
import type { CompiledCase } from '../compiled.ts';
import { OUTPUT_BYTES_LEAST, OUTPUT_BYTES_LIMIT } from '../limits.ts';
import { describeRange, isTighter } from '../parse/limit-rules.ts';
import type { Context } from './context.ts';
import { KEYS } from './keys.ts';
import type { Problems } from './problems.ts';
import { describeNode, type Fields, readFields, readSize, wrongType } from './read.ts';

type Key = (typeof KEYS.limits)[number];

/** The limit of a box that each key sets; `output` is one of the runner's. */
const NAMES: Readonly<Record<Exclude<Key, 'output'>, BoundaryLimit['name']>> = {
  cpus: 'cpuMillis',
  fileSize: 'fileSizeBytes',
  home: 'homeBytes',
  memory: 'memoryBytes',
  openFiles: 'openFiles',
  pids: 'pids',
  tmp: 'tmpBytes',
  work: 'workBytes',
};
const COUNTED: readonly Key[] = ['openFiles', 'pids'];

/** The limits of a case, each of which makes its box tighter than every other. */
export function readLimits(
  node: Node | undefined,
  { problems }: Context,
): Pick<CompiledCase, 'limits' | 'outputBytes'> {
  if (node === undefined) return { limits: [], outputBytes: OUTPUT_BYTES_LIMIT };
  const fields = readFields(node, { keys: KEYS.limits }, problems);
  const limits = Object.entries(NAMES).flatMap(([key, name]): readonly BoundaryLimit[] => {
    const value = fields.get(key);
    return value === undefined ? [] : [{ name, value: readLimit(value, { key, name }, problems) }];
  });
  return {
    limits: limits.sort((one, other) => (one.name < other.name ? -1 : 1)),
    outputBytes: readOutput(fields, problems),
  };
}

function readLimit(
  node: Node,
  { key, name }: { readonly key: string; readonly name: BoundaryLimit['name'] },
  problems: Problems,
): number {
  const value = readValue(node, key, problems);
  if (value !== null && !isTighter({ name, value })) {
    const unit = name === 'cpuMillis' ? ' thousandths of a processor' : '';
    problems.add(node, 'LIMIT_WRONG', { expected: `${describeRange(name)}${unit}`, actual: String(value) });
  }
  return value ?? GRANTED_LIMITS[name];
}

/** Null after a problem of its type. */
function readValue(node: Node, key: string, problems: Problems): number | null {
  if (key === 'cpus') {
    if (isScalar(node) && typeof node.value === 'number') return Math.round(node.value * 1000);
    wrongType(node, 'a number of processors such as 0.5', problems);
    return null;
  }
  if (COUNTED.some((one) => one === key)) {
    if (isScalar(node) && typeof node.value === 'number' && Number.isSafeInteger(node.value))
      return node.value;
    wrongType(node, 'a whole number', problems);
    return null;
  }
  return readSize(node, problems);
}

function readOutput(fields: Fields, problems: Problems): number {
  const node = fields.get('output');
  if (node === undefined) return OUTPUT_BYTES_LIMIT;
  const value = readSize(node, problems);
  if (value < OUTPUT_BYTES_LEAST || value >= OUTPUT_BYTES_LIMIT) {
    const expected = `${OUTPUT_BYTES_LEAST} to less than ${OUTPUT_BYTES_LIMIT}`;
    problems.add(node, 'LIMIT_WRONG', { expected, actual: describeNode(node) });
  }
  return value;
}
