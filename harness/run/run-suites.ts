import { EvaluatorChild } from '../suite/evaluator-child.ts';
import { toOutsideJudge } from './judge-boundary.ts';
import { probeBoundaries } from './probe.ts';
import type { RunRequest } from './request.ts';
import type { RunResult } from './result.ts';
import { runWith } from './runner.ts';

/**
 * Runs the selected cases of compiled suites on one engine, each attempt in a fresh box, within the budget.
 *
 * The boundary is measured before anything of the candidate starts, and every case's box is read from
 * outside and held against it. Checks are evaluated in a process that can be killed, the deadline is owned by
 * another one that evaluates nothing. What a candidate does is in the result, never an exception.
 *
 * @throws {RunError} usage: NO_CASES_SELECTED, PATTERN_MATCHES_NOTHING, IMAGE_MISSING, DUPLICATE_CASE; infrastructure: PROBE_FAILED,
 * BOUNDARY_MISMATCH, WATCHDOG_NOT_STARTED, WATCHDOG_LOST, SPOOL_FAILED
 * @throws {BoundaryError} when a measurement cannot be read
 */
export function runSuites(request: RunRequest): Promise<RunResult> {
  return runWith(request, {
    openJudge: () => new EvaluatorChild(),
    probe: probeBoundaries,
    toOutsideJudge,
  });
}
