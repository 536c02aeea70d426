import type { ContextDocument } from '../prepare/context-document.ts';
import type { CaseRun } from '../run/result.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { versionsOf } from '../suite/node-versions.ts';

/** Every declared case as `unrun`, for a context that was blocked before anything could run. */
export function unrunCases(suites: readonly CompiledSuite[], document: ContextDocument): readonly CaseRun[] {
  const { blocked, nodes } = document;
  const detail = blocked === null ? '' : `${blocked.stage}: ${blocked.code} ${blocked.where}`;
  return suites.flatMap((suite) =>
    suite.cases.flatMap((one) =>
      versionsOf(one, nodes).map(
        (node): CaseRun => ({
          suiteId: suite.id,
          caseId: one.id,
          node,
          attempts: [],
          checks: [],
          outcome: 'unrun',
          reason: 'audit',
          detail,
          durationMs: 0,
        }),
      ),
    ),
  );
}
