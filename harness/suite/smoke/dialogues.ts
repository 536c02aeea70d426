import { INITIALIZE_ID } from '../classify.ts';
import type { DialogueExchange, ShutdownLadder, StdinPlan } from '../compiled.ts';
import { REQUEST_MS } from './limits.ts';

/** Protocol versions that exist, newest first. Source: the revisions of the MCP specification. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The newest version that is opened by `initialize`. */
const OPENING_VERSION = '2025-11-25';

export const TOOLS_ID = 2;
/** Asked before `initialize` by clients of newer revisions; no id of ours is used twice in one process. */
export const DISCOVER_ID = 'discover';

const CLIENT = { name: 'packproof', version: '1' };

const INITIALIZE = {
  jsonrpc: '2.0',
  id: INITIALIZE_ID,
  method: 'initialize',
  params: { protocolVersion: OPENING_VERSION, capabilities: {}, clientInfo: CLIENT },
};

const DISCOVER = {
  jsonrpc: '2.0',
  id: DISCOVER_ID,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': CLIENT,
    },
  },
};

function asks(message: object, answerId: string | number, waitMs: number): DialogueExchange {
  return { line: JSON.stringify(message), answerId, waitMs };
}

const INITIALIZED: DialogueExchange = {
  line: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  answerId: null,
  waitMs: 0,
};

/** One `initialize`, to see what the program makes of it. */
export function opening(waitMs: number, ladder: ShutdownLadder): StdinPlan {
  return { kind: 'dialogue', exchanges: [asks(INITIALIZE, INITIALIZE_ID, waitMs)], ladder };
}

/** The shortest useful session: open, list the tools, end. */
export function session(ladder: ShutdownLadder): StdinPlan {
  const list = { jsonrpc: '2.0', id: TOOLS_ID, method: 'tools/list', params: {} };
  return {
    kind: 'dialogue',
    exchanges: [asks(INITIALIZE, INITIALIZE_ID, REQUEST_MS), INITIALIZED, asks(list, TOOLS_ID, REQUEST_MS)],
    ladder,
  };
}

/** The opening of a client that first asks by the newer way and falls back. */
export function discoverFirst(waitMs: number, ladder: ShutdownLadder): StdinPlan {
  return {
    kind: 'dialogue',
    exchanges: [asks(DISCOVER, DISCOVER_ID, waitMs), asks(INITIALIZE, INITIALIZE_ID, REQUEST_MS)],
    ladder,
  };
}
