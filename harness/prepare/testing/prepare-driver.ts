// Runs one prepare as a process of its own, so that a test can take its network or its disk away.
import { Fault } from '../../document/fault.ts';
import { prepareContext } from '../prepare.ts';
import { testPorts } from './ports.ts';

const options: Parameters<typeof prepareContext>[0] = JSON.parse(process.argv[2] ?? '');
try {
  const started = performance.now();
  const { document, sha256 } = await prepareContext(options, testPorts());
  const durationMs = Math.round(performance.now() - started);
  process.stdout.write(JSON.stringify({ document, sha256, durationMs }));
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, kind: error.kind, message: error.message }));
  process.exitCode = 1;
}
