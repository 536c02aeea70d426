// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are placeholders of the suite language
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { CompiledCase, CompiledCheck, CompiledSuite, Expectation } from '../compiled.ts';
import { SuiteError } from '../errors.ts';
import { BASE_ENV, FOREIGN_CWD } from '../layout.ts';
import { parseCompiledSuiteBytes } from '../parse/parse-suite.ts';
import { checkSuiteFile, compileSuite } from './compile-suite.ts';
import { SuiteTextError } from './errors.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';

const HEAD =
  'formatVersion: 1\nid: suite\ntitle: a suite\nproves: that it runs\ndoesNotProve: [more]\ncases:\n';
const LINK = '/opt/candidate/node_modules/.bin/tool';
const BESIDE: Readonly<Record<string, string>> = { 'in/a.txt': 'beside ${version}\n' };

function compile(text: string): CompiledSuite {
  const suite = compileSuite(Buffer.from(text), {
    file: 'x.yaml',
    candidateFacts: FACTS_OF_TOOL,
    readBeside: (path) => {
      const found = BESIDE[path];
      return found === undefined ? { bytes: null, reason: 'absent' } : { bytes: Buffer.from(found) };
    },
  });
  // What run and verify read is the stored form.
  assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(suite)), suite);
  return suite;
}

/** One case with one step, to which lines are added at the places that tests need. */
function compileCase(parts: { readonly step?: string; readonly case?: string } = {}): CompiledCase {
  const step = (parts.step ?? '').replace(/^/gm, '        ');
  const rest = (parts.case ?? '').replace(/^/gm, '    ');
  const argv = '["${bin:tool}", --version]';
  const text = `${HEAD}  - id: one\n    why: because\n    steps:\n      - argv: ${argv}\n${step}\n${rest}\n`;
  const [first] = compile(text).cases;
  assert.ok(first !== undefined);
  return first;
}

function checksOf(text: string): readonly CompiledCheck[] {
  return compileCase({ case: `checks:\n${text.replace(/^/gm, '  ')}` }).checks;
}

const idsOf = (checks: readonly CompiledCheck[]): readonly string[] => checks.map(({ id }) => id);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const stdout = { caseId: null, step: 'run', stream: 'stdout' } as const;

describe('a case that says nothing but what it must', () => {
  test('gets every default, written out', () => {
    const check = (id: string, why: string, expect: unknown): unknown => ({
      ...{ id, severity: 'gate', why, precondition: null, expect },
      advice: '',
    });
    assert.deepEqual(compileCase(), {
      id: 'one',
      why: 'because',
      proves: [],
      doesNotProve: [],
      tags: [],
      requires: null,
      node: 'each',
      exec: false,
      limits: [],
      outputBytes: 268_435_456,
      settleMs: 1500,
      files: [{ kind: 'directory', path: FOREIGN_CWD, mode: '0755' }],
      steps: [
        {
          name: 'run',
          argv: [LINK, '--version'],
          env: BASE_ENV,
          cwd: FOREIGN_CWD,
          stdin: { kind: 'closed' },
          stdout: 'pipe',
          signals: [],
          timeoutMs: 10_000,
        },
      ],
      controls: [],
      references: [],
      checks: [
        check('run.termination', 'run exits with 0 (default)', {
          kind: 'termination',
          step: 'run',
          caseId: null,
          anyOf: [{ kind: 'exited', codes: [0] }],
        }),
        check('run.stderr', 'run writes nothing to stderr (default)', {
          kind: 'stream-empty',
          of: { caseId: null, step: 'run', stream: 'stderr' },
          ignoreWhitespace: false,
        }),
        check('leftovers', 'no process outlives the case (default)', { kind: 'no-leftovers' }),
        check('oom-kill', 'no process is killed for memory (default)', { kind: 'no-oom-kill' }),
      ],
      volatile: [],
    });
  });
});

