import type { CompiledCase, Expectation } from '../compiled.ts';
import { member, type Report } from './report.ts';

/**
 * What holds between the volatile parts of a case and the rest of it: they speak of its steps, and none takes back
 * as a whole what a check states byte for byte.
 */
export function checkVolatile(compiled: CompiledCase, path: string, report: Report): void {
  const stated = compiled.checks.flatMap(({ expect }) => wholeStreams(expect));
  compiled.volatile.forEach((one, index) => {
    if (one.kind !== 'stream') return;
    const at = member(path, index);
    if (!compiled.steps.some(({ name }) => name === one.step))
      report.add(`${at}/step`, 'a step of the case', one.step);
    if (one.pattern === null && stated.includes(`${one.step} ${one.stream}`)) {
      report.add(`${at}/pattern`, 'a pattern, as a check states the whole stream', 'all');
    }
  });
}

/** Streams of the case itself of which a statement states every byte. */
function wholeStreams(expectation: Expectation): readonly string[] {
  const own = ({ caseId, step, stream }: { caseId: string | null; step: string; stream: string }) =>
    caseId === null ? [`${step} ${stream}`] : [];
  switch (expectation.kind) {
    case 'all':
    case 'any':
      return expectation.of.flatMap(wholeStreams);
    case 'not':
      return wholeStreams(expectation.of);
    case 'stream-equals':
    case 'stream-empty':
    case 'file-equals-stream':
      return own(expectation.of);
    case 'streams-equal':
      return [...own(expectation.left), ...own(expectation.right)];
    default:
      return [];
  }
}
