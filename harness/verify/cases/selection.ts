import { createHash } from 'node:crypto';
import type { Bundle } from '../bundle.ts';
import { once } from '../files/once.ts';
import { Findings } from '../finding.ts';
import type { Report } from '../shape/report.ts';
import { durationsShape } from '../shape/shards.ts';
import type { Suite, SuiteCase } from '../shape/suite.ts';
import { readExceptions } from './exceptions.ts';
import { globMatches } from './glob.ts';
import { namedBy } from './suite-rules.ts';

/** What becomes of a case before anything runs. */
export type Standing =
  | { readonly kind: 'selected' }
  | { readonly kind: 'unselected' }
  | { readonly kind: 'excluded'; readonly reason: string };

const SELECTED: Standing = { kind: 'selected' };
const UNSELECTED: Standing = { kind: 'unselected' };
const AT = 'report.json.selection';

/** The cases of a run, by id, with those that each one needs. */
interface Cases {
  readonly all: readonly SuiteCase[];
  readonly needs: ReadonlyMap<string, readonly string[]>;
  readonly excluded: ReadonlyMap<string, string>;
}

/** Derives from suites and selection alone what becomes of each case, by case id. */
export function deriveStandings(
  suites: readonly Suite[],
  selection: Report['selection'],
  durations: Durations | null,
  findings: Findings,
): ReadonlyMap<string, Standing> {
  const all = suites.flatMap(({ cases }) => cases);
  const excluded = new Map(suites.flatMap((suite) => [...readExceptions(suite).excluded]));
  const needs = new Map(all.map((one) => [one.id, [...classificationOf(one), ...comparedBy(one)]]));
  const cases = { all, needs, excluded };
  const wanted = withNeeds(matched(cases, selection.only, findings), cases);
  const { shard } = selection;
  const homes = shard === null ? null : homesOf(all, wanted, { count: shard.count, durations });
  const own = [...wanted].filter((id) => homes === null || homes.get(id) === shard?.index);
  const selected = withNeeds(own, cases);
  if (selected.size === 0 && all.length > 0)
    findings.add('SELECTION_MISMATCH', AT, 'at least one case', 'none');
  return new Map(all.map(({ id }) => [id, standingOf(id, selected, excluded)]));
}

function standingOf(
  id: string,
  selected: ReadonlySet<string>,
  excluded: ReadonlyMap<string, string>,
): Standing {
  const reason = excluded.get(id);
  if (reason !== undefined) return { kind: 'excluded', reason };
  return selected.has(id) ? SELECTED : UNSELECTED;
}

function classificationOf({ requires }: SuiteCase): readonly string[] {
  return requires === null ? [] : [requires.classification];
}

/** Other cases whose output the checks of this one speak of. */
function comparedBy(declared: SuiteCase): readonly string[] {
  return once(declared, 'compared', () => {
    const { id, checks } = declared;
    const stated = checks.flatMap(({ precondition, expect }) => [
      ...(precondition === null ? [] : [precondition]),
      expect,
    ]);
    const named = stated.flatMap(namedBy).flatMap(({ caseId }) => (caseId === null ? [] : [caseId]));
    return named.filter((other) => other !== id);
  });
}

function matched(cases: Cases, only: readonly string[], findings: Findings): readonly string[] {
  const free = cases.all.filter(({ id }) => !cases.excluded.has(id));
  if (only.length === 0) return free.map(({ id }) => id);
  return only.flatMap((pattern, index) => {
    const hits = free.filter((one) =>
      namesOf(one, pattern).some((name) => globMatches(globOf(pattern), name)),
    );
    if (hits.length === 0) findings.add('SELECTION_MISMATCH', `${AT}.only[${index}]`, 'a case', pattern);
    return hits.map(({ id }) => id);
  });
}

function namesOf({ id, tags }: SuiteCase, pattern: string): readonly string[] {
  return pattern.startsWith('tag:') ? tags : [id];
}

function globOf(pattern: string): string {
  return pattern.replace(/^tag:/, '');
}

