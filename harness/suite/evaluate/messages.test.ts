import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Expectation } from '../compiled.ts';
import { LOADER } from '../signatures.ts';
import {
  bytesOf,
  type CaseParts,
  compiledCase,
  compiledCheck,
  observe,
  type StepParts,
} from '../testing/observations.ts';
import { evaluateCase } from './evaluator.ts';

const STDOUT = { caseId: null, step: 'step', stream: 'stdout' } as const;
const STDERR = { ...STDOUT, stream: 'stderr' } as const;
const CANARY = 'hunter2-hunter2-hunter2';

function equals(text: string): Expectation {
  return { kind: 'stream-equals', of: STDOUT, contentBase64: Buffer.from(text).toString('base64') };
}

function messages(
  expectations: readonly Expectation[],
  step: StepParts,
  rest: Omit<CaseParts, 'steps'> = {},
) {
  const observed = observe({ ...rest, steps: [step] });
  const checks = expectations.map((expect, index) => compiledCheck(expect, { id: `check-${index}` }));
  const evaluated = evaluateCase(compiledCase(checks), [observed.observation], bytesOf(observed));
  return evaluated.checks.map(({ message }) => message);
}

describe('message of a failed check', () => {
  const rows: readonly (readonly [Expectation, StepParts, string])[] = [
    [equals('1 a\n'), { stdout: '2 b\n' }, 'step stdout is "2 b\\u{a}", expected "1 a\\u{a}"'],
    [equals('1 a\n'), {}, 'step stdout is no bytes, expected "1 a\\u{a}"'],
    [
      { kind: 'termination', step: 'step', caseId: null, anyOf: [{ kind: 'exited', codes: [0, 3] }] },
      { termination: { kind: 'exited', code: 2 } },
      'step exited with 2, expected exit code 0 or 3',
    ],
    [
      { kind: 'stream-matches', of: STDOUT, pattern: '^a' },
      { stdout: 'b' },
      'step stdout is "b", expected a match of /^a/',
    ],
    [
      { kind: 'not', of: { kind: 'stream-includes', of: STDOUT, text: 'b' } },
      { stdout: 'b' },
      'step stdout has "b", expected no "b"',
    ],
    [
      { kind: 'any', of: [equals('a'), { kind: 'stream-empty', of: STDOUT, ignoreWhitespace: false }] },
      { stdout: 'b' },
      'step stdout is "b", expected "a" or nothing',
    ],
    [
      { kind: 'stream-size', of: STDOUT, minBytes: 2, maxBytes: 3 },
      { stdout: 'b' },
      'step stdout has 1 bytes, expected at least 2 and at most 3 bytes',
    ],
    [
      { kind: 'json-value', of: STDOUT, scope: 'stream', rule: 'equals', json: '{"a":1}' },
      { stdout: '{"a":2}' },
      'step stdout is not {"a":1}: "{"a":2}"',
    ],
    [
      { kind: 'duration', step: 'step', minMs: null, maxMs: 50 },
      { durationMs: 100 },
      'step took 100 ms, expected at most 50 ms',
    ],
  ];
  for (const [expectation, step, message] of rows) {
    test(message, () => assert.deepEqual(messages([expectation], step), [message]));
  }

  test('shows long texts from the line on in which they part', () => {
    const head = 'the same line\n'.repeat(20);
    const [message] = messages([equals(`${head}right\n`)], { stdout: `${head}wrong\n` });
    assert.equal(message, 'step stdout from line 21 on is "wrong\\u{a}", expected "right\\u{a}"');
  });

  test('is bounded, whatever was seen and stated', () => {
    const [message = ''] = messages([equals('\n'.repeat(100_000))], { stdout: '\u0000'.repeat(100_000) });
    assert.ok(message.length < 2000, String(message.length));
  });

  test('shows the line of an error and not the source that threw it', () => {
    const stderr = [
      `node:internal/modules/package_json_reader:${'3'.repeat(100)}`,
      '  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);',
      '        ^',
      '',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /opt/candidate/cli.js",
    ].join('\n');
    const loads: Expectation = { kind: 'not', of: { kind: 'stream-matches', of: STDERR, pattern: LOADER } };
    const [message = ''] = messages([loads], { stderr });
    assert.match(message, /^step stderr is "Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'left-pad'/);
  });
});

describe('canaries of a case', () => {
  const none: Expectation = { kind: 'no-canaries', texts: [CANARY, 'first "line"\nsecond line'] };
  const leaks: readonly (readonly [string, string])[] = [
    ['whole', `key ${CANARY} used`],
    ['cut at its end', `${'x'.repeat(110)}${CANARY}`],
    ['cut at its first character but one', `${'x'.repeat(119)}${CANARY}`],
    ['in several lines', 'says first "line"\nsecond line'],
    ['from its second line on', `${'x\n'.repeat(200)}second line`],
    ['as JSON', JSON.stringify({ key: 'first "line"\nsecond line' })],
  ];
  for (const [how, text] of leaks) {
    test(`are in no message: ${how}`, () => {
      const shown = messages(
        [
          none,
          equals(CANARY),
          equals('x\n'.repeat(200)),
          { kind: 'stream-includes', of: STDOUT, text: `no ${CANARY}` },
          { kind: 'stream-matches', of: STDOUT, pattern: `^${CANARY}$` },
          { kind: 'json-lines', of: STDOUT, jsonRpc: true, nonJson: 'refuse' },
          { kind: 'no-leftovers' },
        ],
        { stdout: text },
        { leftovers: [text] },
      ).join('\n');
      assert.match(shown, /<canary>/);
      for (const secret of ['hunter2', 'first', 'second', '"xh', 'xh'])
        assert.ok(!shown.includes(secret), shown);
    });
  }

  test('of a case that states none nothing is taken out', () => {
    const [message = ''] = messages([equals('a')], { stdout: CANARY });
    assert.ok(message.includes(CANARY));
  });
});
