import { EXIT } from './exit-code.ts';
import { writeResult } from './output.ts';
import type { SessionFlags } from './session.ts';
import { readVerdict, requireAnswer } from './verdict.ts';
import { runVerifier } from './verifier.ts';

/** What the verifier is told from outside; it judges the values itself. */
export interface VerifyFlags {
  readonly candidate?: string;
  readonly suite?: readonly string[];
  readonly nonce?: string;
  readonly key?: string;
  readonly finishedAfter?: string;
  readonly require?: readonly string[];
  readonly archives?: string;
  readonly replay?: string;
}

/**
 * `packproof verify`: runs the separate verifier and passes its answer and exit code on.
 *
 * @throws {CliError} VERIFIER_FAILED for an answer that is no verdict
 */
export async function verifyCommand(evidence: string, flags: VerifyFlags & SessionFlags): Promise<number> {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--candidate', flags.candidate],
    ['--nonce', flags.nonce],
    ['--key', flags.key],
    ['--finished-after', flags.finishedAfter],
    ['--archives', flags.archives],
    ['--replay', flags.replay],
    ...(flags.suite ?? []).map((sha256) => ['--suite', sha256] as const),
    ...(flags.require ?? []).map((list) => ['--require', list] as const),
  ];
  const args = given.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
  const json = flags.json === true ? ['--json'] : [];
  const answer = await runVerifier([...args, ...json, '--', evidence]);
  if (flags.json === true && answer.exitCode !== EXIT.usage) readVerdict(answer);
  else requireAnswer(answer);
  await writeResult(answer.stdout);
  return answer.exitCode;
}
