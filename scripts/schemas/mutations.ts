import fc from 'fast-check';

/** Put in place of any value; every type, and the edges of the forms that documents have. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  0.5,
  256,
  2 ** 53,
  1e308,
  '',
  'x',
  'X y',
  '..',
  '/a/../b',
  '\u0000',
  '\n',
  '\u{1f600}'.repeat(40),
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(65_537),
  '0.0.0',
  '2026-01-02',
  '2026-01-02T03:04:05.000Z',
  'SIGTERM',
  'file',
  'gate',
  [],
  [null],
  {},
  { kind: 'file' },
  { toString: 1 },
];

export type Place = readonly (string | number)[];

/** Every place of a document, the root too. */
export function placesOf(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return [place, ...entries.flatMap(([key, item]) => placesOf(item, [...place, key]))];
}

/** The document with one place changed, removed, added to, or doubled. */
export function mutationsOf(document: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(document);
  return fc
    .tuple(
      fc.nat(places.length - 1),
      fc.constantFrom('replace', 'replace', 'remove', 'add', 'double'),
      fc.constantFrom(...REPLACEMENTS),
    )
    .map(([index, how, put]) => {
      const place = places[index] ?? [];
      switch (how) {
        case 'remove':
          return changeAt(document, place, () => undefined);
        case 'add':
          return changeAt(document, place, (value) => addTo(value, put));
        case 'double':
          return changeAt(document, place, (value) => (Array.isArray(value) ? [...value, ...value] : value));
        default:
          return changeAt(document, place, () => put);
      }
    });
}

function addTo(value: unknown, put: unknown): unknown {
  if (Array.isArray(value)) return [...value, put];
  if (typeof value === 'object' && value !== null) return { ...value, unknownMember: put };
  return typeof value === 'number' ? value + 1 : `${String(value)} `;
}

/** A copy with the value at a place changed; `undefined` removes it. */
export function changeAt(value: unknown, place: Place, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return change(value);
  const copy: object = Array.isArray(value) ? [...value] : { ...(value as object) };
  const changed = changeAt(Reflect.get(copy, key), rest, change);
  if (changed !== undefined) Reflect.set(copy, key, changed);
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else Reflect.deleteProperty(copy, key);
  return copy;
}
