import type { Expectation, StreamReference } from './compiled.ts';

/** The streams of which a statement states every byte, whether or not it is negated. */
export function wholeStreams(expectation: Expectation): readonly StreamReference[] {
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
