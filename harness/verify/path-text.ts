/** A character of UTF-8 over bytes as code units, or else one byte that is part of none (Unicode 15, table 3-7). */
const CHARACTER =
  /[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/**
 * The bytes of a path or link target of a box as the format writes it: UTF-8 as it is, every other byte and the
 * percent sign as `%XX`. Written apart from the exporter's own, on purpose.
 */
export function toPathBytes(text: string): Buffer {
  const written = Buffer.from(text, 'utf8').toString('latin1');
  const bytes = written.replace(/%([0-9A-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

/** The path above a plain one, empty for a name alone. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** Whether a text is the only one that stands for its bytes; whoever could write others could hide a name. */
export function isPathText(text: string): boolean {
  const written = toPathBytes(text)
    .toString('latin1')
    .replace(CHARACTER, (character, stray: string | undefined) =>
      stray === undefined && character !== '%' ? character : escaped(character),
    );
  return Buffer.from(written, 'latin1').toString('utf8') === text;
}

function escaped(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}
