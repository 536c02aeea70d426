import { INITIALIZE_ID, SESSION_STEP } from '../classify.ts';
import type { CompiledCase, CompiledCheck, Expectation, StreamReference } from '../compiled.ts';
import { caseId, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import { discoverFirst, PROTOCOL_VERSIONS, session, TOOLS_ID } from './dialogues.ts';
import { all, any, not, stdout } from './expect.ts';
import {
  GUESS_MS,
  MCP_LADDER,
  REQUEST_MS,
  SIGNAL_DELAY_MS,
  SIGNAL_END_MS,
  SIGNAL_PROMPT_MS,
} from './limits.ts';

/** UnsupportedProtocolVersion: how a server of newer revisions only refuses `initialize`. */
const UNSUPPORTED_VERSION = -32022;

/** Whether a program that keeps running can be stopped as supervisors stop programs. */
export function signalsCase(bin: SmokeBin): CompiledCase {
  const name = 'running';
  const sent = not(without(name, 'SIGTERM'));
  return smokeCase({
    id: caseId(bin, 'signals'),
    topic: 'signals',
    why: `${bin.name} ends when it is told to`,
    requires: { classification: caseId(bin, 'classify'), classes: ['reads-stdin', 'server', 'mcp-server'] },
    steps: [
      step(name, run(bin), {
        stdin: { kind: 'idle' },
        signals: [{ signal: 'SIGTERM', after: 'start', delayMs: SIGNAL_DELAY_MS }],
        timeoutMs: SIGNAL_DELAY_MS + SIGNAL_END_MS + SIGNAL_PROMPT_MS,
      }),
    ],
    answers: [],
    checks: [
      check('signals', 'signal.ends', endsAfterTerm(name, SIGNAL_END_MS), { when: sent }),
      check('signals', 'signal.prompt', endsAfterTerm(name, SIGNAL_PROMPT_MS), { when: sent }),
    ],
  });
}

function endsAfterTerm(name: string, withinMs: number): Expectation {
  return { kind: 'ended-after-signal', step: name, signal: 'SIGTERM', withinMs };
}

/** Holds when the signal was not needed. */
function without(name: string, signal: string): Expectation {
  return { kind: 'action-absent', step: name, action: 'signal', detail: signal };
}

/** The session every client has, for a bin that was classified by `classification` with these arguments. */
export function mcpCase(
  bin: SmokeBin,
  topic: 'classify' | 'classify-directory',
  args: readonly string[],
): CompiledCase {
  const ladderMs = MCP_LADDER.afterEofMs + MCP_LADDER.afterTermMs;
  return smokeCase({
    id: caseId(bin, args.length === 0 ? 'mcp' : 'mcp-directory'),
    topic: 'mcp',
    why: `${bin.name}${args.length === 0 ? '' : ' with a directory'} serves MCP over standard input and output`,
    requires: { classification: caseId(bin, topic), classes: ['mcp-server'] },
    node: 'each',
    steps: [
      step(SESSION_STEP, run(bin, ...args), {
        stdin: session(MCP_LADDER),
        timeoutMs: 2 * REQUEST_MS + ladderMs,
      }),
      step('discover', run(bin, ...args), {
        stdin: discoverFirst(GUESS_MS, MCP_LADDER),
        timeoutMs: GUESS_MS + REQUEST_MS + ladderMs,
      }),
    ],
    answers: [SESSION_STEP, 'discover'],
    checks: [...sessionChecks(), ...streamChecks(), ...endChecks()],
  });
}

function answers(of: StreamReference, id: string | number, ...resultHas: readonly string[]): Expectation {
  return { kind: 'json-rpc-answer', of, id, resultHas };
}

/** Answered, or refused in the one way that tells an older client what to do. */
function opens(of: StreamReference): Expectation {
  return any(
    answers(
      of,
      INITIALIZE_ID,
      '/protocolVersion',
      '/capabilities',
      '/serverInfo/name',
      '/serverInfo/version',
    ),
    { kind: 'json-rpc-error', of, id: INITIALIZE_ID, codes: [UNSUPPORTED_VERSION] },
  );
}

function sessionChecks(): readonly CompiledCheck[] {
  const out = stdout(SESSION_STEP);
  const known: Expectation = {
    kind: 'json-rpc-value',
    of: out,
    id: INITIALIZE_ID,
    pointer: '/protocolVersion',
    anyOf: PROTOCOL_VERSIONS,
  };
  return [
    check('mcp', 'mcp.initialize', opens(out)),
    check('mcp', 'mcp.version', known, { when: answers(out, INITIALIZE_ID) }),
    check('mcp', 'mcp.tools', answers(out, TOOLS_ID, '/tools'), {
      when: answers(out, INITIALIZE_ID, '/capabilities/tools'),
    }),
    check('mcp', 'mcp.discover-first', opens(stdout('discover'))),
  ];
}

function streamChecks(): readonly CompiledCheck[] {
  const out = stdout(SESSION_STEP);
  return [
    check('mcp', 'mcp.ids', {
      kind: 'json-rpc-ids',
      of: out,
      sent: [INITIALIZE_ID, TOOLS_ID],
    }),
    check('mcp', 'mcp.messages', { kind: 'json-lines', of: out, jsonRpc: true, nonJson: 'skip' }),
    check('mcp', 'mcp.utf8', { kind: 'stream-utf8', of: out }),
    check('mcp', 'mcp.only-json', { kind: 'json-lines', of: out, jsonRpc: false, nonJson: 'refuse' }),
  ];
}

function endChecks(): readonly CompiledCheck[] {
  return [
    check('mcp', 'mcp.end-of-file', without(SESSION_STEP, 'SIGTERM')),
    check('mcp', 'mcp.terminates', all(without(SESSION_STEP, 'SIGKILL'), without('discover', 'SIGKILL'))),
  ];
}
