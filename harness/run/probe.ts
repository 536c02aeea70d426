import type { Boundary } from '../boundary/boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import { parseMeasured } from '../boundary/parse-measured.ts';
import { toProbeStep } from '../boundary/probe-orders.ts';
import type { LoadedImage } from '../engine/engine.ts';
import type { BoxOpener, OpenedBox } from './box-opener.ts';
import { monotonicMs, roundMs } from './clock.ts';
import { RunError } from './errors.ts';
import { judgeKind } from './judge-boundary.ts';
import { CLOSE_LIMIT_MS } from './limits.ts';
import type { KindName } from './outside-views.ts';
import { runProbe } from './probe-process.ts';
import type { BoundaryReport } from './result.ts';
import type { RunStop } from './run-stop.ts';

/** A kind of box: cases of the same kind run in boxes that differ in nothing but their files. */
export interface BoxKind extends KindName {
  readonly image: LoadedImage;
}

export interface ProbeSetting {
  readonly opener: BoxOpener;
  readonly stop: RunStop;
  readonly boundary: (kind: BoundaryKind) => Boundary;
  readonly jobs: number;
  readonly kinds: readonly BoxKind[];
}

/**
 * Measures every kind of box from inside, in a box of its own, and holds the three views against each other.
 *
 * A run that is stopped meanwhile has the reports that are whole, possibly none.
 * @throws {RunError} PROBE_FAILED, BOUNDARY_MISMATCH; {BoundaryError} when the measurement cannot be read.
 * No case is run then.
 */
export async function probeBoundaries(setting: ProbeSetting): Promise<readonly BoundaryReport[]> {
  const reports = setting.kinds.map((): BoundaryReport | null => null);
  const waiting = [...setting.kinds.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, kind] = next;
      reports[index] = await probeUnlessStopped(kind, index, setting);
    }
  };
  await Promise.all(Array.from({ length: setting.jobs }, work));
  return reports.filter((report) => report !== null);
}

async function probeUnlessStopped(
  kind: BoxKind,
  index: number,
  setting: ProbeSetting,
): Promise<BoundaryReport | null> {
  if (setting.stop.kind !== null) return null;
  try {
    return await probeKind(kind, index, setting);
  } catch (fault) {
    if (setting.stop.kind !== null) return null;
    setting.stop.fail(fault);
    throw fault;
  }
}

async function probeKind(kind: BoxKind, index: number, setting: ProbeSetting): Promise<BoundaryReport> {
  const startedAtMs = monotonicMs();
  const boundary = setting.boundary(kind);
  const boxName = `probe-${index}`;
  const opened = await setting.opener.open({ boxName, image: kind.image, boundary, files: [] });
  if (typeof opened === 'string') {
    throw new RunError('PROBE_FAILED', 'probe of the boundary', { where: 'box', actual: opened });
  }
  const output = await runProbe(opened.box, toProbeStep(boundary), setting.stop).finally(() =>
    close(opened, setting),
  );
  const measured = parseMeasured(output.bytes);
  judgeKind(boundary, { engine: output.outside, measured }, boxName);
  const durationMs = roundMs(monotonicMs() - startedAtMs);
  const { node, exec, limits } = kind;
  return { node, exec, limits, measured, outside: output.outside, durationMs };
}

async function close({ box, boxName }: OpenedBox, { opener, stop }: ProbeSetting): Promise<void> {
  const closed = await stop.within(box.close(), CLOSE_LIMIT_MS);
  if (closed.kind === 'done') opener.closed(boxName);
}
