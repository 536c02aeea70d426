import type { CompiledCase } from '../suite/compiled.ts';
import { informingChecks } from '../suite/references.ts';
import { wholeStreams } from '../suite/whole-streams.ts';

/** Names one stream among those of a suite. */
export function streamKey(caseId: string, step: string, stream: string): string {
  return `${caseId}\n${step}\n${stream}`;
}

/**
 * The streams of which some check states every byte. A replay in which their bytes differ is `different` even
 * when the check came out the same, as one that failed both times does. A check that speaks of a reference counts
 * for no outcome, and states no stream here: neither the reference's nor the candidate's.
 */
export function assertedStreams(cases: readonly CompiledCase[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const one of cases) {
    const informing = informingChecks(one);
    for (const { expect } of one.checks.filter(({ id }) => !informing.has(id))) {
      for (const { caseId, step, stream } of wholeStreams(expect)) {
        keys.add(streamKey(caseId ?? one.id, step, stream));
      }
    }
  }
  return keys;
}

/** Names one step, or one check, among those of a suite. */
export function nameKey(caseId: string, name: string): string {
  return `${caseId}\n${name}`;
}

/** What may come out otherwise in a replay and is drift only, as keys of `nameKey`. */
export interface Undecisive {
  /**
   * Steps of which another end decides nothing: references, and steps whose reader goes away after some bytes. How
   * much of the rest the program has written by then, and so whether it meets EPIPE at all, is a race of the two;
   * what matters of its end is in the checks.
   */
  readonly ends: ReadonlySet<string>;
  /** Steps around which other files decide nothing: references. Whether they were undone is a check of its own. */
  readonly looks: ReadonlySet<string>;
  /** Checks that speak of a reference. */
  readonly checks: ReadonlySet<string>;
}

/** References are observed and gate nothing: neither the case when it ran, nor its replay. */
export function undecisiveParts(cases: readonly CompiledCase[]): Undecisive {
  const keys = (names: (one: CompiledCase) => Iterable<string>): ReadonlySet<string> =>
    new Set(cases.flatMap((one) => [...names(one)].map((name) => nameKey(one.id, name))));
  const looks = keys(({ references }) => references.map(({ step }) => step));
  return { ends: new Set([...looks, ...keys(racingSteps)]), looks, checks: keys(informingChecks) };
}

function racingSteps({ steps }: CompiledCase): readonly string[] {
  return steps.flatMap(({ name, stdout }) =>
    typeof stdout === 'object' && 'closeAfterBytes' in stdout && stdout.closeAfterBytes > 0 ? [name] : [],
  );
}