describe('defaults', () => {
  const DEFAULTS = ['run.termination', 'run.stderr', 'leftovers', 'oom-kill'];

  test('make room for a written check of the same thing', () => {
    const checks = checksOf(
      '- termination: { exited: 3 }\n- stderr: { includes: bad }\n- leftovers: some\n- oomKill: some',
    );
    assert.deepEqual(idsOf(checks), ['run.termination', 'run.stderr.includes', 'leftovers', 'oom-kill']);
    assert.deepEqual(checks[2]?.expect, { kind: 'not', of: { kind: 'no-leftovers' } });
  });

  for (const [about, text] of [
    ['of lesser severity', '- { severity: info, termination: { exited: any } }'],
    ['under a condition', '- { when: { stdout: blank }, termination: { exited: 3 } }'],
    ['inside anyOf', '- anyOf: [{ termination: { exited: any } }, { stdout: blank }]'],
  ] as const) {
    test(`stay in force beside a check ${about}`, () => {
      const ids = idsOf(checksOf(text)).map((id) => id.replace(/-2$/, ''));
      assert.deepEqual(ids.slice(1), DEFAULTS);
    });
  }

  test('are given up only with a reason, which is kept as info', () => {
    const [first, ...rest] = checksOf('- { stderr: any, why: progress goes there }');
    assert.deepEqual(
      [first?.id, first?.severity, first?.why],
      ['run.stderr.any', 'info', 'progress goes there'],
    );
    assert.deepEqual(idsOf(rest), ['run.termination', 'leftovers', 'oom-kill']);
  });

  test('have the severity of their case', () => {
    const { checks } = compileCase({ case: 'severity: warn' });
    assert.deepEqual(new Set(checks.map(({ severity }) => severity)), new Set(['warn']));
  });
});

describe('a matrix', () => {
  test('makes a case of each combination, and each has its own values', () => {
    const axes = 'matrix: { locale: { c: C, utf8: C.UTF-8 }, flag: { v: "${version}", w: "-w" } }';
    const steps = 'steps: [{ argv: [x, "${matrix:flag}"], env: { LANG: "${matrix:locale}" } }]';
    const suite = compile(HEAD.replace('cases:\n', `cases: [{ id: a, why: b, ${axes}, ${steps} }]`));
    assert.deepEqual(
      suite.cases.map(({ id, steps: [step] }) => [id, step?.argv[1], step?.env['LANG']]),
      [
        ['a.c.v', '1.2.3+build', 'C'],
        ['a.c.w', '-w', 'C'],
        ['a.utf8.v', '1.2.3+build', 'C.UTF-8'],
        ['a.utf8.w', '-w', 'C.UTF-8'],
      ],
    );
  });
});

describe('Node versions of a case', () => {
  const nodeOf = (text: string): unknown => compileCase({ case: `node: ${text}` }).node;
  const range = (from: string, below: string | null): unknown => ({ from, below });

  test('are a word, or ranges of which numbers alone are left', () => {
    assert.equal(nodeOf('first'), 'first');
    const rows: readonly (readonly [string, readonly unknown[]])[] = [
      ['[20]', [range('20.0.0', '21.0.0')]],
      ['["22.10"]', [range('22.10.0', '22.11.0')]],
      ['["=20.19.1"]', [range('20.19.1', '20.19.2')]],
      ['[">=22.5 <25", 20]', [range('22.5.0', '25.0.0'), range('20.0.0', '21.0.0')]],
      [
        '[">20", "<=22", "<21.3"]',
        [range('21.0.0', null), range('0.0.0', '23.0.0'), range('0.0.0', '21.3.0')],
      ],
      ['[">20.1.2 <=22.4.5"]', [range('20.1.3', '22.4.6')]],
      [
        '["^20.9 || ~22.3.1", "*"]',
        [range('20.9.0', '21.0.0'), range('22.3.1', '22.4.0'), range('0.0.0', null)],
      ],
    ];
    for (const [text, ranges] of rows) assert.deepEqual(nodeOf(text), ranges, text);
  });
});

describe('canaries', () => {
  const text = 'cases: [{ id: a, why: b, canaries: ["key-${version}"], steps: [{ argv: [x] }], checks: [] }]';

  test('become a gate of their own', () => {
    const [one] = compile(HEAD.replace('cases:\n', text)).cases;
    const { id, severity, expect } = one?.checks.at(-1) ?? {};
    assert.deepEqual(
      [id, severity, expect],
      ['canaries', 'gate', { kind: 'no-canaries', texts: ['key-1.2.3+build'] }],
    );
  });
});

describe('placeholders', () => {
  test('stand for the link of a bin, the name and the version, in texts and patterns', () => {
    const step = 'env: { N: "${package}", LANG: null }\nstdin: { text: "$${version} ${version}" }';
    const [run] = compileCase({ step }).steps;
    const { LANG: _lang, ...others } = BASE_ENV;
    assert.deepEqual(run?.env, { ...others, N: '@scope/tool' });
    assert.deepEqual(run?.stdin, {
      kind: 'bytes',
      contentBase64: base64('${version} 1.2.3+build'),
      thenClose: true,
    });
    const [match] = checksOf('- stdout: { matches: "^${version}$" }');
    assert.deepEqual(match?.expect, { kind: 'stream-matches', of: stdout, pattern: '^1\\.2\\.3\\+build$' });
  });

  test('are not looked for in files beside the suite', () => {
    const { files } = compileCase({ case: 'files: [{ path: a.txt, from: in/a.txt }]' });
    assert.deepEqual(files[1], {
      kind: 'file',
      path: `${FOREIGN_CWD}/a.txt`,
      mode: '0644',
      contentBase64: base64('beside ${version}\n'),
    });
  });
});

