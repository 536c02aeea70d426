import { ENDS } from './ends.ts';
import { FILES } from './files.ts';
import { INPUTS } from './inputs.ts';
import type { Kind } from './kind.ts';
import { OUTPUTS } from './outputs.ts';
import { STANDINGS } from './standings.ts';

const GROUPS = [STANDINGS, FILES, INPUTS, OUTPUTS, ENDS];

/**
 * Every kind of case that the suite language has a word for and whose outcome can be told beforehand; one of each
 * group in turn, so that a short suite has some of each.
 */
export const KINDS: readonly Kind[] = Array.from(
  { length: Math.max(...GROUPS.map((group) => group.length)) },
  (_, turn) => GROUPS.flatMap((group) => group.slice(turn, turn + 1)),
).flat();
