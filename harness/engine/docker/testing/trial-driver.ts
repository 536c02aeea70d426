import { toDockerSeccomp } from '../../../boundary/seccomp-forms.ts';
import { readSeccompPolicy } from '../../../boundary/seccomp-policy.ts';
import { createDockerEngine } from '../docker-engine.ts';
import { openTrialBox, startPerl, trialBoundary } from './private-engine.ts';

/**
 * A driver for tests that kill it: opens a box, starts a step that never ends, prints the box's id and waits.
 * Arguments: socket path, run id, folder.
 */
const [socketPath = '', runId = '', folder = ''] = process.argv.slice(2);
const engine = await createDockerEngine({
  endpoint: { kind: 'unix', socketPath },
  runId,
  stateDir: folder,
  seccomp: JSON.stringify(toDockerSeccomp(readSeccompPolicy(), trialBoundary().platform)),
});
const box = await openTrialBox(engine, { folder, runId });
await startPerl(box, 'sleep 1000');
process.stdout.write(`${box.id}\n`);
setInterval(() => undefined, 1000);
