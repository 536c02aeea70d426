import { join } from 'node:path';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import type { Engine, ProcessEnd } from '../engine/engine.ts';
import { hostPlatform } from '../job/engines.ts';
import { readyImages } from '../job/images.ts';
import { Scratch } from '../job/scratch.ts';
import { toFileTree } from '../run/file-tree.ts';
import { useSingleBox } from '../run/single-box.ts';
import type { CompiledCase, CompiledStep } from '../suite/compiled.ts';
import { ReplayError } from './errors.ts';
import { requireSameImage } from './identity.ts';
import { type Console, runJoined } from './joined-step.ts';
import { openRecorded } from './open-recorded.ts';
import { type Permissions, requirePermission } from './permission.ts';
import { rebuildContext } from './rebuilt-context.ts';
import { type CaseName, findCase, type RecordedCase } from './recorded-case.ts';
import { requireAccepted } from './require-accepted.ts';

/** Line by line: the box has no terminal, so no job control and no line editing. */
const SHELL = ['/bin/sh', '-i'];

export interface ShellRequest {
  /** Absolute path of the evidence. */
  readonly evidence: string;
  readonly name: CaseName;
  /** What to run; empty: a shell. */
  readonly argv: readonly string[];
  /** A folder of archives; null: only the archive store and the bundle. */
  readonly archives: string | null;
  readonly permissions: Permissions;
  /** How long the box may last. */
  readonly limitMs: number;
  readonly runId: string;
  readonly cacheDir: string;
  readonly stateDir: string;
  readonly engine: () => Promise<Engine>;
  /** Runs the separate verifier; whether it accepted. */
  readonly readBack: (evidence: string) => Promise<boolean>;
  readonly console: Console;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How the use of a box ended. */
export type ShellEnd =
  | Extract<ProcessEnd, { readonly kind: 'exited' | 'signaled' }>
  | { readonly kind: 'limit' };

/**
 * Opens the box of a recorded case and joins a process in it to a console: evidence read back, image rebuilt from
 * the pinned archives and held to the recorded identity, boundary measured, the case's files laid.
 *
 * @throws {ReplayError} when it cannot be done here; {Fault} of the stages of a run
 */
export async function openShell(request: ShellRequest): Promise<ShellEnd> {
  await requireAccepted('EVIDENCE_REJECTED', request.readBack, request.evidence);
  const { bundle, run } = await openRecorded(request.evidence);
  const recorded = await findCase(bundle, run, request.name);
  requirePermission(recorded.run, hostPlatform(), request.permissions);
  const scratch = await Scratch.open(request.stateDir, `${request.runId}.shell`);
  try {
    request.say('rebuilding from the pinned archives');
    const sources = { bundle, cacheDir: request.cacheDir, archives: request.archives };
    return await useCase(request, recorded, { sources, folder: join(scratch.folder, 'context') });
  } finally {
    await scratch.close();
  }
}

interface Rebuilding {
  readonly sources: Parameters<typeof rebuildContext>[1];
  readonly folder: string;
}

async function useCase(
  request: ShellRequest,
  recorded: RecordedCase,
  { sources, folder }: Rebuilding,
): Promise<ShellEnd> {
  const { run, case: one, node } = recorded;
  const whole = await rebuildContext(run, sources, folder);
  const context = { ...whole, document: { ...whole.document, nodes: [node] } };
  const { cacheDir, runId, engine, signal } = request;
  const job = { context, cacheDir, runId, engine };
  const [ready] = await readyImages(job);
  const [image] = run.images;
  if (ready === undefined || image === undefined) throw new Error('no image of the one Node version');
  requireSameImage(image, ready.built.image);
  sayRecorded(request.say, recorded);
  const box = {
    engine: await engine(),
    runId,
    image: ready.loaded,
    node,
    kind: { exec: one.exec, limits: one.limits },
    boundary: defaultBoundary(context.document.platform, one),
    files: toFileTree(one.files),
    limitMs: request.limitMs,
    signal,
  };
  const step = firstOwnStep(one);
  const argv = request.argv.length > 0 ? request.argv : SHELL;
  return useSingleBox(box, async (used) => {
    const end = await runJoined(used, { argv, env: step.env, cwd: step.cwd }, request.console);
    signal.throwIfAborted();
    return toShellEnd(end, { argv, overTime: used.stop.kind === 'budget' });
  });
}

/** Environment and folder are those of the first step of the candidate, controls and references left aside. */
export function firstOwnStep({ steps, controls, references }: CompiledCase): CompiledStep {
  const step = steps[controls.length + references.length];
  if (step === undefined) throw new Error('a parsed case without a step of its own');
  return step;
}

function sayRecorded(say: (text: string) => void, { case: one, node, outcome, attempt }: RecordedCase): void {
  say(`${one.id} on node ${node}: ${outcome}${attempt === null ? '' : `, attempt ${attempt.attempt}`}`);
  for (const { name, argv } of one.steps) say(`step ${name}: ${argv.join(' ')}`);
}

function toShellEnd(
  end: ProcessEnd,
  { argv, overTime }: { readonly argv: readonly string[]; readonly overTime: boolean },
): ShellEnd {
  if (overTime) return { kind: 'limit' };
  switch (end.kind) {
    case 'exited':
    case 'signaled':
      return end;
    case 'not-started':
      throw new ReplayError('NOT_STARTED', 'process', {
        where: argv[0] ?? '',
        expected: 'a program of the box',
        actual: end.errno,
      });
    case 'box-lost':
      throw new ReplayError('BOX_LOST', 'box', {
        where: 'shell',
        expected: 'the end of a process',
        actual: end.reason,
      });
  }
}
