import type { SigningKey } from '../evidence/signing/key.ts';
import { readStatements, removeSignature, signEvidence } from '../evidence/signing/sign.ts';
import { EXIT } from './exit-code.ts';
import type { Progress } from './output.ts';
import { readVerdict } from './verdict.ts';
import { runVerifier } from './verifier.ts';

export interface ReadBack {
  readonly accepted: boolean;
  /** The verifier's: 4 when rejected, else the run's own as re-derived. */
  readonly exitCode: number;
  /** Id of the key that signed it just now; null: nothing did. */
  readonly signedBy: string | null;
}

/**
 * Accepted only when the verifier said so in its own document, not by its exit code alone.
 *
 * @throws {CliError} VERIFIER_FAILED
 */
export async function readBack(
  evidence: string,
  args: readonly string[],
  progress: Progress,
): Promise<ReadBack> {
  const answer = await runVerifier(['--json', ...args, '--', evidence], true);
  const verdict = readVerdict(answer);
  if (verdict.verdict === 'accepted') return { accepted: true, exitCode: answer.exitCode, signedBy: null };
  progress.error(`evidence rejected: ${JSON.stringify(verdict.findings)}`);
  return { accepted: false, exitCode: EXIT.evidenceRejected, signedBy: null };
}

/**
 * Reads a bundle back and signs it when the verifier accepted it; nothing is signed that was not.
 *
 * @throws {SigningError} when it cannot be signed
 */
export async function readBackAndSign(request: {
  readonly evidence: string;
  readonly args: readonly string[];
  /** Null: only read back. */
  readonly signer: SigningKey | null;
  /** In the place of an earlier signature, whosever it is. */
  readonly replace?: boolean;
  readonly progress: Progress;
}): Promise<ReadBack> {
  const { evidence, args, signer, progress } = request;
  const statements = signer === null ? null : await readStatements(evidence);
  const answer = await readBack(evidence, args, progress);
  if (signer === null || statements === null || !answer.accepted) return answer;
  if (request.replace === true) await removeSignature(evidence);
  await signEvidence(evidence, statements, signer);
  progress.say('sign', `signed by key ${signer.keyId}`);
  return { ...(await readBack(evidence, args, progress)), signedBy: signer.keyId };
}
