import type { LoadedImage } from '../../engine/engine.ts';
import type { CompiledCase, CompiledCheck, CompiledStep } from '../../suite/compiled.ts';
import { USUAL_CASE } from '../../suite/usual-case.ts';
import type { CasePlan } from '../case-plan.ts';

/** A step that runs `argv` with closed stdin from `/work`, for tests to vary. */
export function plainStep(change: Partial<CompiledStep> = {}): CompiledStep {
  return {
    name: 'run',
    argv: ['/usr/local/bin/node', '--version'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/node' },
    cwd: '/work',
    stdin: { kind: 'closed' },
    stdout: 'pipe',
    signals: [],
    timeoutMs: 10_000,
    ...change,
  };
}

/** A check that holds when the step `run` exited with 0. */
export const EXITS_ZERO: CompiledCheck = {
  id: 'exits-zero',
  severity: 'gate',
  why: 'the step is meant to succeed',
  advice: 'see its stderr',
  precondition: null,
  expect: {
    kind: 'termination',
    step: 'run',
    caseId: null,
    anyOf: [{ kind: 'exited', codes: [0] }],
  },
};

export function plainCase(change: Partial<CompiledCase> = {}): CompiledCase {
  return {
    id: 'plain',
    why: 'a case for a test',
    tags: [],
    ...USUAL_CASE,
    settleMs: 0,
    steps: [plainStep()],
    checks: [EXITS_ZERO],
    ...change,
  };
}

export const NO_IMAGE: LoadedImage = {
  image: { platform: 'linux/amd64', layers: [], configBytes: Buffer.alloc(0), configDigest: '' },
  engineId: 'none',
};

export function plainPlan(change: Partial<CasePlan> = {}): CasePlan {
  return { suiteId: 'suite', case: plainCase(), node: '20.20.2', image: NO_IMAGE, order: 0, ...change };
}
