import { integer, list, literal, object, recordOf } from './shape.ts';
import { runId, sha256 } from './values.ts';

const SHARDS = 10_000;
const CASES = 200_000;
/** A day, in milliseconds. */
const LONGEST_MS = 86_400_000;

/** `shards.json` of a merged bundle: which bundles it holds, below `shards/<index>/`. */
export const shardsShape = object({
  formatVersion: literal(1),
  shards: list(object({ index: integer(1, SHARDS), runId, bundleSha256: sha256 }), SHARDS, 1),
});

/** `inputs/durations.json`: what the cases of an earlier run took, which decides how shards are balanced. */
export const durationsShape = object({
  formatVersion: literal(1),
  cases: recordOf(integer(0, LONGEST_MS), /^[a-z0-9][a-z0-9._-]{0,119}$/, CASES),
});
