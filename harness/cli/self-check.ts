import { readdir } from 'node:fs/promises';
import { SELF_CHECK_KINDS } from '../tamper/kinds.ts';
import { tamperEvidence } from '../tamper/tamper.ts';
import type { Progress } from './output.ts';
import type { SelfCheck } from './result-document.ts';
import { verifierPath } from './verifier.ts';

/** A verdict on more files takes so long that a handful of changes would be most of a run. */
const FILES_LIMIT = 2000;
/** Beside the start of the verifiers: a second or two of every release are well spent on this, more are not. */
const BUDGET_MS = 1500;

/**
 * Tampers with evidence that was just made and accepted, a few changes of each kind, and says loudly what the
 * verifier took. Null when there is too much of it, or nobody waits any more.
 *
 * @throws {TamperError} when it could not be tried
 */
export async function selfCheck(
  evidence: string,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<SelfCheck | null> {
  const entries = await readdir(evidence, { recursive: true });
  if (signal.aborted || entries.length > FILES_LIMIT) return null;
  progress.say('tamper', 'changing the evidence, in the verifier\u2019s eyes alone');
  const { kinds, mutations, accepted } = await tamperEvidence({
    evidence,
    verifier: verifierPath(),
    key: null,
    levels: ['a', 'b', 'c'],
    only: SELF_CHECK_KINDS,
    seed: '1',
    extent: 'short',
    budgetMs: BUDGET_MS,
    signal,
    say: () => undefined,
  });
  for (const { kind, place } of accepted) {
    progress.error(`the verifier accepted evidence that was tampered with: ${kind} at ${place}`);
  }
  return {
    kinds: kinds.filter(({ state }) => state === 'exercised').length,
    mutations,
    accepted: accepted.map(({ kind, place }) => ({ kind, place })),
  };
}
