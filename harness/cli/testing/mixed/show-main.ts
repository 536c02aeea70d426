import { sha256Hex } from '../../../document/digest.ts';
import { Workbench } from '../workbench.ts';
import { differingCases, type MixedRun, prepareMixed, showMixed } from './show.ts';

const CASES = 300;
const SEEDS = ['one', 'two', 'three'];
const SHARDS = 4;
const ENGINES = ['runc', 'docker'] as const;

/** What all cases came to, in one word: the same for runs of other machines that came to the same. */
function digestOf({ words }: MixedRun): string {
  const lines = [...words].map(([id, word]) => `${id} ${word}\n`).sort();
  return sha256Hex(Buffer.from(lines.join(''))).slice(0, 16);
}

/**
 * `npm run mixed [-- CASES ENGINE...]`: the suite on both engines, in three orders and in four shards each; exit
 * code 1 when any differ.
 */
const [cases = CASES] = process.argv.slice(2, 3).map(Number);
const named = ENGINES.filter((engine) => process.argv.slice(3).includes(engine));
const bench = await Workbench.open();
try {
  const prepared = await prepareMixed(bench, cases);
  const runs: MixedRun[] = [];
  for (const engine of named.length > 0 ? named : ENGINES) {
    const plan = { engine, seeds: SEEDS, shards: SHARDS, budget: '1800s' };
    for (const run of await showMixed(bench, prepared, plan)) {
      const figures = `${run.words.size} cases in ${run.seconds.toFixed(1)} s, ${digestOf(run)}`;
      console.log(`${run.name}: ${figures}`);
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
