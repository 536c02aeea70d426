import { ReplayError } from './errors.ts';

/**
 * Only what the verifier accepts is used.
 *
 * @throws {ReplayError} the code given
 */
export async function requireAccepted(
  code: 'EVIDENCE_REJECTED' | 'REPLAY_REJECTED',
  readBack: (evidence: string) => Promise<boolean>,
  evidence: string,
): Promise<void> {
  if (await readBack(evidence)) return;
  throw new ReplayError(code, 'evidence', {
    where: evidence,
    expected: 'evidence that the verifier accepts',
    actual: 'rejected',
  });
}
