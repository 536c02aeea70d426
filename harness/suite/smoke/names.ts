import { ID_LIMIT } from '../limits.ts';

/** Room for the parts that a case id has besides the name in it. */
const NAME_PART = 60;

/**
 * Turns names of the candidate's choosing into parts of ids: `[a-z0-9-]`, bounded, and unique under case
 * folding within the list, by a number where two would be the same.
 */
export function toIdParts(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = slug(name);
    let part = base;
    for (let number = 2; taken.has(part); number += 1) part = `${base}-${number}`;
    taken.add(part);
    return part;
  });
}

function slug(name: string): string {
  const text = name
    .toLowerCase()
    .slice(0, Math.min(NAME_PART, ID_LIMIT))
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return text === '' ? 'x' : text;
}
