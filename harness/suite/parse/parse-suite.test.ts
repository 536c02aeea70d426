import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCanonicalBytes } from '../../document/canonical.ts';
import type { CompiledSuite } from '../compiled.ts';
import { SuiteError, type SuiteErrorCode } from '../errors.ts';
import { PROBLEMS_LIMIT } from '../limits.ts';
import { generateSmokeSuite } from '../smoke/generate.ts';
import { FACTS } from '../testing/facts.ts';
import { compiledCase, compiledCheck } from '../testing/observations.ts';
import { parseCompiledSuite, parseCompiledSuiteBytes } from './parse-suite.ts';

type Json = Record<string, unknown>;

const BASE: CompiledSuite = {
  formatVersion: 1,
  id: 'suite',
  title: 'a suite',
  proves: [],
  doesNotProve: [],
  archives: [],
  cases: [compiledCase([compiledCheck({ kind: 'no-leftovers' })])],
  exclusions: [],
  expectedUnsupported: [],
};

/** A copy with one place changed; `path` is a JSON Pointer, an undefined value removes it. */
function changed(path: string, value: unknown): unknown {
  const copy: Json = structuredClone(BASE) as unknown as Json;
  const parts = path.slice(1).split('/');
  const last = parts.pop() ?? '';
  let place = copy;
  for (const part of parts) place = place[part] as Json;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

function codeAndPaths(run: () => unknown): {
  readonly code: SuiteErrorCode;
  readonly paths: readonly string[];
} {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof SuiteError, String(error));
    assert.equal(error.kind, 'usage');
    return { code: error.code, paths: error.problems.map((problem) => problem.path) };
  }
  assert.fail('nothing was refused');
}

const CASE = '/cases/0';
const STEP = `${CASE}/steps/0`;
const CHECK = `${CASE}/checks/0`;
const reference = { caseId: null, step: 'step', stream: 'stdout' };