describe('files', () => {
  test('come in order, each folder before what lies in it', () => {
    const files = [
      '- { path: /tmp/a/b/c, text: x, mode: "0600" }',
      '- { path: link, symlink: ../nowhere }',
      '- { path: pipe, fifo: true }',
      '- { path: /tmp/a/d, directory: true, mode: "0700" }',
      '- { path: raw, base64: AP8= }',
    ].join('\n');
    const compiled = compileCase({
      case: `files:\n${files.replace(/^/gm, '  ')}`,
      step: 'cwd: /home/node/here\nstdout: { file: deep/out.txt }',
    });
    assert.deepEqual(
      compiled.files.map(({ kind, path }) => `${kind} ${path}`),
      [
        'directory /work/elsewhere',
        'directory /tmp/a',
        'directory /tmp/a/b',
        'file /tmp/a/b/c',
        'symlink /work/elsewhere/link',
        'fifo /work/elsewhere/pipe',
        'directory /tmp/a/d',
        'file /work/elsewhere/raw',
        'directory /home/node/here',
        'directory /work/out',
        'directory /work/out/deep',
      ],
    );
    assert.deepEqual(compiled.steps[0]?.stdout, { file: '/work/out/deep/out.txt' });
  });
});

describe('input, output and signals', () => {
  const stdinOf = (text: string): unknown => compileCase({ step: `stdin: ${text}` }).steps[0]?.stdin;

  test('every plan of standard input has a form', () => {
    assert.deepEqual(stdinOf('closed'), { kind: 'closed' });
    assert.deepEqual(stdinOf('idle'), { kind: 'idle' });
    assert.deepEqual(stdinOf('{ fill: 5MiB, thenClose: false }'), {
      kind: 'fill',
      sizeBytes: 5 * 1024 * 1024,
      thenClose: false,
    });
    assert.deepEqual(stdinOf('{ from: in/a.txt }'), {
      kind: 'bytes',
      contentBase64: base64('beside ${version}\n'),
      thenClose: true,
    });
  });

  test('a dialogue waits for answers to its requests and to nothing else', () => {
    const init = '{ send: { jsonrpc: "2.0", id: 1, method: initialize, params: { v: "${version}" } } }';
    const note = '{ send: { jsonrpc: "2.0", method: notifications/initialized } }';
    const raw = '{ send: "{broken", answer: null-id, wait: 2s }';
    assert.deepEqual(stdinOf(`{ dialogue: [${init}, ${note}, ${raw}], afterEof: 1s }`), {
      kind: 'dialogue',
      exchanges: [
        {
          line: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"v":"1.2.3+build"}}',
          answerId: 1,
          waitMs: 10_000,
        },
        { line: '{"jsonrpc":"2.0","method":"notifications/initialized"}', answerId: null, waitMs: 10_000 },
        { line: '{broken', answerId: 'null-id', waitMs: 2000 },
      ],
      ladder: { afterEofMs: 1000, afterTermMs: 5000 },
    });
  });

  test('signals and closed output', () => {
    const step = 'stdout: { closeAfter: 1KiB }\nsignals: [{ signal: SIGINT, after: start, delay: 200ms }]';
    const [run] = compileCase({ step: `${step}\ntimeout: 2m` }).steps;
    assert.deepEqual(
      [run?.stdout, run?.signals, run?.timeoutMs],
      [{ closeAfterBytes: 1024 }, [{ signal: 'SIGINT', after: 'start', delayMs: 200 }], 120_000],
    );
  });
});

