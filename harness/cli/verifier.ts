import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { packageRoot } from '../document/assets.ts';
import { CliError } from './errors.ts';

/** The verifier reads gigabytes at most; a hang of it must not hang a release. */
const VERIFIER_LIMIT_MS = 10 * 60_000;

/** Half the memory for a fifth more time on a bundle of ten thousand cases. */
const NODE_OPTIONS = ['--optimize-for-size'];

/** The verifier's program: the packed bin, or the compiled one in a checkout that was not bundled yet. */
export function verifierPath(): string {
  const packed = join(packageRoot(), 'bin', 'packproof-verify.js');
  if (existsSync(packed)) return packed;
  return fileURLToPath(new URL('../verify/main.js', import.meta.url));
}

export interface VerifierAnswer {
  readonly exitCode: number;
  readonly stdout: string;
}

/**
 * Runs the verifier as the separate program that it is, in a process of its own with an empty environment.
 *
 * `sheltered`: in a process group of its own, so that a Ctrl-C for a run that is over does not keep its
 * evidence from being read back.
 * @throws {CliError} VERIFIER_FAILED when it could not be run; that is never an accepted bundle.
 */
export async function runVerifier(args: readonly string[], sheltered = false): Promise<VerifierAnswer> {
  const result = await execa(process.execPath, [...NODE_OPTIONS, verifierPath(), ...args], {
    env: {},
    extendEnv: false,
    reject: false,
    detached: sheltered,
    timeout: VERIFIER_LIMIT_MS,
    stdin: 'ignore',
    stderr: 'inherit',
    stripFinalNewline: false,
  });
  if (result.exitCode === undefined) {
    throw new CliError('VERIFIER_FAILED', 'verifier', {
      where: verifierPath(),
      expected: 'an exit code',
      actual: result.shortMessage ?? 'none',
    });
  }
  return { exitCode: result.exitCode, stdout: result.stdout };
}
