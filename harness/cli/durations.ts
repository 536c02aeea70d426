import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../document/json-record.ts';
import { readRegularFile } from '../document/regular-file.ts';
import { type Durations, toDurations } from '../run/durations.ts';
import { UsageError } from './errors.ts';
import { toAbsolute } from './folders.ts';

/** As the format: a day, as many cases as evidence may hold. */
const LONGEST_MS = 86_400_000;
const CASE_ID = /^[a-z0-9][a-z0-9._-]{0,119}$/;

/**
 * What `--durations` names: earlier evidence, merged or not, or an `inputs/durations.json` of such. Wrong
 * durations only make a bad balance, so earlier evidence is read and not verified.
 *
 * @throws {UsageError} DURATIONS_UNREADABLE
 */
export async function readDurationsFlag(path: string | undefined): Promise<Durations | null> {
  if (path === undefined) return null;
  const place = toAbsolute(path);
  const status = await lstat(place).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause.code ?? '', cause);
  });
  const ms = status.isDirectory() ? await readEvidence(place) : await readDocument(place);
  if (ms.size === 0) throw unreadable(path, 'no duration of a case');
  return toDurations(ms);
}

async function readDocument(file: string): Promise<ReadonlyMap<string, number>> {
  const document = await readJson(file);
  const cases = isRecord(document) && document['formatVersion'] === 1 ? document['cases'] : null;
  if (!isRecord(cases)) throw unreadable(file, 'no document of durations');
  return new Map(
    Object.entries(cases).map(([id, ms]) => {
      if (CASE_ID.test(id) && isDuration(ms)) return [id, ms];
      throw unreadable(file, `${id}: ${JSON.stringify(ms)}`);
    }),
  );
}

/** The longest that each case took, over Node versions; the steps of all attempts together. */
async function readEvidence(folder: string): Promise<ReadonlyMap<string, number>> {
  const shards = await readdir(join(folder, 'shards')).catch(() => []);
  const folders = shards.length > 0 ? shards.map((name) => join(folder, 'shards', name)) : [folder];
  const longest = new Map<string, number>();
  for (const one of folders) {
    const cases = join(one, 'cases');
    const names = await readdir(cases).catch((cause: NodeJS.ErrnoException) => {
      throw unreadable(cases, cause.code ?? '', cause);
    });
    for (const name of names) {
      const [id, ms] = readReceipt(await readJson(join(cases, name, 'receipt.json')), join(cases, name));
      if (ms > 0) longest.set(id, Math.max(ms, longest.get(id) ?? 0));
    }
  }
  return longest;
}

function readReceipt(receipt: unknown, where: string): readonly [string, number] {
  const { caseId, attempts }: Readonly<Record<string, unknown>> = isRecord(receipt) ? receipt : {};
  if (typeof caseId !== 'string' || !CASE_ID.test(caseId) || !Array.isArray(attempts)) {
    throw unreadable(where, 'no receipt');
  }
  const steps = attempts.flatMap((attempt: unknown) =>
    isRecord(attempt) && Array.isArray(attempt['steps']) ? (attempt['steps'] as readonly unknown[]) : [],
  );
  const took = steps.map((step) => (isRecord(step) ? Number(step['durationMs']) : Number.NaN));
  const ms = Math.ceil(took.reduce((sum, one) => sum + one, 0));
  if (!isDuration(ms)) throw unreadable(where, `a duration of ${ms}`);
  return [caseId, ms];
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readRegularFile(file)).toString('utf8'));
  } catch (cause) {
    throw unreadable(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LONGEST_MS;
}

function unreadable(where: string, actual: string, cause?: unknown): UsageError {
  return new UsageError('DURATIONS_UNREADABLE', 'durations', {
    where,
    expected: 'evidence of an earlier run, or a durations.json',
    actual,
    cause,
  });
}
