import { createHash } from 'node:crypto';

/** Items in an order that a seed decides: the same seed and names, the same order on every machine. */
export function shuffled<T>(items: readonly T[], seed: string, nameOf: (item: T) => string): readonly T[] {
  return items
    .map((item) => ({
      item,
      key: createHash('sha256')
        .update(`${seed}\n${nameOf(item)}`)
        .digest('hex'),
    }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ item }) => item);
}
