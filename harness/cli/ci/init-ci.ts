import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-code.ts';
import { toAbsolute } from '../folders.ts';
import { writeNew } from '../new-file.ts';
import { writeResult } from '../output.ts';
import { ownVersion } from '../own-version.ts';
import type { Session } from '../session.ts';
import { parseCount } from '../values.ts';
import { toGithubWorkflow } from './github-workflow.ts';
import { toKubernetesJob } from './kubernetes-job.ts';

export type CiSystem = 'github' | 'kubernetes';

export interface CiFlags {
  readonly ci: CiSystem;
  readonly shards?: string;
  readonly out?: string;
}

/** GitHub makes at most 256 jobs of one matrix. */
const MAX_SHARDS = 256;
const DEFAULT_SHARDS = '4';

/**
 * `packproof init --ci`: prints what runs a suite on several machines, or writes it to a file that is not there.
 *
 * @throws {UsageError} FLAG_VALUE, CI_FILE_EXISTS
 */
export async function initCiCommand(flags: CiFlags, session: Session): Promise<number> {
  if (session.json) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: '--json',
      expected: 'no --ci beside it',
      actual: 'one',
    });
  }
  const shards = parseShards(flags.shards ?? DEFAULT_SHARDS);
  const text = flags.ci === 'github' ? toGithubWorkflow(shards, ownVersion()) : toKubernetesJob(shards);
  if (flags.out === undefined) {
    await writeResult(text);
    return EXIT.passed;
  }
  const file = toAbsolute(flags.out);
  await mkdir(dirname(file), { recursive: true });
  await writeNew(file, text, 'CI_FILE_EXISTS');
  session.progress.say('init', `${file}: read its head before it is used`);
  await writeResult(`${file}\n`);
  return EXIT.passed;
}

/** One shard is no split: `packproof check` does that. */
function parseShards(text: string): number {
  const count = parseCount('--shards', text, MAX_SHARDS);
  if (count > 1) return count;
  throw new UsageError('FLAG_VALUE', 'flag', {
    where: '--shards',
    expected: `a whole number from 2 to ${MAX_SHARDS}`,
    actual: text,
  });
}
