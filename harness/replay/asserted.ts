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
