import { sha256Hex } from '../document/digest.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { referencedCases } from '../suite/needs.ts';

export interface Split {
  readonly count: number;
  /** Milliseconds by case id; null: by the digest of the case id alone. */
  readonly durations: ReadonlyMap<string, number> | null;
}

/**
 * The home of every case, from 1 to `count`. Cases that compare their output have one home.
 *
 * Without durations a home goes by the digest of the case id, so that adding a case moves no other. With
 * them the longest go first, each to the shard with the least to do; a case that is not in them counts as the
 * median of those that are. Only `wanted` cases weigh, and only they have a home then.
 */
export function homesOf(
  cases: readonly CompiledCase[],
  wanted: ReadonlySet<string>,
  split: Split,
): ReadonlyMap<string, number> {
  const groups = groupByReference(cases);
  const { count, durations } = split;
  if (durations === null) {
    return new Map(cases.map(({ id }) => [id, digestHome(groups.get(id) ?? id, count)]));
  }
  const byGroup = balance(weigh(groups, wanted, durations), count);
  return new Map([...wanted].map((id) => [id, byGroup.get(groups.get(id) ?? id) ?? 1]));
}

/** From 1 to `count`, by the leading 48 bits of the digest of the group's name. */
function digestHome(group: string, count: number): number {
  return (Number.parseInt(sha256Hex(Buffer.from(group, 'utf8')).slice(0, 12), 16) % count) + 1;
}

function weigh(
  groups: ReadonlyMap<string, string>,
  wanted: ReadonlySet<string>,
  ms: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const known = [...wanted].flatMap((id) => ms.get(id) ?? []).sort((left, right) => left - right);
  const median = known[Math.floor((known.length - 1) / 2)] ?? 1;
  const weights = new Map<string, number>();
  for (const id of wanted) {
    const group = groups.get(id) ?? id;
    weights.set(group, (weights.get(group) ?? 0) + (ms.get(id) ?? median));
  }
  return weights;
}

function balance(weights: ReadonlyMap<string, number>, count: number): ReadonlyMap<string, number> {
  const loads = Array.from({ length: count }, () => 0);
  const homes = new Map<string, number>();
  const longestFirst = [...weights].sort(
    ([leftName, left], [rightName, right]) => right - left || (leftName < rightName ? -1 : 1),
  );
  for (const [group, weight] of longestFirst) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest] = (loads[lightest] ?? 0) + weight;
    homes.set(group, lightest + 1);
  }
  return homes;
}

/** For each case the least id of the cases that it is connected with by comparing output, in either direction. */
function groupByReference(cases: readonly CompiledCase[]): ReadonlyMap<string, string> {
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
    for (const other of referencedCases(one)) {
      if (!parents.has(other)) continue;
      const [least, most] = [rootOf(one.id), rootOf(other)].sort();
      if (least !== undefined && most !== undefined) parents.set(most, least);
    }
  }
  return new Map(cases.map((one) => [one.id, rootOf(one.id)]));
}
