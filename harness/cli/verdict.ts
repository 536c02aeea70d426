import { CliError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import type { VerifierAnswer } from './verifier.ts';

/** What the verifier said of evidence, once it is sure that it has judged. */
export type VerdictRead =
  | { readonly verdict: 'accepted' }
  | { readonly verdict: 'rejected'; readonly findings: unknown };

/**
 * The verdict in a verifier's `--json` answer. Its document and its exit code must say the same: a verifier that
 * broke off, or that is not the one that it should be, has not judged.
 *
 * @throws {CliError} VERIFIER_FAILED
 */
export function readVerdict({ exitCode, stdout }: VerifierAnswer): VerdictRead {
  const document = parse(stdout);
  if (document.verdict === 'rejected' && exitCode === EXIT.evidenceRejected) {
    return { verdict: 'rejected', findings: document.findings };
  }
  if (document.verdict === 'accepted' && exitCode !== EXIT.evidenceRejected) {
    if (document.runExitCode === exitCode) return { verdict: 'accepted' };
  }
  throw failed(stdout, `exit code ${exitCode}`);
}

/**
 * Holds an answer for people, which is passed on unread, to its first word.
 *
 * @throws {CliError} VERIFIER_FAILED
 */
export function requireAnswer({ exitCode, stdout }: VerifierAnswer): void {
  if (exitCode === EXIT.usage) return;
  const word = exitCode === EXIT.evidenceRejected ? 'rejected' : 'accepted';
  if (!new RegExp(`^${word}( run |\\n)`).test(stdout)) throw failed(stdout, `exit code ${exitCode}`);
}

function parse(text: string): {
  readonly verdict?: unknown;
  readonly findings?: unknown;
  readonly runExitCode?: unknown;
} {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (cause) {
    throw failed(text, 'no JSON', cause);
  }
}

function failed(text: string, how: string, cause?: unknown): CliError {
  const actual = `${how}: ${JSON.stringify(text.slice(0, 200))}`;
  const details = { where: 'its answer', expected: 'a verdict and the exit code that goes with it', actual };
  return new CliError('VERIFIER_FAILED', 'verifier', cause === undefined ? details : { ...details, cause });
}
