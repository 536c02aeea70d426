import { Composer, CST, isMap, isScalar, Parser, type Scalar, visit } from 'yaml';

/** A value in a suite file that states one exact thing. */
export type ExactValue =
  | { readonly kind: 'text' | 'file'; readonly offset: number; readonly written: string }
  | { readonly kind: 'termination'; readonly offset: number; readonly key: string; readonly written: string };

/** What to write in the place of an exact value. A file is not of the text. */
export type NewValue =
  | { readonly kind: 'text'; readonly offset: number; readonly text: string }
  | { readonly kind: 'termination'; readonly offset: number; readonly key: string; readonly value: string };

const KINDS: Readonly<Record<string, 'text' | 'file' | 'termination'>> = {
  equals: 'text',
  equalsFile: 'file',
  termination: 'termination',
};

/** The exact values of a suite that compiles, by the offset at which they stand. */
export function findExactValues(text: string): ReadonlyMap<number, ExactValue> {
  const found = new Map<number, ExactValue>();
  for (const place of findPlaces(text)) {
    const { kind, offset, value } = place;
    const written = String(value.value);
    if (kind === 'termination') found.set(offset, { kind, offset, key: String(place.key.value), written });
    else found.set(offset, { kind, offset, written });
  }
  return found;
}

/**
 * The text with some values replaced and every other byte as it was, comments included. Null when the values
 * cannot be written such that a reader finds them again.
 */
export function replaceValues(text: string, values: readonly NewValue[]): string | null {
  const tokens = [...new Parser().parse(text)];
  const places = new Map(placesOf(tokens).map((place) => [place.offset, place]));
  for (const one of values) {
    const place = places.get(one.offset);
    if (place === undefined) return null;
    if (one.kind === 'termination') {
      setScalar(place.key, one.key);
      setScalar(place.value, one.value);
    } else {
      setScalar(place.value, escapePlaceholders(one.text));
    }
  }
  const changed = tokens.map((token) => CST.stringify(token)).join('');
  return isAsMeant(text, changed, values) ? changed : null;
}

interface Place {
  readonly kind: 'text' | 'file' | 'termination';
  readonly offset: number;
  readonly key: Scalar;
  readonly value: Scalar;
}

function findPlaces(text: string): readonly Place[] {
  return placesOf([...new Parser().parse(text)]);
}

/** Each key and value once, so that what is written is what was found. */
function placesOf(tokens: readonly CST.Token[]): readonly Place[] {
  const places: Place[] = [];
  for (const document of new Composer({ keepSourceTokens: true }).compose(tokens)) {
    visit(document, {
      Pair: (_index, { key, value }) => {
        const kind = isScalar(key) ? KINDS[String(key.value)] : undefined;
        if (kind === undefined || !isScalar(key)) return;
        if (kind !== 'termination' && isScalar(value) && value.range != null) {
          places.push({ kind, offset: value.range[0], key, value });
        }
        if (kind !== 'termination' || !isMap(value) || value.range == null) return;
        const [only, ...more] = value.items;
        if (only === undefined || more.length > 0 || !isScalar(only.key) || !isScalar(only.value)) return;
        // Words stand for many values and are left as they are.
        if (['any', 'nonzero'].includes(String(only.value.value))) return;
        places.push({ kind, offset: value.range[0], key: only.key, value: only.value });
      },
    });
  }
  return places;
}

/** Text that a block holds as it is: it neither begins nor ends in blanks that indentation would swallow. */
const BLOCK_TEXT = /^[!-~](?:[\t\n -~\u00a0-\u2027\u202a-\ud7ff]*[!-~])?\n?$/;

/** In the style in which it was written, as far as the new text allows it; else in quotes, on one line. */
function setScalar({ srcToken }: Scalar, text: string): void {
  if (srcToken === undefined) return;
  const isBlock = srcToken.type === 'block-scalar';
  const quoted = { implicitKey: true, ...(isBlock ? { type: 'QUOTE_DOUBLE' as const } : {}) };
  const style = isBlock && BLOCK_TEXT.test(text) ? {} : quoted;
  CST.setScalarValue(srcToken, text, { afterKey: true, ...style });
}

/** `${…}` that a program wrote is no placeholder. */
function escapePlaceholders(text: string): string {
  return text.replace(/\$\{[^{}]*\}/g, '$$$&');
}

/** Only the values asked for are others, in the order in which they stand. */
function isAsMeant(before: string, after: string, values: readonly NewValue[]): boolean {
  const wanted = new Map(values.map((one) => [one.offset, one]));
  const expected = findPlaces(before).map((place) => {
    const one = wanted.get(place.offset);
    if (one === undefined) return [String(place.key.value), String(place.value.value)];
    return one.kind === 'termination'
      ? [one.key, one.value]
      : [String(place.key.value), escapePlaceholders(one.text)];
  });
  const actual = findPlaces(after).map(({ key, value }) => [String(key.value), String(value.value)]);
  return JSON.stringify(actual) === JSON.stringify(expected);
}
