import type { CompiledCase } from '../compiled.ts';
import { wholeStreams } from '../whole-streams.ts';
import { member, type Report } from './report.ts';

/**
 * What holds between the volatile parts of a case and the rest of it: they speak of its steps, and none takes back
 * as a whole what a check states byte for byte.
 */
export function checkVolatile(compiled: CompiledCase, path: string, report: Report): void {
  const stated = compiled.checks.flatMap(({ expect }) =>
    wholeStreams(expect).flatMap(({ caseId, step, stream }) =>
      caseId === null ? [`${step} ${stream}`] : [],
    ),
  );
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
