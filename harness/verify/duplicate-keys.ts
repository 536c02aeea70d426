/** An open bracket: the keys seen in an object, or null in a list. */
interface Level {
  readonly keys: Set<string> | null;
  /** The next string is a key. */
  expectsKey: boolean;
}

/**
 * The first key that an object of this JSON text has twice, else null. `JSON.parse` keeps the last of them
 * without a word, and another reader may keep the first.
 *
 * `text` must be JSON already. Keys are compared as what they mean, not as they are written. Iterative, because
 * nesting is an attacker's choice.
 */
export function findDuplicateKey(text: string): string | null {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
        levels.push({ keys: new Set(), expectsKey: true });
        break;
      case '[':
        levels.push({ keys: null, expectsKey: false });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level !== undefined) level.expectsKey = level.keys !== null;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.expectsKey === true && level.keys !== null) {
          const key: unknown = JSON.parse(text.slice(at, end + 1));
          if (typeof key === 'string' && level.keys.has(key)) return key;
          if (typeof key === 'string') level.keys.add(key);
          level.expectsKey = false;
        }
        at = end;
        break;
      }
    }
  }
  return null;
}

/** Index of the quote that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
