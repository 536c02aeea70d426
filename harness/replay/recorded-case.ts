import { toExecutionId } from '../evidence/paths.ts';
import type { AttemptRecord, Receipt } from '../evidence/receipt.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { versionsOf } from '../suite/node-versions.ts';
import { ReplayError } from './errors.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { StoredBundle } from './stored-bundle.ts';

/** Which box of a run is meant. */
export interface CaseName {
  /** An id, or an execution as results name it, `id@version`. */
  readonly caseId: string;
  /** From 1; null: no certain one. */
  readonly attempt: number | null;
  /** A version, or a major that one version of the run has. Null: what `caseId` says, else the first of the run. */
  readonly node: string | null;
}

/** A case of a run, and the part of the run that its box depends on: one case, one image. */
export interface RecordedCase {
  readonly run: RecordedRun;
  readonly case: CompiledCase;
  readonly node: string;
  readonly outcome: string;
  /** Null when the case has none. */
  readonly attempt: AttemptRecord | null;
}

/**
 * Finds a case of a run, with what the run recorded of it.
 *
 * @throws {ReplayError} CASE_UNKNOWN, NODE_UNKNOWN, ATTEMPT_UNKNOWN; those of reading the bundle
 */
export async function findCase(
  bundle: StoredBundle,
  run: RecordedRun,
  name: CaseName,
): Promise<RecordedCase> {
  // No id has an @.
  const at = name.caseId.indexOf('@');
  const [caseId, named] =
    at === -1 ? [name.caseId, null] : [name.caseId.slice(0, at), name.caseId.slice(at + 1)];
  const suite = run.suites.find((one) => one.suite.cases.some(({ id }) => id === caseId));
  const found = suite?.suite.cases.find(({ id }) => id === caseId);
  if (suite === undefined || found === undefined) {
    throw unknownCase(run, name.caseId);
  }
  const nodes = versionsOf(found, run.report.nodeVersions);
  const node = selectNode(nodes, named, name.node);
  const receipt = await readReceipt(bundle, toExecutionId(found.id, node));
  const attempts = receipt?.attempts ?? [];
  const attempt = attempts.find((one) => one.attempt === (name.attempt ?? 1)) ?? null;
  if (name.attempt !== null && attempt === null) {
    const expected = attempts.length === 0 ? 'a case that ran' : `1 to ${attempts.length}`;
    throw unknown('ATTEMPT_UNKNOWN', `${found.id}: ${name.attempt}`, expected);
  }
  const part = {
    ...run,
    // The archives of the other cases and suites lie in its image too.
    suites: run.suites.map((one) => ({
      ...one,
      suite: { ...one.suite, cases: one === suite ? [found] : [] },
    })),
    images: run.images.filter((image) => image.node === node),
  };
  return { run: part, case: found, node, outcome: receipt?.outcome ?? 'unrun', attempt };
}

/**
 * The version that a name and a flag mean together.
 *
 * @throws {ReplayError} NODE_UNKNOWN for a version that the case does not have, a major of none or several, and where
 * the two mean different ones
 */
function selectNode(nodes: readonly string[], named: string | null, flag: string | null): string {
  const asked = [named, flag].filter((one) => one !== null);
  const meant = asked.map((text) => {
    const fitting = nodes.filter((node) => node === text || node.split('.')[0] === text);
    const [node] = fitting;
    if (node === undefined || fitting.length > 1)
      throw unknown('NODE_UNKNOWN', text, `one of ${nodes.join(', ')}`);
    return node;
  });
  const [node = nodes[0] ?? '', other = node] = meant;
  if (other !== node) throw unknown('NODE_UNKNOWN', other, `${node}, as the name of the case says`);
  return node;
}

async function readReceipt(bundle: StoredBundle, execution: string): Promise<Receipt | null> {
  const path = `cases/${execution}/receipt.json`;
  if (!bundle.files.has(path)) return null;
  return JSON.parse((await bundle.read(path)).toString('utf8'));
}

/** Ids named in an error; more would hide the name that was asked for. */
const NAMED_CASES = 20;

function unknownCase(run: RecordedRun, caseId: string): ReplayError {
  const ids = run.suites.flatMap((one) => one.suite.cases.map(({ id }) => id));
  const more = ids.length > NAMED_CASES ? ` or ${ids.length - NAMED_CASES} more` : '';
  return unknown('CASE_UNKNOWN', caseId, `one of ${ids.slice(0, NAMED_CASES).join(', ')}${more}`);
}

function unknown(
  code: 'CASE_UNKNOWN' | 'NODE_UNKNOWN' | 'ATTEMPT_UNKNOWN',
  where: string,
  expected: string,
): ReplayError {
  return new ReplayError(code, 'case', { where, expected, actual: where });
}
