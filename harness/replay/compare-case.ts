import { type AttemptRecord, type FilesLine, type Receipt, stepFolder } from '../evidence/receipt.ts';
import type { CompiledVolatile } from '../suite/compiled.ts';
import { streamKey, type Undecisive } from './asserted.ts';
import { type AttemptPlace, compareControls, compareKept } from './compare-looks.ts';
import { compareReceipts } from './compare-receipts.ts';
import type { Difference } from './difference.ts';
import { describeEntries, type Entry, sameEntry } from './entries.ts';
import { findFirstBytes } from './first-bytes.ts';
import type { StoredBundle } from './stored-bundle.ts';
import { whyFileDiffers, whyStreamDiffers } from './volatile.ts';

export interface BundlePair {
  readonly recorded: StoredBundle;
  readonly replayed: StoredBundle;
  /** Streams of which some check states every byte; see `streamKey`. */
  readonly asserted: ReadonlySet<string>;
  /** What is drift only; see `undecisiveParts`. */
  readonly undecisive: Undecisive;
  /** What may differ in each case that says so, by its id. */
  readonly volatile: ReadonlyMap<string, readonly CompiledVolatile[]>;
}

function partsOf(pair: BundlePair, caseId: string): readonly CompiledVolatile[] {
  return pair.volatile.get(caseId) ?? [];
}

/** Compares one case of two bundles: `folder` is `cases/<execution>` in both. */
export async function compareCase(folder: string, pair: BundlePair): Promise<readonly Difference[]> {
  const path = `${folder}/receipt.json`;
  const absent = [pair.recorded, pair.replayed].map(({ files }) => !files.has(path));
  if (absent.includes(true)) {
    const [recorded = '', replayed = ''] = absent.map((missing) => (missing ? 'absent' : 'present'));
    return [
      { kind: 'case-absent', decisive: true, volatile: null, where: '', recorded, replayed, bytes: null },
    ];
  }
  const left = await readReceipt(pair.recorded, path);
  const right = await readReceipt(pair.replayed, path);
  const differences = [...compareReceipts(left, right, pair.undecisive)];
  for (const [index, attempt] of left.attempts.entries()) {
    const other = right.attempts[index];
    if (other === undefined) break;
    differences.push(...(await compareStreams({ folder, caseId: left.caseId, attempt, other }, pair)));
    const { caseId } = left;
    const place = { ...pair, caseId, base: `${folder}/${attempt.folder}`, parts: partsOf(pair, caseId) };
    differences.push(...(await compareFiles(place)));
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
      const asserted = pair.asserted.has(streamKey(caseId, step.name, stream));
      const files = { recorded: pair.recorded.path(path), replayed: pair.replayed.path(path) };
      const parts = partsOf(pair, caseId).flatMap((part) =>
        part.kind === 'stream' && part.step === step.name && part.stream === stream ? [part] : [],
      );
      const volatile = await whyStreamDiffers(parts, { ...files, asserted });
      differences.push({
        kind: 'stream',
        decisive: asserted && volatile === null,
        volatile,
        where: `${step.name} ${stream}`,
        recorded: `${left.totalBytes} bytes, sha256 ${left.totalSha256}`,
        replayed: `${right.totalBytes} bytes, sha256 ${right.totalSha256}`,
        // Null when only bytes beyond those kept differ.
        bytes: await findFirstBytes(files.recorded, files.replayed),
      });
    }
  }
  return differences;
}

/**
 * Files of the writable places without their times: of those that the case says may differ, for each reason, and
 * of the others the first path that differs and how many do.
 */
async function compareFiles(place: AttemptPlace): Promise<readonly Difference[]> {
  const path = `${place.base}files.ndjson`;
  const [left, right] = [await readEntries(place.recorded, path), await readEntries(place.replayed, path)];
  const byReason = new Map<string | null, string[]>();
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    if (sameEntry(left.get(key), right.get(key))) continue;
    const reason = whyFileDiffers(place.parts, key.slice(key.indexOf(' ') + 1));
    byReason.set(reason, [...(byReason.get(reason) ?? []), key]);
  }
  return [...byReason].flatMap(([volatile, [first = '', ...more]]): readonly Difference[] => {
    const [recorded, replayed] = describeEntries(left.get(first), right.get(first));
    const where = more.length === 0 ? first : `${first} and ${more.length} more`;
    return [{ kind: 'files', decisive: false, volatile, where, recorded, replayed, bytes: null }];
  });
}

async function readEntries(
  bundle: StoredBundle,
  path: string,
): Promise<ReadonlyMap<string, Entry & Pick<FilesLine, 'when'>>> {
  const lines = await bundle.readLines<FilesLine>(path);
  return new Map(lines.map(({ mtimeMs: _mtimeMs, ...line }) => [`${line.when} ${line.path}`, line]));
}