const REFUSED: readonly (readonly [about: string, path: string, value: unknown, wrong?: string])[] = [
  ['another format version', '/formatVersion', 2],
  ['a missing field', '/title', undefined],
  ['an unknown field', '/note', 'x'],
  ['an inherited field name', '/constructor', 'x'],
  ['no case', '/cases', []],
  ['an upper-case id', `${CASE}/id`, 'Case'],
  ['an id that is no file name', `${CASE}/id`, '../x'],
  ['an id too long', `${CASE}/id`, 'x'.repeat(121)],
  ['an unknown severity', `${CHECK}/severity`, 'fatal'],
  [
    'a requirement without an earlier case',
    `${CASE}/requires`,
    { classification: 'later', classes: ['cli'] },
    `${CASE}/requires/classification`,
  ],
  [
    'an unknown class',
    `${CASE}/requires`,
    { classification: 'case', classes: ['gui'] },
    `${CASE}/requires/classes/0`,
  ],
  ['an unknown choice of Node versions', `${CASE}/node`, 'last'],
  ['no range of Node versions', `${CASE}/node`, []],
  ['too many of them', `${CASE}/node`, Array.from({ length: 33 }, () => ({ from: '20.0.0', below: null }))],
  ['a range of a major version alone', `${CASE}/node`, [{ from: '20', below: null }], `${CASE}/node/0/from`],
  ['a range without an end', `${CASE}/node`, [{ from: '20.0.0' }], `${CASE}/node/0/below`],
  [
    'a range that ends before a release',
    `${CASE}/node`,
    [{ from: '20.0.0', below: '21.0.0-0' }],
    `${CASE}/node/0/below`,
  ],
  [
    'a mode of three digits',
    `${CASE}/files`,
    [{ kind: 'directory', path: '/work/a', mode: '755' }],
    `${CASE}/files/0/mode`,
  ],
  [
    'a file outside the writable places',
    `${CASE}/files`,
    [{ kind: 'directory', path: '/etc/a', mode: '0755' }],
    `${CASE}/files/0/path`,
  ],
  [
    'a path that climbs',
    `${CASE}/files`,
    [{ kind: 'directory', path: '/work/../a', mode: '0755' }],
    `${CASE}/files/0/path`,
  ],
  [
    'a file without its parent',
    `${CASE}/files`,
    [{ kind: 'file', path: '/work/a/b', mode: '0644', contentBase64: '' }],
    `${CASE}/files/0/path`,
  ],
  [
    'base64 of another form',
    `${CASE}/files`,
    [{ kind: 'file', path: '/work/a', mode: '0644', contentBase64: 'YQ' }],
    `${CASE}/files/0/contentBase64`,
  ],
  [
    'a kind of file that is not laid',
    `${CASE}/files`,
    [{ kind: 'character-device', path: '/work/a', mode: '0644' }],
    `${CASE}/files/0/kind`,
  ],
  ['no step', `${CASE}/steps`, []],
  ['no argument', `${STEP}/argv`, []],
  ['an argument with NUL', `${STEP}/argv`, ['a\0b'], `${STEP}/argv/0`],
  ['a variable that cannot be set', `${STEP}/env`, { 'A=B': 'x' }, `${STEP}/env/A=B`],
  ['a relative cwd', `${STEP}/cwd`, 'work'],
  ['an unknown input plan', `${STEP}/stdin`, { kind: 'terminal' }, `${STEP}/stdin/kind`],
  [
    'an input plan with another’s field',
    `${STEP}/stdin`,
    { kind: 'idle', thenClose: true },
    `${STEP}/stdin/thenClose`,
  ],
  ['an output file in a read-only place', `${STEP}/stdout`, { file: '/opt/x' }, `${STEP}/stdout/file`],
  ['a negative close', `${STEP}/stdout`, { closeAfterBytes: -1 }, `${STEP}/stdout/closeAfterBytes`],
  ['no time', `${STEP}/timeoutMs`, 0],
  ['a time that is no whole number', `${STEP}/timeoutMs`, 1.5],
  ['a time as text', `${STEP}/timeoutMs`, '1000'],
  ['no check', `${CASE}/checks`, []],
  ['an unknown expectation', `${CHECK}/expect`, { kind: 'looks-fine' }, `${CHECK}/expect/kind`],
  [
    'an expectation named like an inherited field',
    `${CHECK}/expect`,
    { kind: 'toString' },
    `${CHECK}/expect/kind`,
  ],
  [
    'a pattern that is not RE2',
    `${CHECK}/expect`,
    { kind: 'stream-matches', of: reference, pattern: '(?=x)' },
    `${CHECK}/expect/pattern`,
  ],
  [
    'a back-reference',
    `${CHECK}/expect`,
    { kind: 'stream-matches', of: reference, pattern: '(a)\\1' },
    `${CHECK}/expect/pattern`,
  ],
  [
    'a text to include that is empty',
    `${CHECK}/expect`,
    { kind: 'stream-includes', of: reference, text: '' },
    `${CHECK}/expect/text`,
  ],
  [
    'a pointer without a slash',
    `${CHECK}/expect`,
    { kind: 'json-rpc-answer', of: reference, id: 1, resultHas: ['tools'] },
    `${CHECK}/expect/resultHas/0`,
  ],
  [
    'a pattern of terminations that is none',
    `${CHECK}/expect`,
    { kind: 'termination', step: 'step', caseId: null, anyOf: [{ kind: 'exited', codes: 'zero' }] },
    `${CHECK}/expect/anyOf/0/codes`,
  ],
  [
    'a step that does not exist',
    `${CHECK}/expect`,
    { kind: 'exit-lag', step: 'absent', maxMs: 1 },
    `${CHECK}/expect/step`,
  ],
  [
    'a case that does not exist',
    `${CHECK}/expect`,
    { kind: 'classified', caseId: 'absent', classes: [] },
    `${CHECK}/expect/caseId`,
  ],
  [
    'a wrong statement deep inside',
    `${CHECK}/precondition`,
    { kind: 'not', of: { kind: 'all', of: [{ kind: 'no-leftovers', x: 1 }] } },
    `${CHECK}/precondition/of/of/0/x`,
  ],
];

