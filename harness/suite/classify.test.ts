import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classify } from './classify.ts';
import type { BinClass } from './compiled.ts';
import type { StepAction } from './observation.ts';
import { bytesOf, observe, type StepParts } from './testing/observations.ts';

const OK = { kind: 'exited', code: 0 } as const;
const FAILED = { kind: 'exited', code: 1 } as const;
const MISSING = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /opt/candidate/cli.js\n";
const closed = (atMs: number): StepAction => ({ kind: 'stdin-closed', detail: '', atMs });
const line = (detail: string): StepAction => ({ kind: 'stdin', detail, atMs: 1 });
const term: StepAction = { kind: 'signal', detail: 'SIGTERM', atMs: 90 };

const ROWS: readonly (readonly [string, BinClass, Omit<StepParts, 'name'>, StepParts['termination']?])[] = [
  ['ends by itself', 'cli', { termination: OK }],
  ['ends by itself with a failure', 'cli', { termination: FAILED, stderr: 'usage: x\n' }],
  ['ends while its input is refused', 'cli', { actions: [line('9 bytes broken-pipe'), closed(50)] }],
  ['ends before its input is closed', 'cli', { actions: [closed(100)], durationMs: 100 }],
  ['ends after its input is closed', 'reads-stdin', { actions: [line('9 bytes written'), closed(50)] }],
  [
    'ends after SIGTERM',
    'server',
    { actions: [closed(50), term], termination: { kind: 'signaled', signal: 'SIGTERM' } },
  ],
  [
    'answers initialize',
    'mcp-server',
    { stdout: 'ready\n{"jsonrpc":"2.0","id":1,"result":{}}\n', actions: [closed(50)] },
  ],
  ['refuses initialize', 'mcp-server', { stdout: '{"jsonrpc":"2.0","id":1,"error":{"code":-32022}}\n' }],
  ['answers another id', 'cli', { stdout: '{"jsonrpc":"2.0","id":"1","result":{}}\n' }],
  [
    'echoes request and answer',
    'reads-stdin',
    {
      stdout:
        '{"jsonrpc":"2.0","id":1,"method":"initialize"}\n{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}\n',
      actions: [closed(50)],
    },
  ],
  [
    'echoes the request',
    'reads-stdin',
    { stdout: '{"jsonrpc":"2.0","id":1,"method":"initialize"}\n', actions: [closed(50)] },
  ],
  ['wants a terminal', 'needs-terminal', { termination: FAILED, stderr: 'error: stdin is not a TTY\n' }],
  ['mentions a terminal and succeeds', 'cli', { stderr: 'stdin is not a TTY\n' }],
  [
    'cannot start',
    'broken',
    { termination: { kind: 'not-started', errno: 'ENOENT' } },
    { kind: 'not-started', errno: 'ENOENT' },
  ],
  ['misses a module', 'broken', { termination: FAILED, stderr: MISSING }, FAILED],
  ['misses a module on a bare start only', 'cli', { termination: FAILED, stderr: MISSING }, OK],
  [
    'misses a file of the user',
    'cli',
    {
      termination: FAILED,
      stderr:
        "ERR_MODULE_NOT_FOUND: Cannot find module '/work/elsewhere/c.mjs' imported from /opt/candidate/cli.js\n",
    },
    FAILED,
  ],
  ['mentions a missing module and succeeds', 'cli', { stderr: MISSING }, FAILED],
  [
    'is a script of a shell',
    'broken',
    {
      termination: { kind: 'exited', code: 2 },
      stderr: '/opt/candidate/node_modules/.bin/x: 1: import: not found\n',
    },
    FAILED,
  ],
  [
    'has a carriage return in its first line',
    'broken',
    {
      termination: { kind: 'exited', code: 127 },
      stderr: '/usr/bin/env: ‘node\\r’: No such file or directory\n',
    },
    FAILED,
  ],
  ['aborts', 'broken', { termination: { kind: 'signaled', signal: 'SIGABRT' } }, FAILED],
  ['times out', 'unclear', { termination: { kind: 'timed-out', limitMs: 9 } }, OK],
  ['floods', 'unclear', { termination: { kind: 'output-limit', stream: 'stdout' } }, OK],
];

describe('classification', () => {
  for (const [about, expected, session, help] of ROWS) {
    test(`a bin that ${about} is ${expected}`, () => {
      const observed = observe({
        steps: [
          { name: 'help', termination: help ?? OK },
          { ...session, name: 'session' },
        ],
      });
      assert.equal(classify(observed.observation, bytesOf(observed)), expected);
    });
  }

  test('a case without a session is unclear', () => {
    const observed = observe({ steps: [{ name: 'help' }] });
    assert.equal(classify(observed.observation, bytesOf(observed)), 'unclear');
  });

  test('a lone session says enough', () => {
    const observed = observe({
      steps: [{ name: 'session', termination: { kind: 'not-started', errno: 'EACCES' } }],
    });
    assert.equal(classify(observed.observation, bytesOf(observed)), 'broken');
  });

  test('an answer whose bytes are not to be had makes no server', () => {
    const observed = observe({
      steps: [{ name: 'session', stdout: '{"jsonrpc":"2.0","id":1,"result":{}}\n' }],
    });
    assert.equal(
      classify(observed.observation, () => null),
      'cli',
    );
  });
});
