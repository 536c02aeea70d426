/** A numeric header field as it was written. */
export type NumberField =
  | { readonly kind: 'octal'; readonly value: number }
  | { readonly kind: 'base256'; readonly value: number }
  | { readonly kind: 'invalid'; readonly text: string };

const ZERO = 0x30;
const SEVEN = 0x37;
const SPACE = 0x20;

/** A field of a header: from `start` up to, not including, `end`. Given so that no view is made for each. */
export interface FieldRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a number of a tar header strictly: spaces, octal digits, then only spaces or zero bytes.
 *
 * Lenient readers take `12x` for 10 and an empty field for nothing; the difference moves the entries that
 * follow, so anything else is `invalid`. An empty field is 0. Source: POSIX.1-2017 ustar; base-256 from GNU tar.
 */
export function readNumberField(block: Buffer, { start, end }: FieldRange): NumberField {
  const first = block[start] ?? 0;
  if ((first & 0x80) !== 0) return readBase256(block.subarray(start, end));
  let at = start;
  let value = 0;
  while (at < end && block[at] === SPACE) at += 1;
  for (let digit = block[at]; at < end && isOctal(digit); digit = block[at]) {
    value = value * 8 + (digit - ZERO);
    at += 1;
  }
  for (; at < end; at += 1) {
    if (block[at] !== 0 && block[at] !== SPACE) {
      return { kind: 'invalid', text: block.toString('latin1', start, end) };
    }
  }
  return { kind: 'octal', value };
}

function isOctal(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= ZERO && byte <= SEVEN;
}

/** Big-endian binary behind a set top bit; negative and unsafe values have no use in a package. */
function readBase256(field: Buffer): NumberField {
  const invalid: NumberField = { kind: 'invalid', text: field.toString('hex') };
  if (field[0] !== 0x80) return invalid;
  let value = 0;
  for (const byte of field.subarray(1)) {
    value = value * 256 + byte;
    if (!Number.isSafeInteger(value)) return invalid;
  }
  return { kind: 'base256', value };
}
