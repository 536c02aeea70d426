import type { Boundary } from '../boundary/boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import type { Box, Engine, FileTreeEntry, LoadedImage } from '../engine/engine.ts';
import { describeFailure } from './bounded.ts';
import { BoxOpener } from './box-opener.ts';
import { Deadline } from './deadline.ts';
import { RunError } from './errors.ts';
import { toOutsideJudge } from './judge-boundary.ts';
import { CLOSE_LIMIT_MS, SNAPSHOT_LIMIT_MS } from './limits.ts';
import { type BoxKind, probeBoundaries } from './probe.ts';
import { RunStop } from './run-stop.ts';
import { Watchdog } from './watchdog.ts';

export interface SingleBox {
  readonly engine: Engine;
  readonly runId: string;
  readonly image: LoadedImage;
  readonly node: string;
  readonly kind: BoundaryKind;
  readonly boundary: Boundary;
  readonly files: readonly FileTreeEntry[];
  /** How long it may last, from its measurement on. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** A box that somebody uses; `stop` tells when the use is over whatever it is at. */
export interface UsedBox {
  readonly box: Box;
  readonly stop: RunStop;
}

const BOX_NAME = 'single';

/**
 * Opens one box as a run opens those of its cases, for a use of its own: its kind measured first, held to the
 * declared boundary from outside, known to a watchdog. It is gone when this settles.
 *
 * @throws {RunError} PROBE_FAILED, BOUNDARY_MISMATCH, BOX_NOT_OPENED, WATCHDOG_NOT_STARTED, WATCHDOG_LOST
 */
export async function useSingleBox<T>(request: SingleBox, use: (used: UsedBox) => Promise<T>): Promise<T> {
  const stop = new RunStop();
  const deadline = new Deadline(request.limitMs);
  const watchdog = await Watchdog.start(deadline, {
    onDeadline: () => stop.stop('budget'),
    onLost: (fault) => stop.fail(fault),
  });
  const onAbort = (): void => stop.stop('interrupted');
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener('abort', onAbort, { once: true });
  const { engine, runId } = request;
  try {
    const opener = new BoxOpener({ engine, runId, deadline, stop, watchdog });
    const result = await openAndUse(request, { opener, stop, use });
    if (stop.fault !== null) throw stop.fault;
    return result;
  } finally {
    request.signal.removeEventListener('abort', onAbort);
    await watchdog.finish();
  }
}

interface Use<T> {
  readonly opener: BoxOpener;
  readonly stop: RunStop;
  readonly use: (used: UsedBox) => Promise<T>;
}

async function openAndUse<T>(request: SingleBox, { opener, stop, use }: Use<T>): Promise<T> {
  const { image, node, files } = request;
  const kind: BoxKind = { ...request.kind, image, node };
  const boundary = (): Boundary => request.boundary;
  const reports = await probeBoundaries({ opener, stop, boundary, jobs: 1, kinds: [kind] });
  const opened = await opener.open({ boxName: BOX_NAME, image, boundary: request.boundary, files });
  if (typeof opened === 'string') throw notOpened(opened);
  const { box } = opened;
  // The watchdog kills at the end of the time; an interrupt is ours to carry out.
  stop.signal.addEventListener('abort', () => void box.kill().catch(() => {}), { once: true });
  try {
    const viewed = await stop.within(box.outside(), SNAPSHOT_LIMIT_MS);
    if (viewed.kind !== 'done') throw notOpened(describeFailure(viewed));
    toOutsideJudge(boundary, reports)(kind, viewed.value, BOX_NAME);
    return await use({ box, stop });
  } finally {
    const closed = await stop.within(box.close(), CLOSE_LIMIT_MS);
    if (closed.kind === 'done') opener.closed(BOX_NAME);
  }
}

function notOpened(actual: string): RunError {
  return new RunError('BOX_NOT_OPENED', 'box', { where: BOX_NAME, expected: 'an open box', actual });
}
