import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import type { Engine, LoadedImage } from '../../engine/engine.ts';
import { createRuncEngine } from '../../engine/runc/runc-engine.ts';
import type { CompiledCase, CompiledStep } from '../../suite/compiled.ts';
import { SILENT_REPORTER } from '../reporter.ts';
import type { RunLimits, RunRequest } from '../request.ts';
import { buildHostImage, PLATFORM } from './host-image.ts';
import { HOSTILE_PROGRAMS, type HostileProgram } from './hostile-programs.ts';
import { IN_PROCESS_JUDGE } from './in-process-judge.ts';
import { plainCase, plainStep } from './plain-case.ts';

type Wrap = (engine: Engine) => Engine;

/** A runc engine with an image of this machine's programs, in a folder of the test's own. */
export interface RuncLab {
  readonly engine: Engine;
  readonly image: LoadedImage;
  /** Containers that runc still knows; empty when nothing is left. */
  containers(): Promise<readonly string[]>;
  request(cases: readonly CompiledCase[], limits?: Partial<RunLimits>, signal?: AbortSignal): RunRequest;
  close(): Promise<void>;
}

/**
 * `wrap` can put something between runner and engine; `folder` is used instead of a new one, and kept, when
 * it is given.
 */
export async function openRuncLab(
  runId: string,
  wrap: Wrap = (engine) => engine,
  folder?: string,
): Promise<RuncLab> {
  const own = folder ?? (await mkdtemp(join(tmpdir(), 'packproof-lab-')));
  const cacheDir = join(own, 'cache');
  const stateDir = join(own, 'state');
  const engine = wrap(await createRuncEngine({ stateDir, cacheDir, runId }));
  const image = await engine.ensureImage(await buildHostImage(cacheDir));
  let runs = 0;
  return {
    engine,
    image,
    containers: async () => readdir(join(stateDir, 'runs', runId, 'runc')).catch(() => []),
    request: (cases, limits = {}, signal = new AbortController().signal) => ({
      runId,
      engine,
      images: new Map([[process.versions.node, image]]),
      suites: [{ formatVersion: 1, id: 'lab', title: '', proves: [], doesNotProve: [], cases }],
      boundary: (exec) => defaultBoundary(PLATFORM, { exec }),
      limits: { budgetMs: 120_000, caseTimeoutMs: 20_000, jobs: 2, repeat: 1, ...limits },
      selection: { only: [], shard: null },
      signal,
      spool: join(own, 'spool', String(runs++)),
      reporter: SILENT_REPORTER,
    }),
    close: async () => {
      await engine.dispose();
      if (folder === undefined) await rm(own, { recursive: true, force: true });
    },
  };
}

/** A case with one step `run` that runs a hostile program from `/work`. */
export function hostileCase(
  program: HostileProgram,
  step: Partial<CompiledStep> = {},
  change: Partial<CompiledCase> = {},
): CompiledCase {
  const contentBase64 = Buffer.from(HOSTILE_PROGRAMS[program]).toString('base64');
  return plainCase({
    id: program,
    files: [{ kind: 'file', path: '/work/program.mjs', mode: '0644', contentBase64 }],
    steps: [plainStep({ argv: ['/usr/local/bin/node', '/work/program.mjs'], ...step })],
    ...change,
  });
}

/** The tools of a run that judges in process and does not probe. */
export const LAB_TOOLS = {
  openJudge: () => IN_PROCESS_JUDGE,
  probe: () => Promise.resolve([]),
  judgeOutside: () => {},
};
