import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../document/assets.ts';

/** What the page on checking evidence asks its reader to set; `work` is an empty folder. */
export interface Reader {
  readonly evidence: string;
  readonly key: string;
  readonly work: string;
}

/** Runs the commands of a section of the page as its reader would paste them; the exit code. */
export async function runDocumented(section: string, reader: Reader): Promise<number | null> {
  const text = await readFile(join(packageRoot(), 'docs', 'checking-evidence.md'), 'utf8');
  const [, commands] = new RegExp(`\`\`\`sh ${section}\n([^]*?)\`\`\``).exec(text) ?? [];
  if (commands === undefined) throw new Error(`no commands of ${section}`);
  const { evidence: EVIDENCE, key: KEY, work: WORK } = reader;
  const env = { PATH: process.env.PATH ?? '', EVIDENCE, KEY, WORK };
  return spawnSync('bash', ['-c', `set -euo pipefail\n${commands}`], { env, stdio: 'ignore' }).status;
}
