import { toExecutionId, toPathSegment } from '../evidence/paths.ts';
import type { Receipt } from '../evidence/receipt.ts';
import { homesOfRun } from '../run/select.ts';
import { versionsOf } from '../suite/node-versions.ts';
import { MergeError } from './errors.ts';
import { readListed, readReceipt, type Shard } from './shard.ts';

/**
 * The receipt that each declared case has in its home, in the order of the run. A classification that other
 * shards ran too must have come to the same there, because it decided which of their cases ran.
 *
 * @throws {MergeError} SHARD_DISAGREES
 */
export async function receiptsAtHome(shards: readonly Shard[]): Promise<readonly Receipt[]> {
  const [first] = shards;
  if (first === undefined) return [];
  const homes = await readHomes(first);
  const receipts: Receipt[] = [];
  for (const { cases } of first.suites) {
    for (const one of cases) {
      const { nodeVersions } = first.report;
      for (const node of versionsOf(one, nodeVersions)) {
        const execution = toPathSegment(toExecutionId(one.id, node));
        receipts.push(await readAgreed(shards, homes.get(one.id) ?? 1, execution));
      }
    }
  }
  return receipts;
}

async function readHomes(first: Shard): Promise<ReadonlyMap<string, number>> {
  const { only, shard } = first.report.selection;
  const balanced = shard?.durationsSha256 !== null;
  const durations = balanced ? await readDurations(first) : null;
  return homesOfRun(first.suites, only, { count: first.count, durations });
}

async function readDurations(shard: Shard): Promise<ReadonlyMap<string, number>> {
  const { cases }: { readonly cases: Readonly<Record<string, number>> } = JSON.parse(
    (await readListed(shard, 'inputs/durations.json')).toString('utf8'),
  );
  return new Map(Object.entries(cases));
}

async function readAgreed(shards: readonly Shard[], home: number, execution: string): Promise<Receipt> {
  const all = await Promise.all(shards.map((shard) => readReceipt(shard, execution)));
  const own = all[home - 1];
  if (own === undefined)
    throw new MergeError('SHARD_MISSING', 'shard', { where: `${home}/${shards.length}` });
  for (const [position, other] of all.entries()) {
    if (isLeftOut(other) || wordOf(other) === wordOf(own)) continue;
    throw new MergeError('SHARD_DISAGREES', 'case', {
      where: `${shards[position]?.folder}: ${execution}`,
      expected: wordOf(own),
      actual: wordOf(other),
    });
  }
  return own;
}

function isLeftOut({ reason }: Receipt): boolean {
  return reason === 'selection' || reason === 'exclusion';
}

function wordOf({ outcome, reason, checks }: Receipt): string {
  return [outcome, reason ?? '', ...checks.map(({ id, result }) => `${id}=${result}`)].join(' ');
}
