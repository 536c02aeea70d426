import { writeResult } from './output.ts';
import type { SessionFlags } from './session.ts';
import { runVerifier } from './verifier.ts';

/** `packproof verify`: runs the separate verifier and passes its answer and exit code on. */
export async function verifyCommand(
  evidence: string,
  flags: { readonly candidate?: string; readonly nonce?: string } & SessionFlags,
): Promise<number> {
  const args = [
    ...(flags.candidate === undefined ? [] : ['--candidate', flags.candidate]),
    ...(flags.nonce === undefined ? [] : ['--nonce', flags.nonce]),
    ...(flags.json === true ? ['--json'] : []),
    '--',
    evidence,
  ];
  const answer = await runVerifier(args);
  await writeResult(answer.stdout);
  return answer.exitCode;
}
