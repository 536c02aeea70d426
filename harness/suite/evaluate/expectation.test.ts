import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCanonicalBytes } from '../../document/canonical.ts';
import type { Expectation, StreamReference } from '../compiled.ts';
import { PATTERN_TEXT_BYTES } from '../limits.ts';
import { bytesOf, type CaseParts, observe, type StepParts } from '../testing/observations.ts';
import { judgeExpectation } from './expectation.ts';
import { Seen } from './seen.ts';

const OUT: StreamReference = { caseId: null, step: 'step', stream: 'stdout' };
const ERR: StreamReference = { caseId: null, step: 'step', stream: 'stderr' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TRUE: Expectation = { kind: 'all', of: [] };
const FALSE: Expectation = { kind: 'any', of: [] };
/** About a step that was not observed. */
const UNKNOWN: Expectation = { kind: 'exit-lag', step: 'absent', maxMs: 1 };
const answer = (id: unknown, result: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
const refusal = (id: unknown, code: number): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } })}\n`;

function judge(expectation: Expectation, parts: CaseParts): string {
  const observed = observe(parts);
  return judgeExpectation(expectation, new Seen('case', [observed.observation], bytesOf(observed))).truth;
}

interface Row {
  readonly about: string;
  readonly expectation: Expectation;
  readonly step?: StepParts;
  readonly case?: Omit<CaseParts, 'steps'>;
  readonly truth: 'true' | 'false' | 'unknown';
}

const termination = (anyOf: Extract<Expectation, { kind: 'termination' }>['anyOf']): Expectation => ({
  kind: 'termination',
  step: 'step',
  caseId: null,
  anyOf,
});
const equals: Expectation = { kind: 'stream-equals', of: OUT, contentBase64: base64('hello\n') };
const empty: Expectation = { kind: 'stream-empty', of: OUT, ignoreWhitespace: false };
const blank: Expectation = { kind: 'stream-empty', of: OUT, ignoreWhitespace: true };
const includes: Expectation = { kind: 'stream-includes', of: OUT, text: 'hé' };
const matches = (pattern: string): Expectation => ({ kind: 'stream-matches', of: OUT, pattern });
const size = (minBytes: number | null, maxBytes: number | null): Expectation => ({
  kind: 'stream-size',
  of: OUT,
  minBytes,
  maxBytes,
});
const lines = (jsonRpc: boolean, nonJson: 'refuse' | 'skip'): Expectation => ({
  kind: 'json-lines',
  of: OUT,
  jsonRpc,
  nonJson,
});
const has = (...resultHas: readonly string[]): Expectation => ({
  kind: 'json-rpc-answer',
  of: OUT,
  id: 0,
  resultHas,
});
const value: Expectation = { kind: 'json-rpc-value', of: OUT, id: 0, pointer: '/a~1b', anyOf: ['x', 'y'] };
const error = (...codes: readonly number[]): Expectation => ({
  kind: 'json-rpc-error',
  of: OUT,
  id: 'q',
  codes,
});
const ids: Expectation = { kind: 'json-rpc-ids', of: OUT, sent: [0, '0'] };
const fileEquals: Expectation = { kind: 'file-equals-stream', path: '/work/out/f', of: OUT };
const notLonger: Expectation = { kind: 'file-not-longer', path: '/work/out/f', than: OUT };
const created: Expectation = { kind: 'no-files-created', below: ['/work/a'], except: ['/work/a/ok'] };
const afterTerm: Expectation = { kind: 'ended-after-signal', step: 'step', signal: 'SIGTERM', withinMs: 500 };
const term = { kind: 'signal', detail: 'SIGTERM', atMs: 1_000 } as const;
const noTerm: Expectation = { kind: 'action-absent', step: 'step', action: 'signal', detail: 'SIGTERM' };
const isServer: Expectation = { kind: 'classified', caseId: null, classes: ['server'] };

const json = (
  rule: 'equals' | 'subset' | 'schema',
  value: unknown,
  scope: 'stream' | 'every-line' | 'some-line' = 'stream',
): Expectation => ({ kind: 'json-value', of: OUT, scope, rule, json: toCanonicalBytes(value).toString() });
const took = (minMs: number | null, maxMs: number | null): Expectation => ({
  kind: 'duration',
  step: 'step',
  minMs,
  maxMs,
});

const ROWS: readonly Row[] = [
  { about: 'all of true', expectation: { kind: 'all', of: [TRUE, TRUE] }, truth: 'true' },
  {
    about: 'all with false wins over unknown',
    expectation: { kind: 'all', of: [UNKNOWN, FALSE] },
    truth: 'false',
  },
  { about: 'all with unknown', expectation: { kind: 'all', of: [TRUE, UNKNOWN] }, truth: 'unknown' },
  {
    about: 'any with true wins over unknown',
    expectation: { kind: 'any', of: [UNKNOWN, TRUE] },
    truth: 'true',
  },
  { about: 'any with unknown', expectation: { kind: 'any', of: [FALSE, UNKNOWN] }, truth: 'unknown' },
  { about: 'any of nothing', expectation: FALSE, truth: 'false' },
  { about: 'not of false', expectation: { kind: 'not', of: FALSE }, truth: 'true' },
  { about: 'not of true', expectation: { kind: 'not', of: TRUE }, truth: 'false' },
  { about: 'not of unknown', expectation: { kind: 'not', of: UNKNOWN }, truth: 'unknown' },

  {
    about: 'a listed exit code',
    expectation: termination([{ kind: 'exited', codes: [0, 3] }]),
    truth: 'true',
  },
  {
    about: 'an exit code that is not listed',
    expectation: termination([{ kind: 'exited', codes: [3] }]),
    truth: 'false',
  },
  { about: 'any exit code', expectation: termination([{ kind: 'exited', codes: 'any' }]), truth: 'true' },
  {
    about: '0 is not nonzero',
    expectation: termination([{ kind: 'exited', codes: 'nonzero' }]),
    truth: 'false',
  },
  {
    about: 'exit code 137 is no SIGKILL',
    expectation: termination([{ kind: 'signaled', signals: ['SIGKILL'] }]),
    step: { termination: { kind: 'exited', code: 137 } },
    truth: 'false',
  },
  {
    about: 'a listed signal',
    expectation: termination([{ kind: 'signaled', signals: ['SIGKILL'] }]),
    step: { termination: { kind: 'signaled', signal: 'SIGKILL' } },
    truth: 'true',
  },
  {
    about: 'any signal',
    expectation: termination([{ kind: 'signaled', signals: 'any' }]),
    step: { termination: { kind: 'signaled', signal: 'SIGUSR2' } },
    truth: 'true',
  },
  {
    about: 'a time-out',
    expectation: termination([{ kind: 'exited', codes: 'any' }, { kind: 'timed-out' }]),
    step: { termination: { kind: 'timed-out', limitMs: 5 } },
    truth: 'true',
  },
  { about: 'no time-out', expectation: termination([{ kind: 'timed-out' }]), truth: 'false' },
  {
    about: 'the end of a step that was not observed',
    expectation: { kind: 'termination', step: 'absent', caseId: null, anyOf: [{ kind: 'timed-out' }] },
    truth: 'unknown',
  },

  { about: 'equal bytes', expectation: equals, step: { stdout: 'hello\n' }, truth: 'true' },
  { about: 'a missing line feed', expectation: equals, step: { stdout: 'hello' }, truth: 'false' },
  { about: 'a byte more', expectation: equals, step: { stdout: 'hello\n\n' }, truth: 'false' },
  { about: 'other bytes', expectation: equals, step: { stdout: 'Hello\n' }, truth: 'false' },
  {
    about: 'equal so far without an end',
    expectation: equals,
    step: { stdout: 'hello', eofSeen: false },
    truth: 'unknown',
  },
  {
    about: 'different so far without an end',
    expectation: equals,
    step: { stdout: 'jell', eofSeen: false },
    truth: 'false',
  },
  {
    about: 'equal kept bytes of a longer stream',
    expectation: equals,
    step: { stdout: 'hello\n', lostBytes: 1 },
    truth: 'false',
  },

  { about: 'an empty stream', expectation: empty, truth: 'true' },
  {
    about: 'white space in a stream to be empty',
    expectation: empty,
    step: { stdout: '\n' },
    truth: 'false',
  },
  {
    about: 'white space where it is ignored',
    expectation: blank,
    step: { stdout: ' \t\r\n' },
    truth: 'true',
  },
  { about: 'a no-break space is not blank', expectation: blank, step: { stdout: '\u00a0' }, truth: 'false' },
  { about: 'an empty stream without an end', expectation: empty, step: { eofSeen: false }, truth: 'unknown' },

  { about: 'a text that is included', expectation: includes, step: { stdout: 'x hé y' }, truth: 'true' },
  { about: 'a text that is not included', expectation: includes, step: { stdout: 'x he y' }, truth: 'false' },
  {
    about: 'a text among invalid bytes',
    expectation: includes,
    step: { stdout: Buffer.from([0xff, 0x68, 0xc3, 0xa9, 0xfe]) },
    truth: 'true',
  },
  {
    about: 'the same character in another encoding',
    expectation: includes,
    step: { stdout: Buffer.from([0x68, 0xe9]) },
    truth: 'false',
  },
  {
    about: 'a text not in what was kept',
    expectation: includes,
    step: { stdout: 'x', lostBytes: 9 },
    truth: 'unknown',
  },

  {
    about: 'a pattern found in the middle',
    expectation: matches('l+o'),
    step: { stdout: 'hello\n' },
    truth: 'true',
  },
  {
    about: 'a pattern not found',
    expectation: matches('^ello'),
    step: { stdout: 'hello\n' },
    truth: 'false',
  },
  {
    about: 'an invalid byte is the replacement character',
    expectation: matches('^a\u{fffd}b$'),
    step: { stdout: Buffer.from([0x61, 0xff, 0x62]) },
    truth: 'true',
  },
  {
    about: 'a pattern found although the rest is missing',
    expectation: matches('^he'),
    step: { stdout: 'hello', lostBytes: 1 },
    truth: 'true',
  },
  {
    about: 'an anchored end when the rest is missing',
    expectation: matches('o$'),
    step: { stdout: 'hello', lostBytes: 1 },
    truth: 'unknown',
  },
  {
    about: 'a pattern not found when the rest is missing',
    expectation: matches('z'),
    step: { stdout: 'hello', lostBytes: 1 },
    truth: 'unknown',
  },
  {
    about: 'a pattern beyond the part that is looked at',
    expectation: matches('end'),
    step: { stdout: `${' '.repeat(PATTERN_TEXT_BYTES)}end` },
    truth: 'unknown',
  },
  {
    about: 'the end alone is not the end of a line',
    expectation: matches('a$'),
    step: { stdout: 'a\n' },
    truth: 'false',
  },

  {
    about: 'plain text',
    expectation: { kind: 'stream-no-escapes', of: OUT },
    step: { stdout: 'é\t\r\n' },
    truth: 'true',
  },
  {
    about: 'an escape sequence',
    expectation: { kind: 'stream-no-escapes', of: OUT },
    step: { stdout: '\u001b[1m' },
    truth: 'false',
  },
  {
    about: 'a C1 control',
    expectation: { kind: 'stream-no-escapes', of: OUT },
    step: { stdout: '\u009b1m' },
    truth: 'false',
  },
  {
    about: 'plain text cut off',
    expectation: { kind: 'stream-no-escapes', of: OUT },
    step: { stdout: 'a', lostBytes: 1 },
    truth: 'unknown',
  },

  { about: 'UTF-8', expectation: { kind: 'stream-utf8', of: OUT }, step: { stdout: 'é' }, truth: 'true' },
  {
    about: 'a byte order mark',
    expectation: { kind: 'stream-utf8', of: OUT },
    step: { stdout: '\ufeffa' },
    truth: 'false',
  },
  {
    about: 'an overlong form',
    expectation: { kind: 'stream-utf8', of: OUT },
    step: { stdout: Buffer.from([0xc0, 0xaf]) },
    truth: 'false',
  },
  {
    about: 'a character cut by the limit',
    expectation: { kind: 'stream-utf8', of: OUT },
    step: { stdout: Buffer.from([0xc3]), lostBytes: 1 },
    truth: 'unknown',
  },

  { about: 'enough bytes', expectation: size(5, null), step: { stdout: 'hello' }, truth: 'true' },
  { about: 'too few bytes', expectation: size(6, null), step: { stdout: 'hello' }, truth: 'false' },
  { about: 'few enough bytes', expectation: size(null, 5), step: { stdout: 'hello' }, truth: 'true' },
  { about: 'too many bytes', expectation: size(null, 4), step: { stdout: 'hello' }, truth: 'false' },
  {
    about: 'lost bytes count',
    expectation: size(8, 8),
    step: { stdout: 'hello', lostBytes: 3 },
    truth: 'true',
  },
  {
    about: 'few enough so far',
    expectation: size(null, 5),
    step: { stdout: 'he', eofSeen: false },
    truth: 'unknown',
  },

  {
    about: 'the same on both streams',
    expectation: { kind: 'streams-equal', left: OUT, right: ERR },
    step: { stdout: 'a', stderr: 'a' },
    truth: 'true',
  },
  {
    about: 'different streams',
    expectation: { kind: 'streams-equal', left: OUT, right: ERR },
    step: { stdout: 'a', stderr: 'b' },
    truth: 'false',
  },
  {
    about: 'the same kept bytes of different streams',
    expectation: { kind: 'streams-equal', left: OUT, right: ERR },
    step: { stdout: 'a', stderr: 'a', lostBytes: 1 },
    truth: 'false',
  },
  {
    about: 'a stream without its end',
    expectation: { kind: 'streams-equal', left: OUT, right: ERR },
    step: { stdout: 'a', stderr: 'a', eofSeen: false },
    truth: 'unknown',
  },

  {
    about: 'a file with the bytes of the stream',
    expectation: fileEquals,
    step: { stdout: 'x' },
    case: { files: [['/work/out/f', 'x']] },
    truth: 'true',
  },
  {
    about: 'a file with other bytes',
    expectation: fileEquals,
    step: { stdout: 'x' },
    case: { files: [['/work/out/f', 'y']] },
    truth: 'false',
  },
  { about: 'no such file', expectation: fileEquals, step: { stdout: 'x' }, truth: 'false' },
  {
    about: 'no such file in an incomplete snapshot',
    expectation: fileEquals,
    step: { stdout: 'x' },
    case: { after: 'truncated' },
    truth: 'unknown',
  },
  {
    about: 'no snapshot',
    expectation: fileEquals,
    step: { stdout: 'x' },
    case: { after: 'none' },
    truth: 'unknown',
  },
  {
    about: 'a file no longer than the stream',
    expectation: notLonger,
    step: { stdout: 'xy' },
    case: { files: [['/work/out/f', 'x']] },
    truth: 'true',
  },
  {
    about: 'a file longer than the stream',
    expectation: notLonger,
    step: { stdout: 'x' },
    case: { files: [['/work/out/f', 'xy']] },
    truth: 'false',
  },

  {
    about: 'JSON lines with blank ones and CRLF',
    expectation: lines(false, 'refuse'),
    step: { stdout: '{}\r\n\n 1 \n' },
    truth: 'true',
  },
  {
    about: 'a banner among JSON lines',
    expectation: lines(false, 'refuse'),
    step: { stdout: '{}\nready\n' },
    truth: 'false',
  },
  {
    about: 'a banner that is skipped',
    expectation: lines(true, 'skip'),
    step: { stdout: `ready\n42\n${answer(1, {})}` },
    truth: 'true',
  },
  {
    about: 'JSON that is no JSON-RPC',
    expectation: lines(true, 'skip'),
    step: { stdout: '{"level":30}\n' },
    truth: 'false',
  },
  {
    about: 'a batch',
    expectation: lines(true, 'refuse'),
    step: { stdout: `[${answer(1, {}).trim()}]\n` },
    truth: 'true',
  },
  { about: 'an empty batch', expectation: lines(true, 'refuse'), step: { stdout: '[]\n' }, truth: 'false' },
  {
    about: 'a last line that is cut off',
    expectation: lines(false, 'refuse'),
    step: { stdout: '{}\n{"a', lostBytes: 9 },
    truth: 'unknown',
  },
  {
    about: 'a bad line before the cut',
    expectation: lines(false, 'refuse'),
    step: { stdout: 'no\n{"a', lostBytes: 9 },
    truth: 'false',
  },
  {
    about: 'JSON lines with invalid UTF-8',
    expectation: lines(false, 'refuse'),
    step: { stdout: Buffer.from([0x22, 0xff, 0x22, 0x0a]) },
    truth: 'false',
  },

  {
    about: 'an answer with id 0',
    expectation: has('/tools', '/tools/0/name'),
    step: { stdout: answer(0, { tools: [{ name: 'n' }] }) },
    truth: 'true',
  },
  {
    about: 'an answer that lacks something',
    expectation: has('/tools/1'),
    step: { stdout: answer(0, { tools: [1] }) },
    truth: 'false',
  },
  {
    about: 'an answer that has it only by inheritance',
    expectation: has('/constructor'),
    step: { stdout: answer(0, {}) },
    truth: 'false',
  },
  {
    about: 'an answer to the text "0"',
    expectation: has(),
    step: { stdout: answer('0', {}) },
    truth: 'false',
  },
  {
    about: 'an error is no answer',
    expectation: has(),
    step: { stdout: refusal(0, -32601) },
    truth: 'false',
  },
  { about: 'no answer', expectation: has(), truth: 'false' },
  {
    about: 'no answer before the cut',
    expectation: has(),
    step: { stdout: '{}\n', eofSeen: false },
    truth: 'unknown',
  },
  {
    about: 'a request with the id is no answer',
    expectation: has(),
    step: { stdout: '{"jsonrpc":"2.0","id":0,"method":"roots/list","result":{}}\n' },
    truth: 'false',
  },

  { about: 'a listed value', expectation: value, step: { stdout: answer(0, { 'a/b': 'y' }) }, truth: 'true' },
  { about: 'another value', expectation: value, step: { stdout: answer(0, { 'a/b': 'z' }) }, truth: 'false' },
  {
    about: 'a value of another type',
    expectation: value,
    step: { stdout: answer(0, { 'a/b': 1 }) },
    truth: 'false',
  },

  {
    about: 'a listed error code',
    expectation: error(-32601, -1),
    step: { stdout: refusal('q', -32601) },
    truth: 'true',
  },
  { about: 'any error code', expectation: error(), step: { stdout: refusal('q', 5) }, truth: 'true' },
  {
    about: 'another error code',
    expectation: error(-1),
    step: { stdout: refusal('q', -32601) },
    truth: 'false',
  },
  {
    about: 'a result where an error is due',
    expectation: error(),
    step: { stdout: answer('q', {}) },
    truth: 'false',
  },

  {
    about: 'each id answered once',
    expectation: ids,
    step: { stdout: answer(0, {}) + answer('0', {}) },
    truth: 'true',
  },
  {
    about: 'an id answered twice',
    expectation: ids,
    step: { stdout: answer(0, {}) + refusal(0, 1) },
    truth: 'false',
  },
  { about: 'an id never asked', expectation: ids, step: { stdout: answer(1, {}) }, truth: 'false' },

  { about: 'nothing left', expectation: { kind: 'no-leftovers' }, truth: 'true' },
  {
    about: 'something left',
    expectation: { kind: 'no-leftovers' },
    case: { leftovers: ['sleep'] },
    truth: 'false',
  },

  { about: 'no kill for memory', expectation: { kind: 'no-oom-kill' }, case: { oomKills: 0 }, truth: 'true' },
  {
    about: 'a counted kill, though all exits are 0',
    expectation: { kind: 'no-oom-kill' },
    case: { oomKills: 1 },
    truth: 'false',
  },
  {
    about: 'a kill that the engine told of',
    expectation: { kind: 'no-oom-kill' },
    case: { oomKilled: true },
    truth: 'false',
  },
  {
    about: 'a kill that the step told of',
    expectation: { kind: 'no-oom-kill' },
    step: { oomKilled: true },
    truth: 'false',
  },

  {
    about: 'no new file',
    expectation: created,
    case: { filesBefore: [['/work/a/old', 'x']] },
    truth: 'true',
  },
  { about: 'a new file', expectation: created, case: { files: [['/work/a/new', 'x']] }, truth: 'false' },
  {
    about: 'a new file where it is allowed',
    expectation: created,
    case: {
      files: [
        ['/work/a/ok/x', 'x'],
        ['/work/ab', 'x'],
      ],
    },
    truth: 'true',
  },
  {
    about: 'nothing new in an incomplete snapshot',
    expectation: created,
    case: { after: 'truncated' },
    truth: 'unknown',
  },

  {
    about: 'a prompt end',
    expectation: { kind: 'exit-lag', step: 'step', maxMs: 50 },
    step: { stdout: 'x', lastByteAtMs: 60 },
    truth: 'true',
  },
  {
    about: 'a late end',
    expectation: { kind: 'exit-lag', step: 'step', maxMs: 50 },
    step: { stdout: 'x', lastByteAtMs: 40 },
    truth: 'false',
  },
  {
    about: 'no output to lag behind',
    expectation: { kind: 'exit-lag', step: 'step', maxMs: 50 },
    truth: 'true',
  },
  { about: 'a lag that was not observed', expectation: UNKNOWN, truth: 'unknown' },

  {
    about: 'ended after SIGTERM',
    expectation: afterTerm,
    step: { actions: [term], durationMs: 1_400, termination: { kind: 'signaled', signal: 'SIGTERM' } },
    truth: 'true',
  },
  {
    about: 'exited after SIGTERM',
    expectation: afterTerm,
    step: { actions: [term], durationMs: 1_500 },
    truth: 'true',
  },
  {
    about: 'ended too late after SIGTERM',
    expectation: afterTerm,
    step: { actions: [term], durationMs: 1_501 },
    truth: 'false',
  },
  {
    about: 'ended by SIGKILL after SIGTERM',
    expectation: afterTerm,
    step: { actions: [term], durationMs: 1_100, termination: { kind: 'signaled', signal: 'SIGKILL' } },
    truth: 'false',
  },
  { about: 'SIGTERM never sent', expectation: afterTerm, truth: 'false' },

  {
    about: 'no signal needed',
    expectation: noTerm,
    step: { actions: [{ ...term, detail: 'SIGINT' }] },
    truth: 'true',
  },
  { about: 'a signal needed', expectation: noTerm, step: { actions: [term] }, truth: 'false' },

  {
    about: 'the class asked for',
    expectation: isServer,
    step: { name: 'session', actions: [term] },
    truth: 'true',
  },
  { about: 'another class', expectation: isServer, step: { name: 'session' }, truth: 'false' },
  {
    about: 'the class of a case that was not observed',
    expectation: { ...isServer, caseId: 'other' },
    truth: 'unknown',
  },
  {
    about: 'json that is the same',
    expectation: json('equals', { a: [1], b: null }),
    step: { stdout: '{"b":null, "a":[1.0]}\n' },
    truth: 'true',
  },
  {
    about: 'json with a member more',
    expectation: json('equals', { a: 1 }),
    step: { stdout: '{"a":1,"b":2}' },
    truth: 'false',
  },
  {
    about: 'json with all that is asked',
    expectation: json('subset', { a: [{ b: 1 }] }),
    step: { stdout: '{"a":[{"b":1,"c":2}],"d":3}' },
    truth: 'true',
  },
  {
    about: 'json with an item more',
    expectation: json('subset', { a: [] }),
    step: { stdout: '{"a":[1]}' },
    truth: 'false',
  },
  {
    about: 'json that fits a schema',
    expectation: json('schema', { type: 'object', required: ['a'] }),
    step: { stdout: '{"a":1}' },
    truth: 'true',
  },
  {
    about: 'json that does not fit',
    expectation: json('schema', { type: 'object', required: ['a'] }),
    step: { stdout: '{}' },
    truth: 'false',
  },
  {
    about: 'no json',
    expectation: json('subset', {}),
    step: { stdout: '{} {}' },
    truth: 'false',
  },
  {
    about: 'no json but a byte order mark',
    expectation: json('subset', {}),
    step: { stdout: '\ufeff{}' },
    truth: 'false',
  },
  {
    about: 'json that may go on',
    expectation: json('equals', 1),
    step: { stdout: '1', eofSeen: false },
    truth: 'unknown',
  },
  {
    about: 'a result that is inherited',
    expectation: json('subset', { constructor: {} }),
    step: { stdout: '{}' },
    truth: 'false',
  },
  {
    about: 'every line that fits',
    expectation: json('subset', { a: 1 }, 'every-line'),
    step: { stdout: '{"a":1}\n\n{"a":1,"b":2}' },
    truth: 'true',
  },
  {
    about: 'one line that does not fit',
    expectation: json('subset', { a: 1 }, 'every-line'),
    step: { stdout: '{"a":1}\nlog\n', eofSeen: false },
    truth: 'false',
  },
  {
    about: 'every line of none',
    expectation: json('subset', {}, 'every-line'),
    step: { stdout: '\n' },
    truth: 'false',
  },
  {
    about: 'every line of a stream that may go on',
    expectation: json('subset', {}, 'every-line'),
    step: { stdout: '{}\n', eofSeen: false },
    truth: 'unknown',
  },
  {
    about: 'one line that fits',
    expectation: json('equals', 2, 'some-line'),
    step: { stdout: 'log\n2\n', eofSeen: false },
    truth: 'true',
  },
  {
    about: 'no line that fits',
    expectation: json('equals', 2, 'some-line'),
    step: { stdout: '1\n' },
    truth: 'false',
  },
  {
    about: 'no line that fits yet',
    expectation: json('equals', 2, 'some-line'),
    step: { stdout: '1\n', eofSeen: false },
    truth: 'unknown',
  },
  {
    about: 'a duration within both bounds',
    expectation: took(100, 100),
    step: { durationMs: 100 },
    truth: 'true',
  },
  {
    about: 'a step that was too quick',
    expectation: took(200, null),
    step: { durationMs: 100 },
    truth: 'false',
  },
  {
    about: 'a step that was too slow',
    expectation: took(null, 50),
    step: { durationMs: 100 },
    truth: 'false',
  },
];

describe('expectations', () => {
  for (const row of ROWS) {
    test(`${row.expectation.kind}: ${row.about} is ${row.truth}`, () => {
      assert.equal(judge(row.expectation, { ...row.case, steps: [row.step ?? {}] }), row.truth);
    });
  }

  test('every kind is met both holding and failing', () => {
    const judged = (truth: string): ReadonlySet<string> =>
      new Set(ROWS.filter((row) => row.truth === truth).map((row) => row.expectation.kind));
    const kinds = new Set(ROWS.map((row) => row.expectation.kind));
    assert.equal(kinds.size, 28);
    assert.deepEqual(
      [...kinds].filter((kind) => !judged('true').has(kind)),
      [],
    );
    assert.deepEqual(
      [...kinds].filter((kind) => !judged('false').has(kind)),
      [],
    );
  });

  test('bytes that differ from the recorded digest are not believed', () => {
    const observed = observe({ steps: [{ stdout: 'hello\n' }] });
    const forged = (): Buffer => Buffer.from('jello\n');
    const seen = new Seen('case', [observed.observation], forged);
    assert.equal(judgeExpectation(equals, seen).truth, 'unknown');
  });

  test('bytes that are missing are not an empty stream', () => {
    const observed = observe({ steps: [{}] });
    const seen = new Seen('case', [observed.observation], () => null);
    assert.equal(judgeExpectation(empty, seen).truth, 'unknown');
  });

  test('another case is looked up by its id', () => {
    const own = observe({ steps: [{ stdout: 'a' }] });
    const other = observe({ caseId: 'other', steps: [{ stdout: 'a' }] });
    const same: Expectation = { kind: 'streams-equal', left: OUT, right: { ...OUT, caseId: 'other' } };
    const both = new Seen('case', [own.observation, other.observation], bytesOf(own, other));
    assert.equal(judgeExpectation(same, both).truth, 'true');
    const alone = new Seen('case', [own.observation], bytesOf(own));
    assert.equal(judgeExpectation(same, alone).truth, 'unknown');
  });

  test('messages hold no character that steers a terminal', () => {
    const observed = observe({
      steps: [{ stdout: '\u001b]52;c;x\u0007\u202e\r\n' }],
      leftovers: ['\u001b[2J'],
    });
    const seen = new Seen('case', [observed.observation], bytesOf(observed));
    for (const expectation of [equals, matches('z'), includes, { kind: 'no-leftovers' } as const]) {
      const shown = judgeExpectation(expectation, seen).seen;
      assert.match(shown, /\\u\{1b\}/);
      assert.doesNotMatch(shown, /[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
  });
});
