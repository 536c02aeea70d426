import type { FileSource } from '../files/source.ts';
import type { Findings } from '../finding.ts';
import { checkBoundaryStatement } from './boundary-statement.ts';
import { checkImageStatement } from './image-statement.ts';
import type { StatementName } from './names.ts';
import type { StatementParts } from './statement.ts';
import { checkTestResult, type TestResultParts } from './test-result.ts';

/**
 * Holds every statement against the bundle: each is there when there is something to state, binds this very
 * index, and states what the documents say.
 */
export function checkStatements(source: FileSource, parts: StatementParts): void {
  checkTestResult(source, parts);
  if (parts.kinds.length > 0) checkBoundaryStatement(source, parts);
  else refuse(source, 'statement-boundary.json', 'a boundary that was measured', parts.findings);
  if (parts.images.length > 0) checkImageStatement(source, parts);
  else refuse(source, 'statement-image.json', 'an image', parts.findings);
}

/** Shards keep the statements of their boundaries and images; the whole states what its cases came to. */
export function checkMergedStatements(source: FileSource, parts: TestResultParts): void {
  checkTestResult(source, parts);
  for (const path of ['statement-boundary.json', 'statement-image.json'] as const) {
    refuse(source, path, 'that of a shard', parts.findings);
  }
}

function refuse(source: FileSource, path: StatementName, about: string, findings: Findings): void {
  if (!source.has(path)) return;
  findings.add('STATEMENT_UNFOUNDED', path, about, 'none in the bundle');
}
