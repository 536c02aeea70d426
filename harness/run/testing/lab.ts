import { join } from 'node:path';
import type { Boundary } from '../../boundary/boundary.ts';
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import type { BoundaryKind } from '../../boundary/kind.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CompiledCase, CompiledStep } from '../../suite/compiled.ts';
import { SILENT_REPORTER } from '../reporter.ts';
import type { RunLimits, RunRequest } from '../request.ts';
import { buildHostImage, PLATFORM } from './host-image.ts';
import { HOSTILE_PROGRAMS, type HostileProgram } from './hostile-programs.ts';
import { IN_PROCESS_JUDGE } from './in-process-judge.ts';
import { plainCase, plainStep } from './plain-case.ts';

/** An engine with an image of this machine's programs, in a folder of the test's own. */
export interface Lab {
  readonly engine: Engine;
  request(cases: readonly CompiledCase[], limits?: Partial<RunLimits>, signal?: AbortSignal): RunRequest;
  close(): Promise<void>;
}

export interface LabPlace {
  readonly folder: string;
  readonly engine: Engine;
  readonly runId: string;
}

/** Enough for Node and a full `/work`, and little enough that a memory bomb is over soon. */
const MEMORY_BYTES = 640 * 1024 * 1024;

export function labBoundary(kind: BoundaryKind): Boundary {
  const boundary = defaultBoundary(PLATFORM, kind);
  const memoryBytes = Math.min(MEMORY_BYTES, boundary.memoryBytes);
  return { ...boundary, memoryBytes, memorySwapBytes: memoryBytes };
}

/** Loads the image; `close` disposes of the engine and leaves the folder to the caller. */
export async function openLab({ folder, engine, runId }: LabPlace): Promise<Lab> {
  const image = await engine.ensureImage(await buildHostImage(join(folder, 'cache')));
  let runs = 0;
  return {
    engine,
    request: (cases, limits = {}, signal = new AbortController().signal) => ({
      runId,
      engine,
      images: new Map([[process.versions.node, image]]),
      inventories: new Map(),
      suites: [
        {
          formatVersion: 1,
          id: 'lab',
          title: '',
          proves: [],
          doesNotProve: [],
          archives: [],
          exclusions: [],
          expectedUnsupported: [],
          cases,
        },
      ],
      boundary: labBoundary,
      limits: { budgetMs: 300_000, caseTimeoutMs: 60_000, jobs: 2, repeat: 1, ...limits },
      selection: { only: [], shard: null, shuffle: null },
      signal,
      spool: join(folder, 'spool', String(runs++)),
      reporter: SILENT_REPORTER,
    }),
    close: () => engine.dispose(),
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
  toOutsideJudge: () => () => {},
};
