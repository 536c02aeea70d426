import { SigningError } from '../evidence/signing/errors.ts';
import { readSigningKey } from '../evidence/signing/key.ts';
import { findEvidence } from './evidence-argument.ts';
import { EXIT } from './exit-code.ts';
import { toAbsolute } from './folders.ts';
import { toJsonLine, writeResult } from './output.ts';
import type { Session } from './session.ts';
import { readBackAndSign } from './signing.ts';

/** `packproof sign`: signs evidence that the verifier accepts, whatever the outcome of the run that it tells of. */
export async function signCommand(
  evidence: string,
  flags: { readonly key: string; readonly replace?: boolean },
  session: Session,
): Promise<number> {
  const signer = await readSigningKey(toAbsolute(flags.key));
  const { progress, json } = session;
  const answer = await readBackAndSign({
    evidence: await findEvidence(evidence),
    args: [],
    signer,
    replace: flags.replace === true,
    progress,
  });
  if (!answer.accepted) {
    throw new SigningError('EVIDENCE_REJECTED', 'sign', {
      where: evidence,
      expected: 'evidence that the verifier accepts',
      actual: 'rejected',
    });
  }
  const { keyId } = signer;
  await writeResult(
    json
      ? toJsonLine({ formatVersion: 1, evidence, keyId, runExitCode: answer.exitCode })
      : `signed ${keyId}\n  run exit code ${answer.exitCode}\n`,
  );
  return EXIT.passed;
}
