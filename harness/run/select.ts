import { matchesGlob } from '../suite/case-glob.ts';
import type { CompiledCase, CompiledSuite } from '../suite/compiled.ts';
import { excludedCases } from '../suite/exceptions.ts';
import { needsOf } from '../suite/needs.ts';
import { RunError } from './errors.ts';
import { homesOf, type Split } from './homes.ts';
import type { Selection } from './request.ts';

/** Selects by tag instead of by id. */
export const TAG_PREFIX = 'tag:';

export interface SelectedCases {
  /** Ids of the cases that run. */
  readonly selected: ReadonlySet<string>;
  /** Reasons of the cases that their suite excludes, whatever is selected, by id. */
  readonly excluded: ReadonlyMap<string, string>;
}

/**
 * What runs. A selected case brings the cases that it needs: the classification it requires and those whose
 * output its checks compare.
 *
 * Each case has one shard as its home, and runs there. Cases that compare their output have one home, so that
 * the same bytes are compared wherever they run. A classification that a case of another home requires runs
 * there too, so that every shard can be judged alone; a merged run keeps what its home saw.
 * @throws {RunError} NO_CASES_SELECTED; PATTERN_MATCHES_NOTHING for one of `only` that selects no case
 */
export function selectCases(suites: readonly CompiledSuite[], selection: Selection): SelectedCases {
  const excluded = new Map(suites.flatMap((suite) => [...excludedCases(suite)]));
  const all = suites.flatMap(({ cases }) => cases);
  const cases = all.filter(({ id }) => !excluded.has(id));
  const wanted = closeOverNeeds(matchOnly(cases, selection.only), cases);
  const { shard } = selection;
  const homes =
    shard === null
      ? null
      : homesOf(all, wanted, { count: shard.count, durations: shard.durations?.ms ?? null });
  const atHome = [...wanted].filter((id) => homes === null || homes.get(id) === shard?.index);
  const selected = closeOverNeeds(atHome, cases);
  if (selected.size === 0) {
    throw new RunError('NO_CASES_SELECTED', 'selection', {
      where: describe(selection),
      expected: 'at least one case',
      actual: `0 of ${all.length}`,
    });
  }
  return { selected, excluded };
}

function describe({ only, shard }: Selection): string {
  const parts = [...only, ...(shard === null ? [] : [`shard ${shard.index}/${shard.count}`])];
  return parts.length > 0 ? parts.join(' ') : 'suites';
}

function matchOnly(cases: readonly CompiledCase[], only: readonly string[]): readonly string[] {
  if (only.length === 0) return cases.map(({ id }) => id);
  return only.flatMap((pattern) => {
    const matched = cases.filter((one) => matchesPattern(one, pattern)).map(({ id }) => id);
    if (matched.length > 0) return matched;
    throw new RunError('PATTERN_MATCHES_NOTHING', 'selection', {
      where: pattern,
      expected: 'a case that is not excluded',
      actual: `0 of ${cases.length}`,
    });
  });
}

function matchesPattern({ id, tags }: CompiledCase, pattern: string): boolean {
  if (!pattern.startsWith(TAG_PREFIX)) return matchesGlob(pattern, id);
  const glob = pattern.slice(TAG_PREFIX.length);
  return tags.some((tag) => matchesGlob(glob, tag));
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

/** Every case of a run of these suites and its home, when all shards run. */
export function homesOfRun(
  suites: readonly CompiledSuite[],
  only: readonly string[],
  split: Split,
): ReadonlyMap<string, number> {
  const { selected } = selectCases(suites, { only, shard: null, shuffle: null });
  return homesOf(
    suites.flatMap(({ cases }) => cases),
    selected,
    split,
  );
}
