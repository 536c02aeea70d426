/**
 * Sorts by the UTF-8 bytes of a key, the one order of layers and inventories.
 *
 * JavaScript compares UTF-16 units, which differs where surrogates meet U+E000 to U+FFFF, and locale
 * comparison depends on the machine.
 */
export function sortByBytes<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  return items
    .map((item) => ({ item, bytes: Buffer.from(key(item), 'utf8') }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ item }) => item);
}
