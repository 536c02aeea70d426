import { toExecutionId, toPathSegment } from '../evidence/paths.ts';
import type { RunReport } from '../evidence/report.ts';
import { homesOfRun } from '../run/select.ts';
import { type RecordedRun, readDurations, readRecordedRun } from './recorded-run.ts';
import { type Place, StoredBundle } from './stored-bundle.ts';

const SHARDS_FILE = 'shards.json';
const CASE = /^cases\/([^/]+)\//;
/** The same in every shard, but archives, which some may embed and others not. */
const SHARED = /^(?:inputs|image)\//;

/** Evidence that can be done again. */
export interface OpenedEvidence {
  readonly bundle: StoredBundle;
  readonly run: RecordedRun;
}

/**
 * Opens evidence that the verifier accepted. Merged evidence is shown as the one run that its shards are: inputs
 * and images of the first shard that has them, of every case what its home keeps, and as much time as all shards
 * had together. `boundary/` stays where it is, because each shard declares its own kinds of boxes.
 *
 * @throws {ReplayError} NOTHING_RAN, EVIDENCE_UNREADABLE, EVIDENCE_CHANGED; {SuiteError} for a suite
 */
export async function openRecorded(folder: string): Promise<OpenedEvidence> {
  const stored = await StoredBundle.open(folder);
  if (!stored.files.has(SHARDS_FILE)) return { bundle: stored, run: await readRecordedRun(stored) };
  const shards = await readShards(stored);
  const shared = placesOf(stored, shards, (rest) => SHARED.test(rest));
  const view = stored.withPlaces(shared);
  const run = await readRecordedRun(view);
  const homes = await homesOfExecutions(run, { view, first: shards[0]?.report, count: shards.length });
  const cases = placesOf(stored, shards, (rest, index) => homes.get(CASE.exec(rest)?.[1] ?? '') === index);
  const budgetMs = shards.reduce((sum, { report }) => sum + report.budget.limitMs, 0);
  return { bundle: stored.withPlaces([...shared, ...cases]), run: { ...run, budgetMs } };
}

interface StoredShard {
  readonly index: number;
  readonly report: RunReport;
}

async function readShards(stored: StoredBundle): Promise<readonly StoredShard[]> {
  const { shards }: { readonly shards: readonly { readonly index: number }[] } = JSON.parse(
    (await stored.read(SHARDS_FILE)).toString('utf8'),
  );
  return Promise.all(
    shards.map(async ({ index }) => ({
      index,
      report: JSON.parse((await stored.read(`shards/${index}/report.json`)).toString('utf8')),
    })),
  );
}

/** Where files of the shards lie that stand for files of one run; the first shard that has one gives it. */
function placesOf(
  stored: StoredBundle,
  shards: readonly StoredShard[],
  isWanted: (rest: string, index: number) => boolean,
): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { index } of shards) {
    const prefix = `shards/${index}/`;
    for (const path of stored.files.keys()) {
      const rest = path.slice(prefix.length);
      if (!path.startsWith(prefix) || places.has(rest) || !isWanted(rest, index)) continue;
      places.set(rest, { path: rest, at: path });
    }
  }
  return [...places.values()];
}

/** The shard that keeps each execution, by the name of its folder. */
async function homesOfExecutions(
  run: RecordedRun,
  of: { readonly view: StoredBundle; readonly first: RunReport | undefined; readonly count: number },
): Promise<ReadonlyMap<string, number>> {
  const balanced = (of.first?.selection.shard?.durationsSha256 ?? null) !== null;
  const durations = balanced ? (await readDurations(of.view)).ms : null;
  const suites = run.suites.map(({ suite }) => suite);
  const homes = homesOfRun(suites, run.selection.only, { count: of.count, durations });
  return new Map(
    suites
      .flatMap(({ cases }) => cases)
      .flatMap(({ id }) =>
        run.report.nodeVersions.map((node) => [
          toPathSegment(toExecutionId(id, node)),
          // A case that nothing selected has the receipt that says so in every shard.
          homes.get(id) ?? 1,
        ]),
      ),
  );
}
