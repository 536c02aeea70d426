import { Workbench } from '../workbench.ts';
import { differingCases, type MixedRun, prepareMixed, showMixed } from './show.ts';

const CASES = 300;
const SEEDS = ['one', 'two', 'three'];
const SHARDS = 4;

/** `npm run mixed`: the suite on both engines, in three orders and in four shards each; exit code 1 when any differ. */
const [cases = CASES] = process.argv.slice(2).map(Number);
const bench = await Workbench.open();
try {
  const prepared = await prepareMixed(bench, cases);
  const runs: MixedRun[] = [];
  for (const engine of ['runc', 'docker'] as const) {
    const plan = { engine, seeds: SEEDS, shards: SHARDS, budget: '1800s' };
    for (const run of await showMixed(bench, prepared, plan)) {
      console.log(`${run.name}: ${run.words.size} cases in ${run.seconds.toFixed(1)} s`);
      runs.push(run);
    }
  }
  const differing = differingCases(runs);
  console.log(`${cases} cases, ${runs.length} runs: ${differing.length} cases differ`);
  for (const text of differing) console.log(text);
  process.exitCode = differing.length === 0 ? 0 : 1;
} finally {
  await bench.close();
}