describe('statements', () => {
  const jsonValue = (
    scope: 'stream' | 'every-line' | 'some-line',
    rule: 'equals' | 'subset' | 'schema',
    json: string,
  ): Expectation => ({
    kind: 'json-value',
    of: { caseId: null, step: 'run', stream: 'stdout' },
    scope,
    rule,
    json,
  });
  const fileIs = {
    kind: 'file-is',
    path: '/work/out/o.txt',
    mode: null,
    sha256: null,
    target: null,
    control: null,
  } as const;
  const FORMS: readonly (readonly [text: string, expect: unknown])[] = [
    ['termination: timed-out', ends({ kind: 'timed-out' })],
    ['termination: { exited: nonzero }', ends({ kind: 'exited', codes: 'nonzero' })],
    [
      'termination: [{ signaled: SIGTERM }, { exited: [0, 143] }]',
      ends({ kind: 'signaled', signals: ['SIGTERM'] }, { kind: 'exited', codes: [0, 143] }),
    ],
    ['termination: { signaled: any }', ends({ kind: 'signaled', signals: 'any' })],
    ['stdout: { equals: "a\\n" }', { kind: 'stream-equals', of: stdout, contentBase64: base64('a\n') }],
    ['stdout: { equalsBase64: AP8= }', { kind: 'stream-equals', of: stdout, contentBase64: 'AP8=' }],
    [
      'stdout: { equalsFile: in/a.txt }',
      { kind: 'stream-equals', of: stdout, contentBase64: base64('beside ${version}\n') },
    ],
    ['stdout: empty', { kind: 'stream-empty', of: stdout, ignoreWhitespace: false }],
    ['stdout: blank', { kind: 'stream-empty', of: stdout, ignoreWhitespace: true }],
    ['stdout: utf8', { kind: 'stream-utf8', of: stdout }],
    ['stdout: { is: no-escapes }', { kind: 'stream-no-escapes', of: stdout }],
    ['stdout: json-lines', { kind: 'json-lines', of: stdout, jsonRpc: false, nonJson: 'refuse' }],
    ['stdout: json-rpc', { kind: 'json-lines', of: stdout, jsonRpc: true, nonJson: 'refuse' }],
    ['stdout: { excludes: a }', { kind: 'not', of: { kind: 'stream-includes', of: stdout, text: 'a' } }],
    ['stdout: { matchesNone: a }', { kind: 'not', of: { kind: 'stream-matches', of: stdout, pattern: 'a' } }],
    ['stdout: { size: { max: 2KiB } }', { kind: 'stream-size', of: stdout, minBytes: null, maxBytes: 2048 }],
    [
      'stdout: { sameAs: { stream: stderr } }',
      { kind: 'streams-equal', left: stdout, right: { ...stdout, stream: 'stderr' } },
    ],
    [
      'stdout: { answer: { id: 1, has: [/tools] } }',
      { kind: 'json-rpc-answer', of: stdout, id: 1, resultHas: ['/tools'] },
    ],
    [
      'stdout: { value: { id: a, pointer: /v, oneOf: "${version}" } }',
      { kind: 'json-rpc-value', of: stdout, id: 'a', pointer: '/v', anyOf: ['1.2.3+build'] },
    ],
    [
      'stdout: { error: { id: 1, codes: [-32601] } }',
      { kind: 'json-rpc-error', of: stdout, id: 1, codes: [-32601] },
    ],
    ['stdout: { answersOnly: [1, a] }', { kind: 'json-rpc-ids', of: stdout, sent: [1, 'a'] }],
    [
      'noFilesCreated: { below: /work, except: [out.txt] }',
      { kind: 'no-files-created', below: ['/work'], except: ['/work/elsewhere/out.txt'] },
    ],
    [
      'file: { path: o.txt, sameAs: {} }',
      { kind: 'file-equals-stream', path: '/work/out/o.txt', of: stdout },
    ],
    [
      'file: { path: o.txt, notLongerThan: { step: run } }',
      { kind: 'file-not-longer', path: '/work/out/o.txt', than: stdout },
    ],
    [
      'stdout: { json: { equals: { b: ["${version}", 1.0], a: null } } }',
      jsonValue('stream', 'equals', '{"a":null,"b":["1.2.3+build",1]}'),
    ],
    ['stdout: { eachLine: { subset: [1] } }', jsonValue('every-line', 'subset', '[1]')],
    [
      'stdout: { someLine: { schema: { type: object, pattern: "${version}" } } }',
      jsonValue('some-line', 'schema', '{"pattern":"${version}","type":"object"}'),
    ],
    [
      'file: { path: o.txt, equals: "a\\n", mode: "0600" }',
      { ...fileIs, type: 'file', mode: '0600', sha256: sha256Hex(Buffer.from('a\n')) },
    ],
    ['file: { path: o.txt, target: ../a }', { ...fileIs, type: 'symlink', target: '../a' }],
    ['file: { path: o.txt, is: socket }', { ...fileIs, type: 'socket' }],
    [
      'files: { unchanged: { below: /work, except: a } }',
      {
        kind: 'files-unchanged',
        below: ['/work'],
        except: ['/work/elsewhere/a'],
        compare: ['bytes', 'modes', 'times'],
      },
    ],
    [
      'files: { changed: a }',
      { kind: 'path-changed', path: '/work/elsewhere/a', change: 'changed', control: null },
    ],
    ['files: { absent: /tmp/marker }', { kind: 'path-absent', path: '/tmp/marker', control: null }],
    ['duration: { min: 1s }', { kind: 'duration', step: 'run', minMs: 1000, maxMs: null }],
    ['exitLag: 2s', { kind: 'exit-lag', step: 'run', maxMs: 2000 }],
    [
      'endedAfter: { signal: SIGTERM, within: 1s }',
      { kind: 'ended-after-signal', step: 'run', signal: 'SIGTERM', withinMs: 1000 },
    ],
    ['notNeeded: SIGKILL', { kind: 'action-absent', step: 'run', action: 'signal', detail: 'SIGKILL' }],
    ['classified: { classes: [cli] }', { kind: 'classified', caseId: null, classes: ['cli'] }],
    [
      'not: { stdout: { includes: [a, b] } }',
      {
        kind: 'not',
        of: {
          kind: 'all',
          of: ['a', 'b'].map((text) => ({ kind: 'stream-includes', of: stdout, text })),
        },
      },
    ],
    ['allOf: [{ exitLag: 1s }]', { kind: 'all', of: [{ kind: 'exit-lag', step: 'run', maxMs: 1000 }] }],
  ];

  function ends(...anyOf: readonly unknown[]): unknown {
    return { kind: 'termination', step: 'run', caseId: null, anyOf };
  }

  for (const [text, expect] of FORMS) {
    test(text, () => assert.deepEqual(checksOf(`- ${text}`)[0]?.expect, expect));
  }

  test('several keys of one stream become checks of their own, each with its own id', () => {
    const checks = checksOf(
      '- id: out\n  stdout: { is: [utf8, no-escapes], includes: [a, b] }\n- stdout: utf8',
    );
    assert.deepEqual(idsOf(checks).slice(0, 5), [
      'out.stdout.utf8',
      'out.stdout.no-escapes',
      'out.stdout.includes',
      'out.stdout.includes-2',
      'run.stdout.utf8',
    ]);
  });

  test('a check may speak of another case and may require an earlier one', () => {
    const other =
      '  - id: two\n    why: w\n    requires: { case: one, classes: [cli] }\n    steps: [{ argv: [x] }]\n';
    const checks = '    checks: [{ stdout: { sameAs: { case: one } } }]\n';
    const first = '  - id: one\n    why: w\n    steps: [{ argv: [x] }]\n';
    const [, two] = compile(`${HEAD}${first}${other}${checks}`).cases;
    assert.deepEqual(two?.requires, { classification: 'one', classes: ['cli'] });
    assert.deepEqual(two?.checks[0]?.expect, {
      kind: 'streams-equal',
      left: stdout,
      right: { ...stdout, caseId: 'one' },
    });
  });
});

