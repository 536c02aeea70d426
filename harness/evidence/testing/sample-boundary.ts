import { type BoundaryLimit, withLimits } from '../../boundary/kind.ts';
import { readSeccompPolicy } from '../../boundary/seccomp-policy.ts';
import { sampleViews } from '../../boundary/testing/sample-views.ts';
import { toCanonicalBytes } from '../../document/canonical.ts';
import type { CompiledSuite } from '../../suite/compiled.ts';
import type { BoundaryRecord, ExportInput } from '../export-input.ts';
import { BOUNDARY, NODE } from './sample-parts.ts';

/** The boundaries of a run whose cases chose these limits, each measured, and as the engine tells it. */
export function sampleBoundary(choices: readonly (readonly BoundaryLimit[])[]): BoundaryRecord {
  const kinds = choices.map((limits) => {
    const boundary = withLimits(BOUNDARY, limits);
    return { kind: { exec: false, limits }, boundary, views: sampleViews(boundary) };
  });
  return {
    declared: {
      formatVersion: 1,
      boundaries: kinds.map(({ kind, boundary }) => ({ ...kind, boundary })),
      seccomp: readSeccompPolicy(),
    },
    engine: {
      formatVersion: 1,
      views: kinds.map(({ kind, views }) => ({ ...kind, node: NODE, outside: views.engine })),
    },
    measured: {
      formatVersion: 1,
      views: kinds.map(({ kind, views }) => ({ ...kind, node: NODE, measured: views.measured })),
    },
  };
}

/** The same input where one of its cases ran with tighter limits, and was measured, declared and seen with them. */
export function limitCase(input: ExportInput, caseId: string, limits: readonly BoundaryLimit[]): ExportInput {
  const outside = sampleViews(withLimits(BOUNDARY, limits)).engine;
  return {
    ...input,
    suites: input.suites.map((suite) => ({ ...suite, bytes: withCase(suite.bytes, caseId, limits) })),
    boundary: sampleBoundary([[], limits]),
    cases: input.cases.map((run) =>
      run.caseId === caseId
        ? {
            ...run,
            attempts: run.attempts.map((attempt) => ({
              ...attempt,
              observation: attempt.observation && { ...attempt.observation, outside },
            })),
          }
        : run,
    ),
  };
}

function withCase(bytes: Uint8Array, caseId: string, limits: readonly BoundaryLimit[]): Uint8Array {
  const suite: CompiledSuite = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const cases = suite.cases.map((one) => (one.id === caseId ? { ...one, limits } : one));
  return toCanonicalBytes({ ...suite, cases });
}
