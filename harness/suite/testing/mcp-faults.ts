import { type FaultPackage, faultPackage } from './fault-package.ts';

export interface ServerOptions {
  readonly before?: string;
  /** Replaces the result of `initialize`. */
  readonly initialized?: string;
  /** Runs for `tools/list` in place of the answer. */
  readonly onTools?: string;
  /** Runs for a method that it does not know. */
  readonly onUnknown?: string;
  readonly onEnd?: string;
}

/** A small MCP server in plain Node, with parts replaced. */
export function serving(options: ServerOptions = {}): string {
  const initialized =
    options.initialized ??
    "{ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }";
  return `import { createInterface } from 'node:readline';
${options.before ?? ''}
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') {
    send({ id, result: ${initialized} });
  } else if (method === 'tools/list') {
    ${options.onTools ?? 'send({ id, result: { tools: [] } });'}
  } else if (id !== undefined) {
    ${options.onUnknown ?? "send({ id, error: { code: -32601, message: 'no such method' } });"}
  }
});
lines.on('close', () => { ${options.onEnd ?? ''} });
`;
}

const NOISE = "console.log('server running on stdio');";

function server(
  name: string,
  fault: string,
  parts: {
    readonly body: string;
    readonly gates?: readonly string[];
    readonly warns?: readonly string[];
  },
): FaultPackage {
  return faultPackage(name, {
    fault,
    oracles: ['run'],
    manifest: { keywords: ['mcp'] },
    binClass: 'mcp-server',
    ...parts,
  });
}

/** Faults of MCP servers over standard input and output. */
export const MCP_FAULTS: readonly FaultPackage[] = [
  server('f-mcp-banner', 'a banner on stdout', {
    body: serving({ before: NOISE }),
    warns: ['mcp/mcp.only-json'],
  }),
  server('f-mcp-json-log', 'JSON log lines on stdout', {
    body: serving({ before: "console.log(JSON.stringify({ level: 30, msg: 'started' }));" }),
    gates: ['mcp/mcp.messages'],
  }),
  server('f-mcp-incomplete', 'an answer to initialize without capabilities', {
    body: serving({
      initialized: "{ protocolVersion: '2025-11-25', serverInfo: { name: 's', version: '1' } }",
    }),
    gates: ['mcp/mcp.initialize'],
    warns: ['mcp-discover/mcp.discover-first'],
  }),
  server('f-mcp-version', 'a protocol version that does not exist', {
    body: serving({
      initialized: "{ protocolVersion: '1.0', capabilities: {}, serverInfo: { name: 's', version: '1' } }",
    }),
    gates: ['mcp/mcp.version'],
  }),
  server('f-mcp-no-tools', 'tools are declared and not served', {
    body: serving({ onTools: "send({ id, error: { code: -32601, message: 'no such method' } });" }),
    gates: ['mcp/mcp.tools'],
  }),
  server('f-mcp-twice', 'one request is answered twice', {
    body: serving({ onTools: 'send({ id, result: { tools: [] } }); send({ id, result: { tools: [] } });' }),
    gates: ['mcp/mcp.ids'],
  }),
  server('f-mcp-stranger', 'an answer to a request that was never made', {
    body: serving({ onTools: 'send({ id, result: { tools: [] } }); send({ id: 99, result: {} });' }),
    gates: ['mcp/mcp.ids'],
  }),
  server('f-mcp-bytes', 'bytes on stdout that are not UTF-8', {
    body: serving({ before: 'process.stdout.write(Buffer.from([0xff, 0x0a]));' }),
    gates: ['mcp/mcp.utf8'],
    warns: ['mcp/mcp.only-json'],
  }),
  server('f-mcp-early-exit', 'a request before initialize ends it', {
    body: serving({ onUnknown: 'process.exit(1);' }),
    warns: ['mcp-discover/mcp.discover-first'],
  }),
  server('f-mcp-stays', 'goes on after the end of its input', {
    body: serving({ before: 'setInterval(() => {}, 1_000_000);' }),
    warns: ['mcp/mcp.end-of-file'],
  }),
  server('f-mcp-deaf', 'goes on after the end of its input and ignores SIGTERM', {
    body: serving({ before: "setInterval(() => {}, 1_000_000); process.on('SIGTERM', () => {});" }),
    gates: ['mcp/mcp.terminates', 'signals/signal.ends'],
    warns: ['mcp/mcp.end-of-file', 'signals/signal.prompt'],
  }),
  faultPackage('f-mcp-silent', {
    fault: 'calls itself an MCP server and never answers',
    oracles: ['run'],
    manifest: { keywords: ['mcp'] },
    body: 'setInterval(() => {}, 1_000_000);\n',
    warns: ['classify/mcp.recognised'],
    binClass: 'server',
  }),
];
