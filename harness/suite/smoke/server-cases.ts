import { INITIALIZE_ID, SESSION_STEP } from '../classify.ts';
import type { CompiledCase, CompiledCheck, Expectation, StreamReference } from '../compiled.ts';
import { caseId, run, type SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import { discoverFirst, PROTOCOL_VERSIONS, session, TOOLS_ID } from './dialogues.ts';
import { all, any, ended, not, stdout } from './expect.ts';
import {
  MCP_LADDER,
  PROBE_MS,
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
      check('signals', 'signal.leftovers', { kind: 'no-leftovers' }, { when: all(sent, ended(name)) }),
    ],
    leftoversWhen: without(name, 'SIGTERM'),
  });
}

function endsAfterTerm(name: string, withinMs: number): Expectation {
  return { kind: 'ended-after-signal', step: name, signal: 'SIGTERM', withinMs };
}

/** Holds when the signal was not needed. */
function without(name: string, signal: string): Expectation {
  return { kind: 'action-absent', step: name, action: 'signal', detail: signal };
}

/** A way to start a bin as an MCP server: plainly, or with a directory as argument. */
export type McpStart = 'plain' | 'directory';

const START_ARGUMENTS: Readonly<Record<McpStart, readonly string[]>> = { plain: [], directory: ['/work'] };

/** The session every client has, where the classification with this start found a server. */
export function mcpCase(bin: SmokeBin, start: McpStart): CompiledCase {
  return smokeCase({
    ...mcpParts(bin, start, 'mcp'),
    topic: 'mcp',
    why: `${nameOf(bin, start)} serves MCP over standard input and output`,
    steps: [
      step(SESSION_STEP, run(bin, ...START_ARGUMENTS[start]), {
        stdin: session(MCP_LADDER),
        timeoutMs: 2 * REQUEST_MS + LADDER_MS,
      }),
    ],
    answers: [SESSION_STEP],
    checks: [...sessionChecks(), ...streamChecks(), ...endChecks()],
  });
}

/** The opening of a newer client, in a process of its own. */
export function mcpDiscoverCase(bin: SmokeBin, start: McpStart): CompiledCase {
  return smokeCase({
    ...mcpParts(bin, start, 'mcp-discover'),
    topic: 'mcp-discover',
    why: `${nameOf(bin, start)} survives the question of a newer client`,
    steps: [
      step('discover', run(bin, ...START_ARGUMENTS[start]), {
        stdin: discoverFirst(PROBE_MS, MCP_LADDER),
        timeoutMs: PROBE_MS + REQUEST_MS + LADDER_MS,
      }),
    ],
    answers: ['discover'],
    checks: [check('mcp-discover', 'mcp.discover-first', opens(stdout('discover')))],
  });
}

const LADDER_MS = MCP_LADDER.afterEofMs + MCP_LADDER.afterTermMs;

function mcpParts(
  bin: SmokeBin,
  start: McpStart,
  topic: 'mcp' | 'mcp-discover',
): Pick<CompiledCase, 'id' | 'requires' | 'node'> {
  const isPlain = start === 'plain';
  const classification = caseId(bin, isPlain ? 'classify' : 'classify-directory');
  return {
    id: caseId(bin, isPlain ? topic : `${topic}-directory`),
    requires: { classification, classes: ['mcp-server'] },
    node: 'each',
  };
}

function nameOf(bin: SmokeBin, start: McpStart): string {
  return start === 'plain' ? bin.name : `${bin.name} with a directory`;
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
    check('mcp', 'mcp.terminates', without(SESSION_STEP, 'SIGKILL')),
  ];
}
