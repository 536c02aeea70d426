import { spawnSync } from 'node:child_process';

/** The interpreter of the box's own first process; it can call what Node cannot. */
export const PERL = '/.packproof/perl';

/** Runs a script with our own stdio. */
export function runPerl(script) {
  const { status, signal } = spawnSync(PERL, ['-e', script], { stdio: 'inherit' });
  process.exitCode = signal === null ? (status ?? 1) : 99;
}
