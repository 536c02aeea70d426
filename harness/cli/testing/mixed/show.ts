import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Receipt, StepRecord } from '../../../evidence/receipt.ts';
import { assertAccepted } from '../documents.ts';
import type { Workbench } from '../workbench.ts';
import { type MixedSuite, mixedSuite, packMixed } from './suite.ts';

export interface MixedPlan {
  readonly engine: 'runc' | 'docker';
  /** Seeds of whole runs, each in an order of its own. */
  readonly seeds: readonly string[];
  /** 0: no run in shards. */
  readonly shards: number;
  readonly budget?: string;
}

/** What one run, or shards together, came to: a text for each case that says all that must be the same. */
export interface MixedRun {
  readonly name: string;
  readonly words: ReadonlyMap<string, string>;
  readonly seconds: number;
}

/** No outcome may depend on how fast the machine is. */
const LIMITS = ['--case-timeout', '15m'];
const RUN_LIMIT_MS = 1_800_000;

/** Prepares the mixed suite of so many cases in `bench`; the context's folder and what its cases come to. */
export async function prepareMixed(
  bench: Workbench,
  cases: number,
): Promise<{ readonly context: string; readonly suite: MixedSuite }> {
  const suite = mixedSuite(cases);
  await bench.writeFile('mixed.tgz', packMixed());
  await bench.writeFile('mixed.yaml', suite.text);
  const context = join(bench.work, 'mixed-context');
  const args = ['--suite', 'mixed.yaml', '--out', context, '--node', '22', '--engine', 'runc'];
  const answer = await bench.run(['prepare', 'mixed.tgz', ...args]);
  assert.equal(answer.exitCode, 0, answer.stderr);
  return { context, suite };
}

/**
 * Runs the suite whole with each seed, and in shards that are merged. Each evidence is read back, and each case
 * must come to what the suite says it does.
 */
export async function showMixed(
  bench: Workbench,
  { context, suite }: { readonly context: string; readonly suite: MixedSuite },
  plan: MixedPlan,
): Promise<readonly MixedRun[]> {
  const budget = ['--budget', plan.budget ?? '180s'];
  const run = async (out: string, flags: readonly string[]): Promise<void> => {
    const args = ['run', context, '--engine', plan.engine, '--out', out, ...LIMITS, ...budget, ...flags];
    const answer = await bench.run(args, { limitMs: RUN_LIMIT_MS });
    assert.ok(answer.exitCode === 0 || answer.exitCode === 1, answer.stderr);
  };
  const runs: MixedRun[] = [];
  for (const seed of plan.seeds) {
    const name = `${plan.engine}-${seed}`;
    const startedAt = performance.now();
    await run(name, ['--shuffle', seed]);
    runs.push(await toRun(bench, name, { suite, startedAt }));
  }
  if (plan.shards === 0) return runs;
  const startedAt = performance.now();
  const shards = Array.from({ length: plan.shards }, (_, index) => `${plan.engine}-shard-${index + 1}`);
  for (const [index, shard] of shards.entries()) await run(shard, ['--shard', `${index + 1}/${plan.shards}`]);
  const name = `${plan.engine}-merged`;
  const merged = await bench.run(['merge', ...shards, '--out', name]);
  assert.equal(merged.exitCode, 0, merged.stderr);
  runs.push(await toRun(bench, name, { suite, startedAt }));
  return runs;
}

/** The cases that came out differently in some runs, with what they came to in each. */
export function differingCases(runs: readonly MixedRun[]): readonly string[] {
  const ids = new Set(runs.flatMap(({ words }) => [...words.keys()]));
  return [...ids].flatMap((id) => {
    const words = runs.map((run) => `${run.name}: ${run.words.get(id) ?? 'absent'}`);
    const told = new Set(runs.map((run) => run.words.get(id)));
    return told.size === 1 ? [] : [[id, ...words].join('\n  ')];
  });
}

async function toRun(
  bench: Workbench,
  name: string,
  { suite, startedAt }: { readonly suite: MixedSuite; readonly startedAt: number },
): Promise<MixedRun> {
  const seconds = (performance.now() - startedAt) / 1000;
  await assertAccepted(bench, name, [...suite.expected.values()].includes('fail') ? 1 : 0);
  const receipts = readReceipts(join(bench.work, name));
  const outcomes = new Map([...receipts].map(([id, { outcome }]) => [id, outcome]));
  const wrong = [...suite.expected].flatMap(([id, expected]) =>
    outcomes.get(id) === expected ? [] : [`${id}: ${outcomes.get(id)}, ${receipts.get(id)?.detail}`],
  );
  assert.deepEqual(wrong, [], name);
  assert.equal(receipts.size, suite.expected.size);
  return { name, words: new Map([...receipts].map(([id, receipt]) => [id, toWord(receipt)])), seconds };
}

/** Of every case the receipt of a run, or of the shard that ran it. */
function readReceipts(evidence: string): ReadonlyMap<string, Receipt> {
  const names = readdirSync(evidence);
  const roots = names.includes('shards')
    ? readdirSync(join(evidence, 'shards')).map((index) => join(evidence, 'shards', index))
    : [evidence];
  const receipts = new Map<string, Receipt>();
  for (const root of roots) {
    for (const folder of readdirSync(join(root, 'cases'))) {
      const text = readFileSync(join(root, 'cases', folder, 'receipt.json'), 'utf8');
      const receipt: Receipt = JSON.parse(text);
      if (receipt.reason !== 'selection') receipts.set(receipt.caseId, receipt);
    }
  }
  return receipts;
}

/** Outcome, checks, ends of steps and digests of what they printed; times, processes and boxes aside. */
function toWord({ outcome, reason, checks, attempts }: Receipt): string {
  return JSON.stringify([
    outcome,
    reason,
    checks.map(({ id, severity, result }) => `${id} ${severity} ${result}`),
    attempts.map(({ steps, leftovers }) => [steps.map(toStepWord), leftovers.length]),
  ]);
}

function toStepWord(step: StepRecord): unknown {
  const { name, termination, killedBy, oomKilled, stdout, stderr } = step;
  // How much came before the end, and what was said of it, is a race there.
  const isCut = termination.kind === 'output-limit' || oomKilled;
  const streams = isCut ? [] : [stdout.totalSha256, stderr.totalSha256];
  return [name, termination, killedBy, oomKilled, ...streams];
}