describe('parsing a compiled suite', () => {
  test('accepts a suite and gives it back', () => {
    assert.deepEqual(parseCompiledSuite(structuredClone(BASE)), BASE);
    assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(BASE)), BASE);
  });

  test('accepts ranges of Node versions', () => {
    const node = [
      { from: '20.0.0', below: '21.0.0' },
      { from: '22.5.0', below: null },
    ];
    assert.deepEqual(parseCompiledSuite(changed(`${CASE}/node`, node)).cases[0]?.node, node);
  });

  test('accepts what the generator makes', () => {
    const suite = generateSmokeSuite(FACTS, ['20.20.2']);
    assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(suite)), suite);
  });

  for (const [about, path, value, wrong] of REFUSED) {
    test(`refuses ${about}`, () => {
      assert.deepEqual(
        codeAndPaths(() => parseCompiledSuite(changed(path, value))),
        {
          code: 'SUITE_MALFORMED',
          paths: [wrong ?? path],
        },
      );
    });
  }

  for (const value of [null, [], 'suite', 1, undefined]) {
    test(`refuses ${JSON.stringify(value)} in place of a suite`, () => {
      assert.deepEqual(
        codeAndPaths(() => parseCompiledSuite(value)),
        { code: 'SUITE_MALFORMED', paths: [''] },
      );
    });
  }

  test('names all wrong places at once', () => {
    const [one] = BASE.cases;
    const suite = {
      ...BASE,
      title: 1,
      cases: [{ ...one, why: 2, steps: [{ ...one?.steps[0], argv: 'x' }] }],
      extra: 0,
    };
    assert.deepEqual(codeAndPaths(() => parseCompiledSuite(suite)).paths, [
      '/title',
      '/cases/0/why',
      '/cases/0/steps/0/argv',
      '/extra',
    ]);
  });

  test('names a bounded number of them', () => {
    const suite = { ...BASE, proves: Array.from({ length: 100 }, () => 1), doesNotProve: [1, 2] };
    assert.equal(codeAndPaths(() => parseCompiledSuite(suite)).paths.length, PROBLEMS_LIMIT);
  });

  test('refuses ids and names that occur twice', () => {
    const one = compiledCase(
      [compiledCheck({ kind: 'no-leftovers' }), compiledCheck({ kind: 'no-oom-kill' })],
      ['a', 'a'],
    );
    assert.deepEqual(codeAndPaths(() => parseCompiledSuite({ ...BASE, cases: [one, one] })).paths, [
      '/cases/0/steps/1/name',
      '/cases/0/checks/1/id',
      '/cases/1/id',
      '/cases/1/steps/1/name',
      '/cases/1/checks/1/id',
    ]);
  });

  test('refuses nesting that would exhaust the stack', () => {
    let expect: unknown = { kind: 'no-leftovers' };
    for (let level = 0; level < 100_000; level += 1) expect = { kind: 'not', of: expect };
    const { code, paths } = codeAndPaths(() => parseCompiledSuite(changed(`${CHECK}/expect`, expect)));
    assert.equal(code, 'SUITE_MALFORMED');
    assert.equal(paths.length, 1);
  });
});

describe('the bytes of a compiled suite', () => {
  const bytes = toCanonicalBytes(BASE);
  const text = bytes.toString();
  const refused = (content: string | Buffer): SuiteErrorCode =>
    codeAndPaths(() => parseCompiledSuiteBytes(Buffer.from(content))).code;

  test('are refused in any other form of the same value', () => {
    assert.equal(refused(`${text}\n`), 'SUITE_NOT_CANONICAL');
    assert.equal(refused(JSON.stringify(BASE, null, 1)), 'SUITE_NOT_CANONICAL');
    assert.equal(refused(text.replace('"suite"', '"\\u0073uite"')), 'SUITE_NOT_CANONICAL');
    assert.equal(refused(text.replace('"formatVersion":1', '"formatVersion":1.0')), 'SUITE_NOT_CANONICAL');
  });

  test('are refused with a key twice, though the value is the same', () => {
    assert.equal(refused(text.replace('"title":', '"title":"hidden","title":')), 'SUITE_NOT_CANONICAL');
  });

  test('are refused when they are no JSON in UTF-8', () => {
    assert.equal(refused(text.slice(0, -1)), 'SUITE_MALFORMED');
    assert.equal(refused(`\ufeff${text}`), 'SUITE_MALFORMED');
    assert.equal(refused(Buffer.from(text.replace('a suite', 'a s\u00fcite'), 'latin1')), 'SUITE_MALFORMED');
    assert.equal(refused(''), 'SUITE_MALFORMED');
  });

  test('are refused before they are parsed when nested too deeply', () => {
    assert.equal(refused('['.repeat(5_000_000)), 'SUITE_MALFORMED');
  });

  test('may hold brackets in texts', () => {
    const suite = { ...BASE, title: `${'[{'.repeat(100)}"\\` };
    assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(suite)), suite);
  });
});
