import compare from 'semver/functions/compare.js';
import type { CompiledCase, NodeRange } from './compiled.ts';

const PLAIN_VERSION = /^(?:0|[1-9][0-9]{0,4})(?:\.(?:0|[1-9][0-9]{0,4})){2}$/;

/** A version as the ranges of a case have it: three numbers of at most five digits, and nothing behind them. */
export function isPlainVersion(text: string): boolean {
  return PLAIN_VERSION.test(text);
}

/**
 * The Node versions of a run on which a case stands in its result, in the order of the run. Where none is one of its
 * own it stands on the first, so that it cannot fall out of the count; it is `unsupported` there.
 */
export function versionsOf(one: Pick<CompiledCase, 'node'>, versions: readonly string[]): readonly string[] {
  if (one.node === 'each') return versions;
  const own = one.node === 'first' ? [] : versions.filter((version) => runsOn(one, version));
  return own.length > 0 ? own : versions.slice(0, 1);
}

/** Whether a case may run on a version that `versionsOf` gave it. */
export function runsOn({ node }: Pick<CompiledCase, 'node'>, version: string): boolean {
  return typeof node === 'string' || node.some((range) => isIn(range, version));
}

function isIn({ from, below }: NodeRange, version: string): boolean {
  return compare(version, from) >= 0 && (below === null || compare(version, below) < 0);
}
