import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { packageRoot } from '../../document/assets.ts';
import { readBesideFolder } from './beside.ts';
import { compileSuite } from './compile-suite.ts';
import { SuiteTextError } from './errors.ts';
import { SUITE_TEXT_LIMIT, TEXT_PROBLEMS_LIMIT } from './limits.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';
import { MALFORMED } from './testing/malformed.ts';

const FOLDER = join(packageRoot(), 'harness', 'suite', 'language', 'testing', 'fixtures', 'malformed');

function refusal(bytes: Uint8Array): SuiteTextError {
  try {
    compileSuite(bytes, {
      file: 'x.yaml',
      candidateFacts: FACTS_OF_TOOL,
      readBeside: readBesideFolder(FOLDER),
    });
  } catch (error) {
    assert.ok(error instanceof SuiteTextError, String(error));
    assert.equal(error.kind, 'usage');
    return error;
  }
  assert.fail('nothing was refused');
}

const placesOf = (error: SuiteTextError): readonly (readonly [string, number, number])[] =>
  error.problems.map(({ code, line, column }) => [code, line, column] as const);

describe('malformed suite files', () => {
  test('the folder and the list have the same files', () => {
    const names = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));
    assert.deepEqual(names.sort(), Object.keys(MALFORMED).sort());
  });

  for (const [name, rows] of Object.entries(MALFORMED)) {
    test(`${name} has exactly ${rows.map((row) => row.join(':')).join(' and ')}`, () => {
      const error = refusal(readFileSync(join(FOLDER, `${name}.yaml`)));
      assert.deepEqual(placesOf(error), rows);
      const [first] = rows;
      assert.equal(error.code, first?.[0]);
      assert.equal(error.where, `x.yaml:${first?.[1]}:${first?.[2]}`);
    });
  }

  test('one wrong value is told once, and what helps with it is said', () => {
    const head = 'id: a\ntitle: t\nproves: p\ndoesNotProve: d\ncases:\n  - id: one\n    why: w\n';
    const step = '    steps: [{ name: run, argv: [x] }]\n';
    const own = '    checks: [{ id: c, why: w, step: run, files: unchanged }]\n';
    const text = `formatVersion: "1"\n${head}    limits: { memory: 1GB }\n${step}`;
    const error = refusal(Buffer.from(text));
    assert.deepEqual(
      error.problems.map(({ code }) => code),
      ['TYPE_WRONG', 'SIZE_WRONG'],
    );
    const lines = error.lines();
    assert.equal(lines[0], 'suite: 2 wrong places');
    assert.match(lines[1] ?? '', /^x\.yaml:1:16: .* \[TYPE_WRONG\]$/);
    assert.equal(lines.length, 3);
    assert.match(
      refusal(Buffer.from(`formatVersion: 1\n${head}    steps: [{ argv: [x, -] }]\n`)).message,
      /quote a dash that is a text, "-"/,
    );
    const [unknown] = refusal(Buffer.from(`formatVersion: 1\n${head}${step}${own}`)).problems;
    assert.equal(unknown?.code, 'STEP_UNKNOWN');
    assert.equal(unknown?.expected, 'a control, or no step for after the case');
  });

  test('a byte that is no UTF-8 is found behind replacement characters that are spelt out', () => {
    const bytes = Buffer.concat([Buffer.from('id: ü\ufffd\n#\ufffd\nx: '), Buffer.from([0xc3, 0x0a])]);
    const error = refusal(bytes);
    assert.deepEqual(placesOf(error), [['SUITE_NOT_UTF8', 3, 4]]);
    assert.equal(error.actual, 'byte 0xc3');
  });

  test('what only the compiled form refuses is told in words of the file, without a pointer', () => {
    const text =
      'formatVersion: 1\nid: a\ntitle: t\nproves: p\ndoesNotProve: d\ncases:\n  - id: one\n    why: w\n' +
      '    files: [{ path: /etc/x, text: "" }]\n    steps: [{ argv: [x] }]\n';
    const error = refusal(Buffer.from(text));
    assert.deepEqual([error.code, error.expected], ['VALUE_WRONG', 'a path in a writable place as path']);
  });

  test('a slip of the pen is answered with the nearest name, whatever else is wrong', () => {
    const said = (name: string): string => refusal(readFileSync(join(FOLDER, `${name}.yaml`))).message;
    assert.match(said('unknown-key'), /got chekcs, did you mean checks\?/);
    assert.match(said('unknown-word'), /got frist, did you mean first\?/);
    assert.match(said('unknown-placeholder'), /did you mean version\?/);
    assert.match(said('unknown-bin'), /a bin of the candidate: tool, got tol, did you mean tool\?/);
    assert.match(
      said('several'),
      /^suite: 4 wrong places: x\.yaml:1:1: .*x\.yaml:3:1: .*did you mean title\?.*x\.yaml:13:11: /,
    );
  });

  test('what a hostile file can make long is bounded', () => {
    assert.deepEqual(placesOf(refusal(Buffer.alloc(SUITE_TEXT_LIMIT + 1, '#'))), [['SUITE_TOO_LARGE', 1, 1]]);
    const many = Array.from({ length: 500 }, (_, index) => `k${index}: 1\n`).join('');
    assert.equal(refusal(Buffer.from(many)).problems.length, TEXT_PROBLEMS_LIMIT);
    const deep = `cases:${' -'.repeat(200_000)}\n`;
    assert.equal(refusal(Buffer.from(deep)).code, 'SUITE_TOO_DEEP');
    assert.equal(refusal(Buffer.from('['.repeat(200_000))).code, 'SUITE_TOO_DEEP');
  });

  test('terminal escapes of a file are not printed', () => {
    const error = refusal(Buffer.from('"a\\e[31m": 1\n'));
    assert.ok(!error.message.includes('\u001b'), error.message);
  });

  test('whatever a file is cut and patched to, it is compiled or refused, and nothing else happens', () => {
    const everything = readFileSync(join(FOLDER, '..', 'accepted', 'everything.yaml'), 'latin1');
    const place = fc.nat(everything.length);
    const patch = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('\n', '- ', ': ', '{', '[', '"', '&a ', '*a'),
    );
    fc.assert(
      fc.property(place, fc.nat(40), patch, (at, dropped, text) => {
        const bytes = Buffer.from(everything.slice(0, at) + text + everything.slice(at + dropped), 'latin1');
        try {
          compileSuite(bytes, { file: 'x.yaml', candidateFacts: FACTS_OF_TOOL });
        } catch (error) {
          assert.ok(error instanceof SuiteTextError, String(error));
          assert.ok(error.problems.every(({ line, column }) => line >= 1 && column >= 1));
        }
      }),
      { numRuns: 300, seed: 20 },
    );
  });
});
