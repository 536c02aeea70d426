import {
  integer,
  list,
  literal,
  matching,
  named,
  number,
  object,
  type Shape,
  type Shaped,
  text,
} from './shape.ts';

/** Forms that more than one document has. */

/** Defined once in each schema that has it. */
export function shared<T>(name: string, shape: Shape<T>): Shape<T> {
  return named(name, () => shape);
}

export const count = shared('count', integer(0, Number.MAX_SAFE_INTEGER));
export const sha256 = shared('sha256', matching(/^[0-9a-f]{64}$/, 64));
export const sha512 = shared('sha512', matching(/^[0-9a-f]{128}$/, 128));
export const runId = shared('runId', matching(/^[a-z0-9][a-z0-9.-]{0,119}$/, 120));
/** An exact version, as npm and Node write it. */
export const version = shared('version', matching(/^[0-9A-Za-z.+~:-]{1,256}$/, 256));
export const nodeVersion = shared('nodeVersion', matching(/^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$/, 16));
/** RFC 3339 in UTC with milliseconds. */
export const time = shared(
  'time',
  matching(/^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z$/, 24),
);
export const day = shared('day', matching(/^[0-9]{4}-[01][0-9]-[0-3][0-9]$/, 10));
/** A year, in milliseconds: bounds what no run takes. */
export const duration = shared('duration', number(0, 366 * 86_400_000));
export const platform = shared('platform', literal('linux/amd64', 'linux/arm64'));

/** Characters of a sentence for people. */
const SENTENCE_CHARACTERS = 64 * 1024;
export const sentence = shared('sentence', text(SENTENCE_CHARACTERS));
export const sentences = list(sentence, 10_000);
/** The words and paths of a kernel or engine. */
export const word = shared('word', text(4096));
export const words = list(word, 100_000);
export const mode = shared('mode', matching(/^[0-7]{4}$/, 4));

const boundaryLimit = object({
  name: literal(
    'cpuMillis',
    'fileSizeBytes',
    'homeBytes',
    'memoryBytes',
    'openFiles',
    'pids',
    'tmpBytes',
    'workBytes',
  ),
  value: count,
});
/** Limits of a box that are tighter than those of the format version. */
export const boundaryLimits = shared('boundaryLimits', list(boundaryLimit, 8));
export type BoundaryLimit = Shaped<typeof boundaryLimit>;