describe('compiling', () => {
  const text = `${HEAD}  - id: one\n    why: w\n    steps: [{ argv: ["\${bin:other}"] }]\n`;

  test('looks at a file without its candidate, and leaves out only what the candidate decides', () => {
    checkSuiteFile(Buffer.from(text), { file: 'x.yaml' });
    assert.throws(
      () => compile(text),
      (error) => error instanceof SuiteTextError && error.code === 'BIN_UNKNOWN',
    );
    assert.throws(
      () => checkSuiteFile(Buffer.from(text.replace('why', 'wyh')), { file: 'x.yaml' }),
      (error) => error instanceof SuiteTextError && error.code === 'KEY_MISSING',
    );
  });

  test('gives the same bytes for the same file, however it is laid out', () => {
    const plain = compile(text.replace('other', 'tool'));
    const other = compile(`# a comment\n${text.replace('other', 'tool')}\n\n`);
    assert.deepEqual(toCanonicalBytes(other), toCanonicalBytes(plain));
  });

  test('what only the compiled form refuses is shown where it stands', () => {
    const long = `${HEAD}  - id: one\n    why: "${'x'.repeat(70_000)}"\n    steps: [{ argv: [x] }]\n`;
    assert.throws(
      () => compile(long),
      (error) =>
        error instanceof SuiteTextError &&
        !(error instanceof SuiteError) &&
        error.code === 'VALUE_WRONG' &&
        error.where === 'x.yaml:7:5',
    );
  });
});
