import type { RunReport } from '../evidence/report.ts';
import { MergeError, type MergeErrorCode } from './errors.ts';
import { readListed, type Shard } from './shard.ts';

/**
 * The shards in the order of their numbers, each number once, of one count.
 *
 * @throws {MergeError} SHARD_COUNT, SHARD_TWICE, SHARD_MISSING
 */
export function orderShards(shards: readonly Shard[]): readonly Shard[] {
  const ordered = [...shards].sort((left, right) => left.index - right.index);
  const count = ordered[0]?.count ?? 0;
  const byIndex = new Map<number, Shard>();
  for (const shard of ordered) {
    if (shard.count !== count)
      throw differs('SHARD_COUNT', shard.folder, `${count} shards`, `${shard.count}`);
    const twin = byIndex.get(shard.index);
    if (twin !== undefined) {
      const expected = `another shard than ${shard.index}/${count}, which is ${twin.folder}`;
      throw differs('SHARD_TWICE', shard.folder, expected, `${shard.index}/${count}`);
    }
    byIndex.set(shard.index, shard);
  }
  for (let index = 1; index <= count; index += 1) {
    if (!byIndex.has(index)) throw differs('SHARD_MISSING', `${index}/${count}`, 'its evidence', 'none');
  }
  return ordered;
}

type Compared = readonly [MergeErrorCode, string, (shard: Shard) => unknown];

const FIELDS: readonly Compared[] = [
  ['SHARD_CANDIDATE', 'candidate', ({ report }) => report.candidate],
  ['SHARD_SUITES', 'suites', (shard) => digestsOf(shard, /^inputs\/suites\//)],
  ['SHARD_INPUTS', 'inputs', (shard) => digestsOf(shard, /^inputs\/(?!archives\/|suites\/|durations)/)],
  ['SHARD_INPUTS', 'Node versions', ({ report }) => [report.nodeVersions, report.npmVersion, report.scripts]],
  ['SHARD_INPUTS', 'waivers', ({ report }) => report.waivers],
  ['SHARD_INPUTS', 'platform', ({ report }) => report.platform],
  ['SHARD_IMAGE', 'images', (shard) => digestsOf(shard, /^image\/.*(config\.json|inventory\.ndjson)$/)],
  [
    'SHARD_SELECTION',
    'selection',
    ({ report }) => [report.selection.only, report.selection.shard?.durationsSha256],
  ],
  ['SHARD_SETTINGS', 'limits', ({ report }) => [report.limits.caseTimeoutMs, report.limits.repeat]],
  ['SHARD_SETTINGS', 'nonce', ({ report }) => report.nonce],
  ['SHARD_SETTINGS', 'packproof', ({ report }) => report.harness],
  ['SHARD_SETTINGS', 'engine', ({ report }) => engineOf(report)],
];

/**
 * All shards are of one context, run in the same way. What may differ is what a machine is: its kernel, its
 * times, its number of boxes at a time.
 *
 * @throws {MergeError} with the code of the first difference and the folder of the shard that differs from the first
 */
export async function requireOneContext(shards: readonly Shard[]): Promise<void> {
  const [first, ...others] = shards;
  if (first === undefined) return;
  for (const other of others) {
    for (const [code, what, of] of FIELDS) {
      const [ours, theirs] = [JSON.stringify(of(first)), JSON.stringify(of(other))];
      if (ours !== theirs) throw differs(code, `${other.folder}: ${what}`, ours, theirs);
    }
    await requireBoundary(first, other);
  }
}

function digestsOf({ files }: Shard, paths: RegExp): readonly string[] {
  return files.filter(({ path }) => paths.test(path)).map(({ path, sha256 }) => `${path} ${sha256}`);
}

function engineOf({ engine }: RunReport): readonly (string | undefined)[] {
  return [engine?.name, engine?.version];
}

interface Declared {
  readonly boundaries: readonly {
    readonly exec: boolean;
    readonly limits: unknown;
    readonly boundary: unknown;
  }[];
  readonly seccomp: unknown;
}

/** Each shard declares the kinds of boxes that its own cases need. */
async function requireBoundary(first: Shard, other: Shard): Promise<void> {
  const [ours, theirs] = await Promise.all([first, other].map(readDeclared));
  const where = `${other.folder}: boundary`;
  if (JSON.stringify(ours?.seccomp) !== JSON.stringify(theirs?.seccomp)) {
    throw differs('SHARD_BOUNDARY', where, 'the same seccomp policy', 'another');
  }
  const kindOf = ({ exec, limits }: Declared['boundaries'][number]): string => JSON.stringify([exec, limits]);
  for (const declared of theirs?.boundaries ?? []) {
    const { boundary } = declared;
    const same = ours?.boundaries.find((one) => kindOf(one) === kindOf(declared));
    if (same === undefined || JSON.stringify(same.boundary) === JSON.stringify(boundary)) continue;
    throw differs('SHARD_BOUNDARY', where, JSON.stringify(same.boundary), JSON.stringify(boundary));
  }
}

async function readDeclared(shard: Shard): Promise<Declared> {
  return JSON.parse((await readListed(shard, 'boundary/declared.json')).toString('utf8'));
}

function differs(code: MergeErrorCode, where: string, expected: string, actual: string): MergeError {
  return new MergeError(code, 'shard', { where, expected, actual });
}
