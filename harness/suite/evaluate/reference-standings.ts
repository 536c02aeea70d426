import type { CompiledCase, CompiledCheck } from '../compiled.ts';
import type { CaseObservation, Termination } from '../observation.ts';
import { referencesOf, standingOf } from '../references.ts';

/** What was seen of the references of one case, as far as it decides how checks are taken. */
export class ReferenceStandings {
  readonly #case: CompiledCase;
  /** How each reference that never started ended, in words. */
  readonly #excluded: ReadonlyMap<string, string>;

  constructor(one: CompiledCase, observation: CaseObservation | null) {
    this.#case = one;
    const steps = observation?.steps ?? [];
    this.#excluded = new Map(
      one.references.flatMap(({ step }): [string, string][] => {
        const seen = steps.find(({ name }) => name === step);
        return seen !== undefined && standingOf(seen) === 'excluded'
          ? [[step, describe(seen.termination)]]
          : [];
      }),
    );
  }

  /** Whether a check speaks of a reference, so that it counts for no outcome. */
  informs(check: CompiledCheck): boolean {
    return referencesOf(check, this.#case).length > 0;
  }

  /** Why a check cannot be exercised: a reference that it speaks of never started. Null: it can. */
  whyNotExercised(check: CompiledCheck): string | null {
    const found = referencesOf(check, this.#case).find((step) => this.#excluded.has(step));
    return found === undefined ? null : `the reference ${found} is excluded: ${this.#excluded.get(found)}`;
  }
}

function describe(termination: Termination): string {
  switch (termination.kind) {
    case 'exited':
      return `exited ${termination.code}`;
    case 'signaled':
      return `signaled ${termination.signal}`;
    case 'not-started':
      return `not-started ${termination.errno}`;
    default:
      return termination.kind;
  }
}
