import { Fault, quoteText } from '../document/fault.ts';
import { countOutcomes, type OutcomeCounts } from '../evidence/report.ts';
import type { ResultDocument } from './result-document.ts';

/** The one document of `--json` of a command that ended before its result; what is not known is null or empty. */
export interface ErrorDocument {
  readonly formatVersion: 1;
  readonly result: 'error';
  readonly exitCode: number;
  readonly error: {
    readonly code: string;
    readonly what: string;
    readonly where: string;
    readonly expected: string | null;
    readonly actual: string | null;
  };
  readonly candidate: ResultDocument['candidate'] | null;
  readonly engine: ResultDocument['engine'];
  readonly counts: OutcomeCounts;
  readonly failures: ResultDocument['failures'];
  readonly audit: ResultDocument['audit'];
  readonly evidence: string | null;
  readonly durationMs: number;
}

/** `durationMs`: since the process began. */
export function toErrorDocument(error: unknown, exitCode: number, durationMs: number): ErrorDocument {
  return {
    formatVersion: 1,
    result: 'error',
    exitCode,
    error: describe(error),
    candidate: null,
    engine: null,
    counts: countOutcomes([]),
    failures: [],
    audit: [],
    evidence: null,
    durationMs: Math.round(durationMs),
  };
}

/** Texts may be a candidate's, and are cut as in a message. What is no Fault is a bug of ours. */
function describe(error: unknown): ErrorDocument['error'] {
  if (error instanceof Fault) {
    const { code, what, where, expected = null, actual } = error;
    return {
      code,
      what,
      where: quoteText(where),
      expected,
      actual: actual === undefined ? null : quoteText(actual),
    };
  }
  const actual = quoteText(error instanceof Error ? error.message : String(error));
  return { code: 'INTERNAL', what: 'internal error', where: 'packproof', expected: null, actual };
}
