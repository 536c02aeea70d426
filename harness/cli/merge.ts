import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { refuseNonEmpty } from '../evidence/bundle-folder.ts';
import { MergeError } from '../merge/errors.ts';
import { mergeShards } from '../merge/merge.ts';
import { findEvidence } from './evidence-argument.ts';
import { EXIT } from './exit-code.ts';
import { newRunId, toAbsolute } from './folders.ts';
import { requireUsable } from './out-folder.ts';
import { toJsonLine, writeResult } from './output.ts';
import type { Session } from './session.ts';
import { readBack } from './signing.ts';

export interface MergeFlags {
  readonly out: string;
  /** Public key that must have signed every shard. */
  readonly key?: string;
}

/**
 * `packproof merge`: every shard is read back by the verifier, the shards are merged, and the merged bundle is
 * read back too. Exit code 0 whatever the run came to, which the result tells; 4 when anything is refused.
 */
export async function mergeCommand(
  folders: readonly string[],
  flags: MergeFlags,
  session: Session,
): Promise<number> {
  const { progress } = session;
  const target = toAbsolute(flags.out);
  await refuseNonEmpty(target);
  await requireUsable('--out', target);
  const shards = await Promise.all(folders.map(findEvidence));
  const args = flags.key === undefined ? [] : ['--key', toAbsolute(flags.key), '--require', 'signed'];
  for (const shard of shards) {
    progress.say('merge', `reading ${shard}`);
    if ((await readBack(shard, args, progress)).accepted) continue;
    throw rejected('SHARD_REJECTED', shard);
  }
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const report = await mergeShards({ shards, target, runId });
  progress.say('verify', 'reading the merged evidence back');
  const answer = await readBack(target, ['--candidate', report.candidate.sha512], progress);
  if (!answer.accepted) {
    await rm(target, { recursive: true, force: true });
    throw rejected('MERGE_REJECTED', target);
  }
  const { counts } = report;
  const result = {
    formatVersion: 1,
    evidence: flags.out,
    shards: shards.length,
    runExitCode: answer.exitCode,
    counts,
  };
  await writeResult(session.json ? toJsonLine(result) : toText(result));
  return EXIT.passed;
}

function rejected(code: 'SHARD_REJECTED' | 'MERGE_REJECTED', where: string): MergeError {
  return new MergeError(code, 'evidence', {
    where,
    expected: 'evidence that the verifier accepts',
    actual: 'rejected',
  });
}

function toText(result: {
  readonly evidence: string;
  readonly shards: number;
  readonly runExitCode: number;
  readonly counts: Readonly<Record<string, number>>;
}): string {
  const counts = Object.entries(result.counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return `merged ${result.shards} shards: ${counts.join(', ')}\n  run exit code ${result.runExitCode}\n  evidence ${result.evidence}\n`;
}
