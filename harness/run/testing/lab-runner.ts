import { runWith } from '../runner.ts';
import { hostileCase, LAB_TOOLS } from './lab.ts';
import { openRuncLab } from './runc-lab.ts';
import { slowEngine } from './slow-engine.ts';

/**
 * A run in a process of its own, for tests that block or kill it. Arguments: folder of the lab, budget in ms,
 * `block` to block the event loop once the first box runs, or `wait`. Prints the pid of each box's holder.
 */
const [, , folder, budgetMs, conduct] = process.argv;

const lab = await openRuncLab(
  'lab-runner',
  (engine) =>
    slowEngine(engine, 0, ({ killRecipe }) => {
      if (killRecipe.kind === 'pid') process.stdout.write(`${killRecipe.pid} ${killRecipe.startTime}\n`);
    }),
  folder,
);
if (conduct === 'block') {
  setTimeout(() => {
    for (const endMs = Date.now() + 30_000; Date.now() < endMs; );
  }, 1_000);
}
const cases = [1, 2].map((number) => hostileCase('hang', {}, { id: `hang-${number}` }));
await runWith(lab.request(cases, { budgetMs: Number(budgetMs) }), LAB_TOOLS);
await lab.close();
