/** A name is taken for a slip of the pen up to this many edits; beyond it a guess misleads. */
const MOST_EDITS = 3;

/** `, did you mean …?` for the nearest of the known names, or nothing when none is near. */
export function suggest(name: string, known: readonly string[]): string {
  const near = known
    .map((one) => ({ one, edits: countEdits(name.slice(0, 60).toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.min(MOST_EDITS, Math.floor(one.length / 2)))
    .sort((left, right) => left.edits - right.edits);
  return near[0] === undefined ? '' : `, did you mean ${near[0].one}?`;
}

/** Levenshtein distance, one row at a time. */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= right.length; to += 1) {
      const swap = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
