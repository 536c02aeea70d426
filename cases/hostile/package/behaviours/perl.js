import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BOX_PERL = '/.packproof/perl';
/** The interpreter of the box's own first process, else the machine's; it can call what Node cannot. */
export const PERL = existsSync(BOX_PERL) ? BOX_PERL : 'perl';

/** Runs a script with our own stdio. */
export function runPerl(script) {
  const { status, signal } = spawnSync(PERL, ['-e', script], { stdio: 'inherit' });
  process.exitCode = signal === null ? (status ?? 1) : 99;
}
