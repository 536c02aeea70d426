import { toExecutionId, toPathSegment } from '../evidence/paths.ts';
import { stepFolder } from '../evidence/receipt.ts';
import { MISTYPED, type SeenAnswer, type SeenBin } from '../suite/language/seen-cases.ts';
import { localLink } from '../suite/layout.ts';
import { findCase } from './recorded-case.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { StoredBundle } from './stored-bundle.ts';

const ASKED = { help: '--help', version: '--version', mistyped: MISTYPED } as const;

/**
 * How a bin answered the first time that a case of a run asked it so: started by npm's link with that one argument.
 * Bytes that are no UTF-8 are replaced: names are looked for in it, and nothing is compared.
 *
 * @throws {ReplayError} EVIDENCE_UNREADABLE, EVIDENCE_CHANGED
 */
export async function readSeenBin(bundle: StoredBundle, run: RecordedRun, bin: string): Promise<SeenBin> {
  const link = localLink(bin);
  const seen: { -readonly [key in keyof SeenBin]: SeenBin[key] } = {
    help: null,
    version: null,
    mistyped: null,
  };
  for (const { id, steps } of run.suites.flatMap(({ suite }) => suite.cases)) {
    for (const [key, flag] of Object.entries(ASKED) as readonly (readonly [keyof SeenBin, string])[]) {
      const index = steps.findIndex(({ argv }) => argv.length === 2 && argv[0] === link && argv[1] === flag);
      if (index < 0) continue;
      seen[key] ??= await readAnswer(bundle, run, { caseId: id, index });
    }
  }
  return seen;
}

async function readAnswer(
  bundle: StoredBundle,
  run: RecordedRun,
  { caseId, index }: { readonly caseId: string; readonly index: number },
): Promise<SeenAnswer | null> {
  const { attempt, node } = await findCase(bundle, run, { caseId, attempt: null, node: null });
  const step = attempt?.steps[index];
  if (attempt === null || step === undefined) return null;
  const execution = toPathSegment(toExecutionId(caseId, node));
  const folder = `cases/${execution}/${attempt.folder}${stepFolder(index, step.name)}`;
  const text = async (stream: 'stdout' | 'stderr'): Promise<string> =>
    (await bundle.read(`${folder}/${stream}`)).toString('utf8');
  const { termination } = step;
  return {
    exitCode: termination.kind === 'exited' ? termination.code : null,
    stdout: await text('stdout'),
    stderr: await text('stderr'),
  };
}
