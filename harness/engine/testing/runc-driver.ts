/**
 * A driver to be killed: opens one box, starts a step that never ends, says so on stdout and waits.
 * Arguments: state folder, cache folder, run id, folder for the image's layers.
 */
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import { buildTrialImage } from '../docker/testing/trial-image.ts';
import { createRuncEngine } from '../runc/runc-engine.ts';
import { toStep } from './step-run.ts';

const [stateDir = '', cacheDir = '', runId = '', folder = ''] = process.argv.slice(2);
const engine = await createRuncEngine({ stateDir, cacheDir, runId });
const image = await engine.ensureImage(await buildTrialImage(folder, 'driver'));
const box = await engine.open({
  image,
  boundary: defaultBoundary(image.image.platform, { exec: false }),
  labels: { runId, boxName: 'driven' },
  endsAfterMs: 60_000,
  files: [],
});
await box.start(
  toStep([
    'perl',
    '-e',
    '$SIG{$_} = "IGNORE" for qw(HUP TERM INT PIPE); 1 while select(undef, undef, undef, 1) >= 0',
  ]),
);
process.stdout.write(`${JSON.stringify(box.killRecipe)}\n`);
setInterval(() => {}, 60_000);
