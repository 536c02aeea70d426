import type { CompiledCase, Expectation, StreamReference } from '../suite/compiled.ts';

/** Names one stream among those of a suite. */
export function streamKey(caseId: string, step: string, stream: string): string {
  return `${caseId}\n${step}\n${stream}`;
}

/**
 * The streams of which some check states every byte. A replay in which their bytes differ is `different` even
 * when the check came out the same, as one that failed both times does.
 */
export function assertedStreams(cases: readonly CompiledCase[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const one of cases) {
    for (const { expect } of one.checks) {
      for (const { caseId, step, stream } of wholeStreams(expect)) {
        keys.add(streamKey(caseId ?? one.id, step, stream));
      }
    }
  }
  return keys;
}

function wholeStreams(expectation: Expectation): readonly StreamReference[] {
  switch (expectation.kind) {
    case 'all':
    case 'any':
      return expectation.of.flatMap(wholeStreams);
    case 'not':
      return wholeStreams(expectation.of);
    case 'stream-equals':
    case 'stream-empty':
    case 'file-equals-stream':
      return [expectation.of];
    case 'streams-equal':
      return [expectation.left, expectation.right];
    default:
      return [];
  }
}

/** Names one step among those of a suite. */
export function stepKey(caseId: string, step: string): string {
  return `${caseId}\n${step}`;
}

/**
 * Steps whose reader goes away after some bytes. How much of the rest the program has written by then, and so
 * whether it meets EPIPE at all, is a race of the two; what matters of its end is in the checks.
 */
export function racingSteps(cases: readonly CompiledCase[]): ReadonlySet<string> {
  return new Set(
    cases.flatMap(({ id, steps }) =>
      steps.flatMap(({ name, stdout }) =>
        typeof stdout === 'object' && 'closeAfterBytes' in stdout && stdout.closeAfterBytes > 0
          ? [stepKey(id, name)]
          : [],
      ),
    ),
  );
}
