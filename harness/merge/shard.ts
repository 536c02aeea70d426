import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../document/digest.ts';
import type { BundleFile } from '../evidence/bundle-folder.ts';
import { toPathSegment } from '../evidence/paths.ts';
import type { Receipt } from '../evidence/receipt.ts';
import type { RunReport } from '../evidence/report.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { MergeError } from './errors.ts';

/** One shard's bundle, which the verifier accepted. */
export interface Shard {
  readonly folder: string;
  readonly index: number;
  readonly count: number;
  readonly bundleSha256: string;
  readonly report: RunReport;
  readonly files: readonly BundleFile[];
  /** Signatures of its statements, none of an unsigned shard. */
  readonly envelopes: readonly string[];
  readonly suites: readonly CompiledSuite[];
}

/**
 * Reads what merging needs of a bundle that was just accepted; every file is held against the index again.
 *
 * @throws {MergeError} NOT_A_SHARD, SHARD_BLOCKED, SHARD_UNREADABLE
 */
export async function readShard(folder: string): Promise<Shard> {
  const indexBytes = await readFile(join(folder, 'bundle.json')).catch((cause: unknown) => {
    throw unreadable(folder, 'bundle.json', cause);
  });
  const { files }: { readonly files: readonly BundleFile[] } = JSON.parse(indexBytes.toString('utf8'));
  const reading = { folder, files };
  if (files.some(({ path }) => path === 'shards.json')) throw notShard(folder, 'a merged bundle');
  const report: RunReport = JSON.parse((await readListed(reading, 'report.json')).toString('utf8'));
  if (report.blocked !== null) {
    const actual = `${report.blocked.stage}: ${report.blocked.code}`;
    throw new MergeError('SHARD_BLOCKED', 'shard', { where: folder, expected: 'a run', actual });
  }
  const { shard } = report.selection;
  if (shard === null) throw notShard(folder, 'a run of all cases');
  const suites = await Promise.all(
    report.suites.map(async ({ id }) =>
      parseCompiledSuiteBytes(await readListed(reading, `inputs/suites/${toPathSegment(id)}/suite.json`)),
    ),
  );
  const { index, count } = shard;
  const envelopes = (await readdir(folder)).filter((name) => name.endsWith('.dsse.json'));
  return { folder, index, count, bundleSha256: sha256Hex(indexBytes), report, files, envelopes, suites };
}

/** The receipt of one execution, by its folder's name. @throws {MergeError} SHARD_UNREADABLE */
export async function readReceipt(shard: Shard, execution: string): Promise<Receipt> {
  return JSON.parse((await readListed(shard, `cases/${execution}/receipt.json`)).toString('utf8'));
}

/** @throws {MergeError} SHARD_UNREADABLE also when the bytes are no longer those of the index */
export async function readListed(shard: Pick<Shard, 'folder' | 'files'>, path: string): Promise<Buffer> {
  const bytes = await readFile(join(shard.folder, path)).catch((cause: unknown) => {
    throw unreadable(shard.folder, path, cause);
  });
  const listed = shard.files.find((file) => file.path === path);
  if (listed?.sha256 === sha256Hex(bytes)) return bytes;
  throw unreadable(shard.folder, path, new Error('other bytes than when it was accepted'));
}

function unreadable(folder: string, path: string, cause: unknown): MergeError {
  const actual = cause instanceof Error ? cause.message : String(cause);
  return new MergeError('SHARD_UNREADABLE', 'shard', {
    where: join(folder, path),
    expected: 'a file',
    actual,
    cause,
  });
}

function notShard(where: string, actual: string): MergeError {
  return new MergeError('NOT_A_SHARD', 'shard', {
    where,
    expected: 'evidence of a run with --shard',
    actual,
  });
}
