import { SUBPATH_PATTERNS } from '../limits.ts';
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

/** A subpath that a request meets; `rest` is what the star of a pattern stands for. */
export interface SubpathMatch {
  readonly found: ExportSubpath;
  readonly rest: string | null;
}

/** Finds subpaths by request, in time that does not grow with their number. */
export class SubpathIndex {
  readonly #exact = new Map<string, ExportSubpath>();
  readonly #patterns: ExportSubpath[] = [];

  constructor(subpaths: readonly ExportSubpath[]) {
    for (const subpath of subpaths) {
      if (!subpath.subpath.includes('*')) this.#exact.set(subpath.subpath, subpath);
      else if (this.#patterns.length < SUBPATH_PATTERNS) this.#patterns.push(subpath);
    }
  }

  /** Exactly, or by the longest pattern. Source: Node.js, PACKAGE_IMPORTS_EXPORTS_RESOLVE. */
  find(request: string): SubpathMatch | null {
    const exact = this.#exact.get(request);
    if (exact !== undefined) return { found: exact, rest: null };
    let best: SubpathMatch | null = null;
    let longest = -1;
    for (const found of this.#patterns) {
      const [before = '', after = ''] = found.subpath.split('*');
      if (before.length <= longest || request.length <= before.length + after.length) continue;
      if (!request.startsWith(before) || !request.endsWith(after)) continue;
      longest = before.length;
      best = { found, rest: request.slice(before.length, request.length - after.length) };
    }
    return best;
  }
}
