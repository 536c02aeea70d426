import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { CaseRun } from '../run/result.ts';
import type { FindingCode } from '../verify/finding.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { verifyBundle } from '../verify/verify.ts';
import { exportEvidence } from './export.ts';
import type { ExportInput } from './export-input.ts';
import { countOutcomes } from './report.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';

// Faults of a runner, put in on purpose where it hands its run to the exporter. Unlike a forgery, everything
// that follows from the fault is told consistently; the verifier must find it by deriving the run again.

let folder = '';
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-runner-faults-'));
});

after(() => rm(folder, { recursive: true, force: true }));

type Fault = (input: ExportInput) => ExportInput;

/** Findings on the evidence of a run of two cases, one passed and one failed, after a fault. */
async function findingsOf(fault: Fault): Promise<readonly string[]> {
  count += 1;
  const place = join(folder, String(count));
  const spool = join(place, 'spool');
  const cases = [await sampleCase(spool, 'help', 'pass'), await sampleCase(spool, 'broken', 'fail')];
  const input = fault(await sampleExport(place, cases));
  await exportEvidence(input);
  const { findings } = await verifyBundle(input.target, NOTHING_ASKED);
  return findings.map(({ code, path }) => `${code} ${path}`);
}

const retold: Fault = (input) => {
  const counts = countOutcomes(input.cases.map(({ outcome }) => outcome));
  const failed = counts.fail > 0;
  const report = {
    ...input.report,
    counts,
    exitCode: failed ? 1 : 0,
    result: failed ? 'failed' : 'passed',
  } as const;
  return { ...input, report };
};

function withCase(input: ExportInput, caseId: string, edit: (run: CaseRun) => CaseRun): ExportInput {
  return retold({ ...input, cases: input.cases.map((run) => (run.caseId === caseId ? edit(run) : run)) });
}

function withObservation(
  run: CaseRun,
  edit: (seen: NonNullable<CaseRun['attempts'][number]['observation']>) => object,
): CaseRun {
  const attempts = run.attempts.map((attempt) => {
    const { observation } = attempt;
    return observation === null
      ? attempt
      : { ...attempt, observation: { ...observation, ...edit(observation) } };
  });
  return { ...run, attempts };
}

const judged =
  (outcome: 'pass' | 'fail') =>
  (run: CaseRun): CaseRun => ({
    ...run,
    outcome,
    checks: run.checks.map((check) => ({ ...check, result: outcome })),
  });

const BROKEN = 'cases/broken@22.23.5/receipt.json';
const HELP = 'cases/help@22.23.5/receipt.json';

const FAULTS: readonly (readonly [name: string, code: FindingCode, path: string, fault: Fault])[] = [
  [
    'an outcome flipped in the exporter',
    'RECEIPT_OUTCOME',
    `${BROKEN}.outcome`,
    (input) => withCase(input, 'broken', (run) => ({ ...run, outcome: 'pass' })),
  ],
  [
    'an evaluator that passes what fails',
    'CHECK_RESULT',
    `${BROKEN}.checks[0] says-its-name`,
    (input) => withCase(input, 'broken', judged('pass')),
  ],
  [
    'an evaluator that fails what passes',
    'CHECK_RESULT',
    `${HELP}.checks[0] says-its-name`,
    (input) => withCase(input, 'help', judged('fail')),
  ],
  [
    'a receipt dropped',
    'RECEIPT_MISSING',
    BROKEN,
    (input) => retold({ ...input, cases: input.cases.filter(({ caseId }) => caseId !== 'broken') }),
  ],
  [
    'an expectation weakened to a warning while it was judged',
    'RECEIPT_CHECKS',
    `${BROKEN}.checks`,
    (input) =>
      withCase(input, 'broken', (run) => ({
        ...run,
        outcome: 'pass',
        checks: run.checks.map((check) => ({ ...check, severity: 'warn' })),
      })),
  ],
  [
    'an expectation left out while it was judged',
    'RECEIPT_CHECKS',
    `${BROKEN}.checks`,
    (input) => withCase(input, 'broken', (run) => ({ ...run, outcome: 'pass', checks: [] })),
  ],
  ...(['freeze', 'list', 'kill-all', 'drain', 'snapshot', 'close'] as const).map(
    (left): readonly [string, FindingCode, string, Fault] => [
      `the step ${left} of the end of a box left out`,
      'TEARDOWN_ORDER',
      `${HELP}.attempts[0].teardown`,
      (input) =>
        withCase(input, 'help', (run) =>
          withObservation(run, ({ teardown }) => ({
            teardown: teardown.filter(({ action }) => action !== left),
          })),
        ),
    ],
  ),
  [
    'a box killed before its processes were listed',
    'TEARDOWN_ORDER',
    `${HELP}.attempts[0].teardown`,
    (input) =>
      withCase(input, 'help', (run) =>
        withObservation(run, ({ teardown: [freeze, list, kill, ...rest] }) => ({
          teardown: [freeze, kill, list, ...rest].filter((event) => event !== undefined),
        })),
      ),
  ],
  [
    'a box used for two cases',
    'ATTEMPT_BOX',
    `${BROKEN}.attempts[0].boxId`,
    (input) => withCase(input, 'broken', (run) => withObservation(run, () => ({ boxId: 'box-help' }))),
  ],
];

test('a run without a fault is accepted', async () => {
  assert.deepEqual(await findingsOf(retold), []);
});

for (const [name, code, path, fault] of FAULTS) {
  test(`${name} is found as ${code}`, async () => {
    const found = await findingsOf(fault);
    assert.ok(found.includes(`${code} ${path}`), found.join('\n'));
  });
}
