import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import type { CaseRun } from '../run/result.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import type { NamedFile } from '../suite/observation.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { verifyBundle } from '../verify/verify.ts';
import { exportEvidence } from './export.ts';
import { sampleExport } from './testing/sample-evidence.ts';
import { guardedRun } from './testing/sample-guarded.ts';

// What the verifier cannot show of a control's program it says, and only then.

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-programs-'));
});

after(() => rm(folder, { recursive: true, force: true }));

const TOOL = { mode: '0755', sizeBytes: 1, sha256: 'c'.repeat(64) };
/** A file of the image that is not the candidate's. */
const TOOL_LINE = { ...TOOL, kind: 'file', path: 'tool', target: null };

/** What the verifier leaves open of the sample whose steps run this program, as the record has it. */
async function uncheckedOf(
  name: string,
  program: string,
  file: NamedFile['file'],
): Promise<readonly string[]> {
  const own = join(folder, name);
  const input = await sampleExport(own, [await guardedRun(join(own, 'spool'))]);
  const [image, suite, run] = [input.images[0], input.suites[0], input.cases[0]];
  assert.ok(image !== undefined && suite !== undefined && run !== undefined);
  await appendFile(image.inventoryFile, Buffer.concat([toCanonicalBytes(TOOL_LINE), Buffer.from('\n')]));
  const readback = { ...image.readback, filesCompared: image.readback.filesCompared + 1 };
  const compiled: CompiledSuite = JSON.parse(Buffer.from(suite.bytes).toString('utf8'));
  const cases = compiled.cases.map((one) => ({
    ...one,
    steps: one.steps.map((step) => started(step, program)),
  }));
  await exportEvidence({
    ...input,
    images: [{ ...image, readback }],
    suites: [{ ...suite, bytes: toCanonicalBytes({ ...compiled, cases }) }],
    cases: [ranWith(run, program, file)],
  });
  const { findings, unchecked } = await verifyBundle(input.target, NOTHING_ASKED);
  assert.deepEqual(findings, []);
  return unchecked.filter((line) => /controls/.test(line));
}

function started<S extends { readonly argv: readonly string[] }>(step: S, program: string): S {
  return { ...step, argv: [program, ...step.argv.slice(1)] };
}

function ranWith(run: CaseRun, program: string, file: NamedFile['file']): CaseRun {
  const attempts = run.attempts.map((attempt) => {
    if (attempt.observation === null) return attempt;
    const steps = attempt.observation.steps.map((step) => started(step, program));
    const controls = attempt.observation.controls.map((control) => ({
      ...control,
      program: [{ word: 0, file }, ...control.program.slice(1)],
    }));
    return { ...attempt, observation: { ...attempt.observation, steps, controls } };
  });
  return { ...run, attempts };
}

test('a program of the candidate follows from its archive, and nothing is left open', async () => {
  const run = await guardedRun(join(folder, 'plain'));
  const file = run.attempts[0]?.observation?.controls[0]?.program[0]?.file ?? null;
  assert.ok(file !== null);
  assert.deepEqual(await uncheckedOf('own', '/opt/candidate/node_modules/.bin/sample', file), []);
  const copy = file.path.replace('/opt/candidate/', '/opt/candidate/global/lib/');
  assert.deepEqual(
    await uncheckedOf('copy', '/opt/candidate/global/bin/sample', { ...file, path: copy }),
    [],
  );
});

test('a program beside the candidate is only as good as the inventory, which is said', async () => {
  assert.deepEqual(await uncheckedOf('tool', '/tool', { ...TOOL, path: '/tool' }), [
    'that the programs of 3 controls and references are those of pinned archives: the inventory alone has their digests',
  ]);
});

test('a program that no listing has is said to be unknown', async () => {
  assert.deepEqual(await uncheckedOf('kernel', '/proc/self/exe', null), [
    'what 3 controls and references ran: no listed file is their program',
  ]);
});
