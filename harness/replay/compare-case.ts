import { type AttemptRecord, type FilesLine, type Receipt, stepFolder } from '../evidence/receipt.ts';
import { streamKey } from './asserted.ts';
import { compareControls, compareKept } from './compare-looks.ts';
import { compareReceipts } from './compare-receipts.ts';
import type { Difference } from './difference.ts';
import { describeEntries, type Entry, sameEntry } from './entries.ts';
import { findFirstBytes } from './first-bytes.ts';
import type { StoredBundle } from './stored-bundle.ts';

export interface BundlePair {
  readonly recorded: StoredBundle;
  readonly replayed: StoredBundle;
  /** Streams of which some check states every byte; see `streamKey`. */
  readonly asserted: ReadonlySet<string>;
  /** Steps whose end is a race; see `racingSteps`. */
  readonly racing: ReadonlySet<string>;
}

/** Compares one case of two bundles: `folder` is `cases/<execution>` in both. */
export async function compareCase(folder: string, pair: BundlePair): Promise<readonly Difference[]> {
  const path = `${folder}/receipt.json`;
  const absent = [pair.recorded, pair.replayed].map(({ files }) => !files.has(path));
  if (absent.includes(true)) {
    const [recorded = '', replayed = ''] = absent.map((missing) => (missing ? 'absent' : 'present'));
    return [{ kind: 'case-absent', decisive: true, where: '', recorded, replayed, bytes: null }];
  }
  const left = await readReceipt(pair.recorded, path);
  const right = await readReceipt(pair.replayed, path);
  const differences = [...compareReceipts(left, right, pair.racing)];
  for (const [index, attempt] of left.attempts.entries()) {
    const other = right.attempts[index];
    if (other === undefined) break;
    differences.push(...(await compareStreams({ folder, caseId: left.caseId, attempt, other }, pair)));
    const place = { ...pair, base: `${folder}/${attempt.folder}` };
    differences.push(...(await compareFiles(`${place.base}files.ndjson`, pair)));
    differences.push(...(await compareControls(place)), ...(await compareKept(place)));
  }
  return differences;
}

async function readReceipt(bundle: StoredBundle, path: string): Promise<Receipt> {
  return JSON.parse((await bundle.read(path)).toString('utf8'));
}

interface AttemptPair {
  readonly folder: string;
  readonly caseId: string;
  readonly attempt: AttemptRecord;
  readonly other: AttemptRecord;
}

async function compareStreams(
  { folder, caseId, attempt, other }: AttemptPair,
  pair: BundlePair,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const [index, step] of attempt.steps.entries()) {
    const again = other.steps[index];
    if (again?.name !== step.name) break;
    for (const stream of ['stdout', 'stderr'] as const) {
      const [left, right] = [step[stream], again[stream]];
      if (left.totalSha256 === right.totalSha256 && left.keptSha256 === right.keptSha256) continue;
      const path = `${folder}/${attempt.folder}${stepFolder(index, step.name)}/${stream}`;
      differences.push({
        kind: 'stream',
        decisive: pair.asserted.has(streamKey(caseId, step.name, stream)),
        where: `${step.name} ${stream}`,
        recorded: `${left.totalBytes} bytes, sha256 ${left.totalSha256}`,
        replayed: `${right.totalBytes} bytes, sha256 ${right.totalSha256}`,
        // Null when only bytes beyond those kept differ.
        bytes: await findFirstBytes(pair.recorded.path(path), pair.replayed.path(path)),
      });
    }
  }
  return differences;
}

/** Files of the writable places without their times: the first path that differs, and how many do. */
async function compareFiles(path: string, pair: BundlePair): Promise<readonly Difference[]> {
  const [left, right] = [await readEntries(pair.recorded, path), await readEntries(pair.replayed, path)];
  const differing = [...new Set([...left.keys(), ...right.keys()])].filter(
    (key) => !sameEntry(left.get(key), right.get(key)),
  );
  const [first] = differing;
  if (first === undefined) return [];
  const [recorded, replayed] = describeEntries(left.get(first), right.get(first));
  const where = differing.length === 1 ? first : `${first} and ${differing.length - 1} more`;
  return [{ kind: 'files', decisive: false, where, recorded, replayed, bytes: null }];
}

async function readEntries(
  bundle: StoredBundle,
  path: string,
): Promise<ReadonlyMap<string, Entry & Pick<FilesLine, 'when'>>> {
  const lines = await bundle.readLines<FilesLine>(path);
  return new Map(lines.map(({ mtimeMs: _mtimeMs, ...line }) => [`${line.when} ${line.path}`, line]));
}
