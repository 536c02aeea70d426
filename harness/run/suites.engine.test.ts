import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine, OpenRequest, OutsideView } from '../engine/engine.ts';
import type { CompiledCase, CompiledCheck } from '../suite/compiled.ts';
import { RunError } from './errors.ts';
import type { RunRequest } from './request.ts';
import { runSuites } from './run-suites.ts';
import { openDockerLab } from './testing/docker-lab.ts';
import { hostileCase, type Lab, labBoundary } from './testing/lab.ts';
import { type Lie, lyingEngine } from './testing/lying-engine.ts';
import { EXITS_ZERO, plainCase, plainStep } from './testing/plain-case.ts';
import { openRuncLab } from './testing/runc-lab.ts';

const ENGINES: Readonly<Record<string, () => Promise<Lab>>> = {
  runc: () => openRuncLab('suites'),
  'Docker, read from the host': () => openDockerLab('suites', 'host'),
  'Docker, read through the engine': () => openDockerLab('suites', 'engine-archive'),
};

const SAYS_HERE: CompiledCheck = {
  ...EXITS_ZERO,
  id: 'says-here',
  expect: {
    kind: 'stream-matches',
    of: { caseId: null, step: 'run', stream: 'stdout' },
    pattern: '^here\\n$',
  },
};

const NEVER_SAID: CompiledCheck = {
  ...SAYS_HERE,
  id: 'never-said',
  expect: { kind: 'not', of: SAYS_HERE.expect },
};

/** A control that leaves a marker, its undo, and a program that keeps a text to itself, or not. */
function withControl(id: string, undo: readonly string[], written: string): CompiledCase {
  const marker = '/work/marker';
  const check = (name: string, expect: CompiledCheck['expect']): CompiledCheck => ({
    ...EXITS_ZERO,
    id: name,
    expect,
  });
  return plainCase({
    id,
    controls: [{ step: 'works', phase: 'positive', files: [], remove: undo, restore: [] }],
    steps: [
      plainStep({ name: 'works', argv: ['/bin/sh', '-c', `: > ${marker}`] }),
      plainStep({ argv: ['/bin/sh', '-c', `echo ${written} > /home/node/own`] }),
    ],
    checks: [
      check('shown', { kind: 'path-changed', path: marker, change: 'created', control: 'works' }),
      check('undone', { kind: 'control-undone', control: 'works' }),
      check('kept', { kind: 'no-canaries', texts: ['canary-7f'] }),
    ],
  });
}

const KIND = { exec: false, limits: [] };
const MORE_PIDS = 2 * labBoundary(KIND).pidsLimit;

/** Hides the raised limit in the engine's own word, and where `kernel` is set in the host's view too. */
function hidePids(view: OutsideView, kernel: boolean): OutsideView {
  const declared = labBoundary(KIND).pidsLimit;
  const limits = view.limits === null || !kernel ? view.limits : { ...view.limits, pids: declared };
  return { ...view, inspect: { ...view.inspect, pidsLimit: declared }, limits };
}

const isProbe = ({ labels }: OpenRequest): boolean => labels.boxName.startsWith('probe-');

/** Says the right thing everywhere outside: only what is measured inside can tell. */
const PERFECT_LIE: Lie = {
  concerns: () => true,
  boundary: { pidsLimit: MORE_PIDS },
  disguise: (view) => hidePids(view, true),
};

/** Honest while it is measured, and lying in its inspect from then on. */
const LATE_LIE: Lie = {
  concerns: (request) => !isProbe(request),
  boundary: { pidsLimit: MORE_PIDS },
  disguise: (view) => hidePids(view, false),
};

for (const [name, open] of Object.entries(ENGINES)) {
  describe(`suites on ${name}`, () => {
    let lab: Lab;
    before(async () => {
      lab = await open();
    });
    after(() => lab.close());

    function lying(lie: Lie): RunRequest {
      const request = lab.request([hostileCase('polite')]);
      return { ...request, engine: lyingEngine(request.engine, lie) };
    }

    it('are measured, run, read from outside and judged, each case for itself', async () => {
      const cases = [
        hostileCase('polite', {}, { id: 'good', checks: [EXITS_ZERO, SAYS_HERE] }),
        hostileCase('polite', {}, { id: 'bad', checks: [EXITS_ZERO, NEVER_SAID] }),
        hostileCase('polite', {}, { id: 'may-execute', exec: true }),
      ];
      const result = await runSuites(lab.request(cases));
      assert.deepEqual(
        result.cases.map(({ caseId, outcome }) => `${caseId} ${outcome}`),
        ['good pass', 'bad fail', 'may-execute pass'],
      );
      assert.deepEqual(
        result.cases[1]?.checks.map(({ id, result: found }) => `${id} ${found}`),
        ['exits-zero pass', 'never-said fail'],
      );
      assert.deepEqual(
        result.boundaries.map(({ exec }) => exec),
        [false, true],
      );
    });

    it('show and undo controls, and look for canaries in what was written', async () => {
      const cases = [
        withControl('good', ['/work/marker'], 'nothing'),
        withControl('not-undone', [], 'nothing'),
        withControl('leaks', ['/work/marker'], 'canary-7f'),
      ];
      const result = await runSuites(lab.request(cases));
      assert.deepEqual(
        result.cases.map(({ caseId, outcome, checks }) =>
          [caseId, outcome, ...checks.map(({ result: found }) => found)].join(' '),
        ),
        ['good pass pass pass pass', 'not-undone error pass error pass', 'leaks fail pass pass fail'],
      );
    });

    it('run programs from writable places only when the case says so', async () => {
      const script = {
        kind: 'file',
        path: '/work/tool',
        mode: '0755',
        contentBase64: btoa('#!/bin/sh\necho ran\n'),
      } as const;
      const change = { files: [script], steps: [plainStep({ argv: ['/work/tool'] })] };
      const cases = [
        hostileCase('polite', {}, { id: 'allowed', exec: true, ...change }),
        hostileCase('polite', {}, { id: 'refused', exec: false, ...change }),
      ];
      const result = await runSuites(lab.request(cases));
      const ends = result.cases.map(({ attempts }) => attempts[0]?.observation?.steps[0]?.termination);
      assert.deepEqual(ends, [
        { kind: 'exited', code: 0 },
        { kind: 'not-started', errno: 'EACCES' },
      ]);
    });

    it('are not run when the engine lies perfectly, because the box is measured from inside', async () => {
      await assert.rejects(runSuites(lying(PERFECT_LIE)), foundIn('MEASURED_PIDS'));
    });
  });
}

describe('an engine that begins to lie after it was measured', () => {
  for (const [name, open] of Object.entries(ENGINES).slice(0, 2)) {
    it(`is caught on ${name} by what the host reads of every box`, async () => {
      const lab = await open();
      try {
        const request = lab.request([hostileCase('polite')]);
        const engine: Engine = lyingEngine(request.engine, LATE_LIE);
        await assert.rejects(runSuites({ ...request, engine }), foundIn('OUTSIDE_PIDS'));
      } finally {
        await lab.close();
      }
    });
  }
});

const foundIn = (code: string) => (error: unknown) =>
  error instanceof RunError &&
  error.code === 'BOUNDARY_MISMATCH' &&
  error.where === 'boundary.pidsLimit' &&
  (error.actual ?? '').startsWith(`${code} `);