/** These cases and all that they need, directly or not; an excluded one is never among them. */
function withNeeds(ids: readonly string[], { needs, excluded }: Cases): ReadonlySet<string> {
  const found = new Set(ids);
  // A set is walked in the order of insertion, what is added meanwhile included.
  for (const id of found) {
    for (const need of needs.get(id) ?? []) {
      if (needs.has(need) && !excluded.has(need)) found.add(need);
    }
  }
  return found;
}

/** What the cases of an earlier run took, in milliseconds, by case id. */
export type Durations = Readonly<Record<string, number>>;

const DURATIONS = 'inputs/durations.json';

/** The durations by which the shards of the run were balanced; null when they were not. */
export function readDurations(bundle: Bundle, report: Report): Durations | null {
  const told = report.selection.shard?.durationsSha256 ?? null;
  if (told === null) return null;
  const document = bundle.document(DURATIONS, durationsShape);
  bundle.findings.same(
    'SELECTION_MISMATCH',
    `${AT}.shard.durationsSha256`,
    bundle.list.files.get(DURATIONS)?.sha256,
    told,
  );
  return document?.cases ?? null;
}

/** The home of every case that a run of all shards together selects. */
export function deriveHomes(
  suites: readonly Suite[],
  { only, shard }: Report['selection'],
  durations: Durations | null,
): ReadonlyMap<string, number> {
  const all = suites.flatMap(({ cases }) => cases);
  const whole = { only, shard: null, shuffle: null };
  const standings = deriveStandings(suites, whole, null, new Findings());
  const wanted = new Set([...standings].flatMap(([id, { kind }]) => (kind === 'selected' ? [id] : [])));
  return homesOf(all, wanted, { count: shard?.count ?? 1, durations });
}

/** The shard that each case belongs to; cases that compare their output go together. */
function homesOf(
  all: readonly SuiteCase[],
  wanted: ReadonlySet<string>,
  { count, durations }: { readonly count: number; readonly durations: Durations | null },
): ReadonlyMap<string, number> {
  const groups = groupsOf(all).map((members) => ({ members, least: [...members].sort()[0] ?? '' }));
  const homes = new Map<string, number>();
  if (durations === null) {
    for (const { members, least } of groups) {
      const digest = createHash('sha256').update(least).digest('hex');
      for (const id of members) homes.set(id, (Number.parseInt(digest.slice(0, 12), 16) % count) + 1);
    }
    return homes;
  }
  const known = [...wanted].flatMap((id) => durations[id] ?? []).sort((left, right) => left - right);
  const usual = known[Math.floor((known.length - 1) / 2)] ?? 1;
  const weighed = groups
    .map(({ members, least }) => ({ least, ids: [...members].filter((id) => wanted.has(id)) }))
    .map(({ least, ids }) => ({ least, ids, ms: ids.reduce((sum, id) => sum + (durations[id] ?? usual), 0) }))
    .filter(({ ids }) => ids.length > 0)
    .sort((left, right) => right.ms - left.ms || (left.least < right.least ? -1 : 1));
  const loads = Array.from({ length: count }, () => 0);
  for (const { ids, ms } of weighed) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest] = (loads[lightest] ?? 0) + ms;
    for (const id of ids) homes.set(id, lightest + 1);
  }
  return homes;
}

/** Sets of cases that are connected by comparisons. */
function groupsOf(all: readonly SuiteCase[]): readonly ReadonlySet<string>[] {
  const neighbours = new Map(all.map(({ id }) => [id, new Set<string>()]));
  for (const one of all) {
    for (const other of comparedBy(one)) {
      neighbours.get(other)?.add(one.id);
      if (neighbours.has(other)) neighbours.get(one.id)?.add(other);
    }
  }
  const seen = new Set<string>();
  const groups: ReadonlySet<string>[] = [];
  for (const id of neighbours.keys()) {
    if (seen.has(id)) continue;
    const group = new Set([id]);
    for (const member of group) for (const near of neighbours.get(member) ?? []) group.add(near);
    for (const member of group) seen.add(member);
    groups.push(group);
  }
  return groups;
}
