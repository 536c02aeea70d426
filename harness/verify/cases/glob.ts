/** A character, `?`, `*`, or a choice of globs without choices. */
type Token = string | { readonly kind: 'any' | 'star' } | { readonly choices: readonly (readonly Token[])[] };

const ONE = { kind: 'any' } as const;
const STAR = { kind: 'star' } as const;

/**
 * Whether a glob of the format matches all of a name: `*` any characters, `?` one, `{a,b}` one of these.
 *
 * Follows the set of places that may be reached, so that no glob takes longer than its length times the name's.
 */
export function globMatches(glob: string, name: string): boolean {
  return walk(toTokens(glob), name, new Set([0])).has(name.length);
}

function toTokens(glob: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const end = glob[at] === '{' ? glob.indexOf('}', at) : -1;
    if (end === -1) {
      tokens.push(toToken(glob.charAt(at)));
      continue;
    }
    const choices = glob.slice(at + 1, end).split(',');
    tokens.push({ choices: choices.map((choice) => [...choice].map(toToken)) });
    at = end;
  }
  return tokens;
}

function toToken(character: string): Token {
  if (character === '?') return ONE;
  return character === '*' ? STAR : character;
}

/** Places behind all tokens, from any of the places before them. */
function walk(tokens: readonly Token[], name: string, from: ReadonlySet<number>): ReadonlySet<number> {
  return tokens.reduce((places, token) => step(token, name, places), from);
}

function step(token: Token, name: string, from: ReadonlySet<number>): ReadonlySet<number> {
  if (typeof token === 'object' && 'choices' in token) {
    return new Set(token.choices.flatMap((choice) => [...walk(choice, name, from)]));
  }
  if (token === STAR) {
    const least = Math.min(...from);
    return new Set(Array.from({ length: Math.max(0, name.length - least + 1) }, (_, more) => least + more));
  }
  const fits = (at: number): boolean => at < name.length && (token === ONE || token === name[at]);
  return new Set([...from].filter(fits).map((at) => at + 1));
}
