import { BOUNDARY_KINDS_LIMIT, nameKind } from '../boundary/kind.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { RunError } from './errors.ts';

/**
 * Refuses a run whose cases ask for more different boundaries than are measured. All declared cases count,
 * whatever is selected, so that shards of one run agree.
 *
 * @throws {RunError} TOO_MANY_BOUNDARIES
 */
export function requireFewBoundaries(suites: readonly CompiledSuite[]): void {
  const kinds = new Set<string>();
  for (const one of suites.flatMap(({ cases }) => cases)) {
    kinds.add(nameKind(one));
    if (kinds.size <= BOUNDARY_KINDS_LIMIT) continue;
    throw new RunError('TOO_MANY_BOUNDARIES', 'boundaries', {
      where: one.id,
      expected: `at most ${BOUNDARY_KINDS_LIMIT} different settings of exec and limits in a run`,
      actual: nameKind(one),
    });
  }
}
