import { quoteText } from '../../document/fault.ts';
import type { Expectation, TerminationPattern } from '../compiled.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';

/**
 * What a statement asks for, to stand behind "expected" in a message; null where what was seen says it already, and
 * for statements made of others, whose parts say it. Bounded: texts of a suite are cut and escaped.
 */
export function describeExpected(expectation: Expectation): string | null {
  switch (expectation.kind) {
    case 'termination':
      return orOf(expectation.anyOf.map(describeTermination));
    case 'stream-empty':
      return expectation.ignoreWhitespace ? 'only white space' : 'nothing';
    case 'stream-matches':
      return `a match of /${cut(expectation.pattern)}/`;
    case 'stream-size':
      return describeBounds(expectation.minBytes, expectation.maxBytes, 'bytes');
    case 'duration':
      return describeBounds(expectation.minMs, expectation.maxMs, 'ms');
    case 'streams-equal':
    case 'file-equals-stream':
      return 'the same bytes';
    case 'file-not-longer':
      return 'at most as many';
    case 'json-rpc-value':
      return orOf(expectation.anyOf.map((text) => `"${cut(text)}"`));
    case 'json-rpc-error':
      return expectation.codes.length === 0
        ? 'an error'
        : `error code ${orOf(expectation.codes.map(String))}`;
    case 'path-changed':
      return `it to be ${expectation.change}`;
    case 'exit-lag':
      return `at most ${expectation.maxMs} ms`;
    case 'ended-after-signal':
      return `an end within ${expectation.withinMs} ms`;
    case 'classified':
      return orOf(expectation.classes);
    case 'path-absent':
    case 'action-absent':
    case 'no-leftovers':
    case 'no-files-created':
      return 'none';
    case 'files-unchanged':
      return 'everything as before';
    default:
      return null;
  }
}

/** What the opposite of a statement asks for; null where it is made of others. */
export function describeOpposite(expectation: Expectation): string | null {
  switch (expectation.kind) {
    case 'stream-includes':
      return `no "${cut(expectation.text)}"`;
    case 'stream-equals':
      return 'anything else';
    case 'stream-matches':
      return `no match of /${cut(expectation.pattern)}/`;
    case 'stream-empty':
      return 'something';
    case 'all':
    case 'any':
    case 'not':
      return null;
    default: {
      const expected = describeExpected(expectation);
      return expected === null ? null : `not ${expected}`;
    }
  }
}

function describeTermination(pattern: TerminationPattern): string {
  switch (pattern.kind) {
    case 'exited':
      if (pattern.codes === 'any') return 'an exit';
      if (pattern.codes === 'nonzero') return 'an exit code other than 0';
      return `exit code ${orOf(pattern.codes.map(String)) ?? 'of none'}`;
    case 'signaled':
      return pattern.signals === 'any'
        ? 'an end by a signal'
        : `an end by ${orOf(pattern.signals) ?? 'none'}`;
    case 'timed-out':
      return 'no end within its time';
    case 'output-limit':
      return 'more output than the limit';
    case 'budget':
      return 'a cut by the budget';
    case 'interrupted':
      return 'an interruption';
    case 'not-started':
      return 'no start';
  }
}

function describeBounds(least: number | null, most: number | null, unit: string): string | null {
  if (least !== null && least === most) return `${least} ${unit}`;
  const bounds = [
    ...(least === null ? [] : [`at least ${least}`]),
    ...(most === null ? [] : [`at most ${most}`]),
  ];
  return bounds.length === 0 ? null : `${bounds.join(' and ')} ${unit}`;
}

function orOf(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(' or ');
}

function cut(text: string): string {
  return quoteText(text, MESSAGE_TEXT_LIMIT);
}
