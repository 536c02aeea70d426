import type { CompiledSuite } from '../suite/compiled.ts';
import { standingOf } from '../suite/references.ts';
import type { StepRecord } from './receipt.ts';
import type { ReportedReferences } from './report.ts';

/** A case with what is recorded of its attempts. */
export interface ReferenceRun {
  readonly caseId: string;
  readonly node: string;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly steps: readonly Pick<StepRecord, 'name' | 'termination' | 'killedBy' | 'stdout'>[];
  }[];
}

/** What became of every reference that was started, in the order of the run. */
export function toReportedReferences(
  suites: readonly CompiledSuite[],
  runs: readonly ReferenceRun[],
): ReportedReferences {
  const declared = new Map(suites.flatMap(({ cases }) => cases.map((one) => [one.id, one.references])));
  const seen = runs.flatMap(({ caseId, node, attempts }) =>
    attempts.flatMap(({ attempt, steps }) =>
      steps.flatMap((step) => {
        const reference = declared.get(caseId)?.find((one) => one.step === step.name);
        if (reference === undefined) return [];
        const { archive } = reference;
        const { name, termination } = step;
        const entry = { caseId, node, attempt, step: name, archive, termination };
        return [{ standing: standingOf(step), entry }];
      }),
    ),
  );
  return {
    observed: seen.filter(({ standing }) => standing === 'observed').length,
    excluded: seen.flatMap(({ standing, entry }) => (standing === 'excluded' ? [entry] : [])),
  };
}
