import { toCanonicalBytes } from '../../document/canonical.ts';
import type { CompiledSuite } from '../compiled.ts';
import { SuiteError } from '../errors.ts';
import { SUITE_BYTES_LIMIT, SUITE_DEPTH_LIMIT } from '../limits.ts';
import { Report } from './report.ts';
import type { Shape } from './shapes.ts';
import { checkSuiteRules } from './suite-rules.ts';
import { suiteShape } from './suite-shape.ts';

/**
 * Accepts a value as a compiled suite or names every place where it is not one.
 *
 * Unknown and missing fields are refused. Ids are lower-case by their form, so unique means unique under case
 * folding. Patterns compile, and every step and case that a check speaks of exists.
 * @throws {SuiteError} SUITE_MALFORMED with `problems`
 */
export function parseCompiledSuite(value: unknown): CompiledSuite {
  const report = new Report();
  accept(suiteShape, value, report);
  const suite = value as CompiledSuite;
  checkSuiteRules(suite, report);
  refuse(report);
  return suite;
}

/**
 * The same from stored bytes, which must be the one byte form of the suite (RFC 8785, UTF-8, no BOM); this also
 * refuses duplicate keys, which `JSON.parse` drops silently. Size and depth are capped before any work.
 * @throws {SuiteError} SUITE_MALFORMED with `problems`, SUITE_NOT_CANONICAL
 */
export function parseCompiledSuiteBytes(bytes: Uint8Array): CompiledSuite {
  const suite = parseCompiledSuite(parseJson(bytes));
  if (!toCanonicalBytes(suite).equals(bytes)) {
    throw new SuiteError('SUITE_NOT_CANONICAL', 'usage', {
      where: 'suite.json',
      expected: 'RFC 8785 bytes',
      actual: 'other bytes of the same value',
    });
  }
  return suite;
}

function accept(shape: Shape, value: unknown, report: Report): void {
  shape(value, '', report);
  refuse(report);
}

function refuse(report: Report): void {
  const [first] = report.problems;
  if (first === undefined) return;
  throw new SuiteError('SUITE_MALFORMED', 'usage', {
    where: first.path,
    expected: first.expected,
    actual: first.actual,
    problems: report.problems,
  });
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length > SUITE_BYTES_LIMIT)
    throw malformed(`at most ${SUITE_BYTES_LIMIT} bytes`, `${bytes.length}`);
  if (depthOf(bytes) > SUITE_DEPTH_LIMIT) throw malformed(`at most ${SUITE_DEPTH_LIMIT} levels`, 'more');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw malformed('JSON in UTF-8', 'other bytes', cause);
  }
}

function malformed(expected: string, actual: string, cause?: unknown): SuiteError {
  return new SuiteError('SUITE_MALFORMED', 'usage', {
    where: 'suite.json',
    expected,
    actual,
    cause,
    problems: [{ path: '', expected, actual }],
  });
}

/** Deepest nesting of brackets outside strings; of bytes that are no JSON it may be anything. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return deepest;
}
