import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './strict-json.ts';

/** One way through the conditions of a subpath to a target. */
export interface ExportLeaf {
  /** Conditions from the outside in, such as `node/import`; empty for a plain target. */
  readonly conditions: readonly string[];
  /** Null blocks the subpath. */
  readonly target: string | null;
}

/** A subpath of `exports` with everything it can lead to. */
export interface ExportSubpath {
  readonly subpath: string;
  readonly leaves: readonly ExportLeaf[];
}

/** Targets of all subpaths; conditions can be nested so that a small document gives many. */
const LEAF_LIMIT = 20_000;

/** Why Node refuses the whole field. */
export type ExportsProblem = 'mixed' | 'wrong-type';

export interface ExportsMap {
  readonly subpaths: readonly ExportSubpath[];
  readonly problem: ExportsProblem | null;
}

/**
 * Flattens `exports` (or `imports`) into its subpaths and their targets.
 *
 * Source: Node.js documentation on packages, exports: keys are all subpaths (beginning with a dot) or all
 * conditions; a list holds fallbacks.
 */
export function readExportsMap(value: JsonValue): ExportsMap {
  if (!isJsonObject(value)) {
    const isTarget = typeof value === 'string' || isJsonArray(value) || value === null;
    if (!isTarget) return { subpaths: [], problem: 'wrong-type' };
    return { subpaths: [{ subpath: '.', leaves: listLeaves(value) }], problem: null };
  }
  const keys = [...value.keys()];
  const dotted = keys.filter((key) => key.startsWith('.')).length;
  if (dotted === 0) return { subpaths: [{ subpath: '.', leaves: listLeaves(value) }], problem: null };
  if (dotted < keys.length) return { subpaths: [], problem: 'mixed' };
  return { subpaths: toSubpaths(value), problem: null };
}

/** The subpaths of an object whose keys are known to be subpaths, or `#names` of `imports`. */
export function toSubpaths(members: JsonObject): readonly ExportSubpath[] {
  return [...members].map(([subpath, target]) => ({ subpath, leaves: listLeaves(target) }));
}

function listLeaves(value: JsonValue): readonly ExportLeaf[] {
  const leaves: ExportLeaf[] = [];
  collectLeaves(value, [], leaves);
  return leaves;
}

function collectLeaves(value: JsonValue, conditions: readonly string[], into: ExportLeaf[]): void {
  if (into.length >= LEAF_LIMIT) return;
  if (typeof value === 'string' || value === null) {
    into.push({ conditions, target: value });
  } else if (isJsonArray(value)) {
    for (const item of value) collectLeaves(item, conditions, into);
  } else if (isJsonObject(value)) {
    for (const [condition, inner] of value) collectLeaves(inner, [...conditions, condition], into);
  }
}

/**
 * Picks the subpath that a request meets, exactly or by its longest pattern.
 *
 * `rest` is what the star stands for. Source: Node.js, PACKAGE_IMPORTS_EXPORTS_RESOLVE.
 */
export function findSubpath(
  subpaths: readonly ExportSubpath[],
  request: string,
): { readonly found: ExportSubpath; readonly rest: string | null } | null {
  const exact = subpaths.find(({ subpath }) => subpath === request && !subpath.includes('*'));
  if (exact !== undefined) return { found: exact, rest: null };
  let best: { readonly found: ExportSubpath; readonly rest: string } | null = null;
  for (const found of subpaths) {
    const [before, after] = found.subpath.split('*');
    if (before === undefined || after === undefined) continue;
    if (!request.startsWith(before) || !request.endsWith(after)) continue;
    if (request.length < before.length + after.length + 1) continue;
    if (best !== null && best.found.subpath.indexOf('*') >= before.length) continue;
    best = { found, rest: request.slice(before.length, request.length - after.length) };
  }
  return best;
}
