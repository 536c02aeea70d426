import picomatch from 'picomatch';
import { sha256Hex } from '../document/digest.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { referencedCases } from './case-plan.ts';
import { RunError } from './errors.ts';
import type { Selection } from './request.ts';

/**
 * Ids of the cases that run. A selected case brings the cases that it needs: the classification it requires
 * and those whose output its checks compare.
 *
 * Shards are stable by case id: adding a case moves no other, and cases that need each other stay together,
 * so that shards are disjoint and each one can be evaluated alone.
 * @throws {RunError} NO_CASES_SELECTED
 */
export function selectCases(cases: readonly CompiledCase[], selection: Selection): ReadonlySet<string> {
  const matched = cases.filter((one) => matchesOnly(one.id, selection.only)).map((one) => one.id);
  const closed = closeOverNeeds(matched, cases);
  const groups = groupByNeed(cases);
  const { shard } = selection;
  const selected = new Set(
    [...closed].filter((id) => shard === null || shardOf(groups.get(id) ?? id, shard.count) === shard.index),
  );
  if (selected.size === 0) {
    throw new RunError('NO_CASES_SELECTED', 'selection', {
      where: selection.only.length > 0 ? selection.only.join(' ') : 'suites',
      expected: 'at least one case',
      actual: `0 of ${cases.length}`,
    });
  }
  return selected;
}

function matchesOnly(id: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((glob) => picomatch.isMatch(id, glob));
}

/** From 1 to `count`, by the leading 48 bits of the digest of the group's name. */
function shardOf(group: string, count: number): number {
  return (Number.parseInt(sha256Hex(Buffer.from(group, 'utf8')).slice(0, 12), 16) % count) + 1;
}

function needsOf(compiled: CompiledCase): readonly string[] {
  const references = referencedCases(compiled);
  return compiled.requires === null ? references : [compiled.requires.classification, ...references];
}

function closeOverNeeds(ids: readonly string[], cases: readonly CompiledCase[]): ReadonlySet<string> {
  const byId = new Map(cases.map((one) => [one.id, one]));
  const closed = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const compiled = byId.get(id);
    if (compiled === undefined || closed.has(id)) continue;
    closed.add(id);
    open.push(...needsOf(compiled));
  }
  return closed;
}

/** For each case the least id of the cases it is connected with by need, in either direction. */
function groupByNeed(cases: readonly CompiledCase[]): ReadonlyMap<string, string> {
  const parents = new Map(cases.map((one) => [one.id, one.id]));
  const rootOf = (id: string): string => {
    let root = id;
    for (
      let parent = parents.get(root);
      parent !== undefined && parent !== root;
      parent = parents.get(root)
    ) {
      root = parent;
    }
    return root;
  };
  for (const one of cases) {
    for (const need of needsOf(one)) {
      if (!parents.has(need)) continue;
      const [least, other] = [rootOf(one.id), rootOf(need)].sort();
      if (least !== undefined && other !== undefined) parents.set(other, least);
    }
  }
  return new Map(cases.map((one) => [one.id, rootOf(one.id)]));
}
