import type { Level } from '../tamper/kind.ts';
import { LEVELS } from '../tamper/kind.ts';
import { tamperEvidence } from '../tamper/tamper.ts';
import { UsageError } from './errors.ts';
import { findEvidence } from './evidence-argument.ts';
import { toAbsolute } from './folders.ts';
import { toJsonLine, writeResult } from './output.ts';
import type { Session } from './session.ts';
import { toTamperText } from './tamper-text.ts';
import { parseList } from './values.ts';
import { verifierPath } from './verifier.ts';

export interface TamperFlags {
  readonly key?: string;
  readonly level?: string;
  readonly only?: readonly string[];
  readonly seed: string;
  readonly all?: boolean;
}

/** `packproof tamper`: changes evidence in every known way, in the verifier's eyes alone, and says what it took. */
export async function tamperCommand(evidence: string, flags: TamperFlags, session: Session): Promise<number> {
  const document = await tamperEvidence({
    evidence: await findEvidence(evidence),
    verifier: verifierPath(),
    key: flags.key === undefined ? null : toAbsolute(flags.key),
    levels: flags.level === undefined ? LEVELS : parseLevels(flags.level),
    only: flags.only ?? [],
    seed: flags.seed,
    extent: flags.all === true ? 'all' : 'whole',
    budgetMs: null,
    signal: new AbortController().signal,
    say: (text) => session.progress.say('tamper', text),
  });
  await writeResult(session.json ? toJsonLine({ ...document, evidence }) : toTamperText(document));
  return document.exitCode;
}

/** @throws {UsageError} FLAG_VALUE */
function parseLevels(text: string): readonly Level[] {
  const words = parseList('--level', text);
  const levels = LEVELS.filter((level) => words.includes(level));
  if (levels.length === words.length) return levels;
  throw new UsageError('FLAG_VALUE', 'flag', { where: '--level', expected: LEVELS.join(', '), actual: text });
}
