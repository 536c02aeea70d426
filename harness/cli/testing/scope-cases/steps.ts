import type { CompiledControl, CompiledStep } from '../../../suite/compiled.ts';
import { BASE_ENV, NODE_BINARY } from '../../../suite/layout.ts';
import { AFTER, BEFORE, MARKER, SERVER_PATH } from './drivers.ts';
import { CANARIES } from './scope-case.ts';

/** Long for a busy machine; nothing waits for it unless something hangs. */
const STEP_MS = 20_000;

export function step(name: string, argv: readonly string[], cwd = '/work'): CompiledStep {
  return {
    name,
    argv,
    env: { ...BASE_ENV, PLACEHOLDER: CANARIES.expanded },
    cwd,
    stdin: { kind: 'closed' },
    stdout: 'pipe',
    signals: [],
    timeoutMs: STEP_MS,
  };
}

/** Starts the configured program as a client would; its marker is taken away from outside. */
export const CONTROL_STEP = step('control', [CANARIES.command, SERVER_PATH]);
export const CONTROLS: readonly CompiledControl[] = [
  { step: CONTROL_STEP.name, phase: 'positive', files: [], remove: [MARKER], restore: [] },
];
export const BEFORE_STEP = step('before', [NODE_BINARY, '-e', BEFORE]);
export const AFTER_STEP = step('after', [NODE_BINARY, '-e', AFTER]);
