import type { Findings } from '../finding.ts';
import type { Expectation, SuiteCase } from '../shape/suite.ts';

/** What may differ is of the case's own steps, and is nothing that a check states byte for byte as a whole. */
export function checkVolatile(one: SuiteCase, at: string, findings: Findings): void {
  const stated = one.checks.flatMap(({ expect }) => statedWhole(expect));
  for (const [index, part] of one.volatile.entries()) {
    if (part.kind !== 'stream') continue;
    if (!one.steps.some(({ name }) => name === part.step)) {
      findings.add('SUITE_RULE', `${at}[${index}].step`, 'a step of the case', part.step);
    }
    if (part.pattern === null && stated.includes(`${part.step} ${part.stream}`)) {
      findings.add(
        'SUITE_RULE',
        `${at}[${index}].pattern`,
        'a pattern',
        'all of a stream that a check states',
      );
    }
  }
}

function statedWhole(stated: Expectation): readonly string[] {
  switch (stated.kind) {
    case 'all':
    case 'any':
      return stated.of.flatMap(statedWhole);
    case 'not':
      return statedWhole(stated.of);
    case 'stream-equals':
    case 'stream-empty':
    case 'file-equals-stream':
      return ownName(stated.of);
    case 'streams-equal':
      return [...ownName(stated.left), ...ownName(stated.right)];
    default:
      return [];
  }
}

function ownName(of: {
  readonly caseId: string | null;
  readonly step: string;
  readonly stream: string;
}): readonly string[] {
  return of.caseId === null ? [`${of.step} ${of.stream}`] : [];
}
