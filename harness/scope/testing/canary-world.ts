import type { ScopeReport } from '../model.ts';
import { jsonOf, textOf } from './world.ts';

/** Stands in every value that must stay inside: no real word contains it. */
export const CANARY = 'canary-7f3a';

const JSON_ENTRY = {
  command: `/opt/${CANARY}/run`,
  args: [`--token=${CANARY}`, `\${${CANARY}}`],
  env: { [`${CANARY.toUpperCase()}_KEY`]: CANARY },
  cwd: `/srv/${CANARY}`,
};
const REMOTE_ENTRY = {
  type: 'http',
  url: `https://${CANARY}.example.invalid/?k=${CANARY}`,
  headers: { Authorization: CANARY },
};
const ENTRIES = { local: JSON_ENTRY, remote: REMOTE_ENTRY, broken: { command: { [CANARY]: CANARY } } };

function document(container: string): string {
  return JSON.stringify({ [container]: ENTRIES, [`other-${CANARY}`]: { secret: CANARY } }, null, 2);
}

const TOML = `
note = "${CANARY}"
[mcp_servers.local]
command = "/opt/${CANARY}/run"
args = ["--token=${CANARY}", '\${${CANARY}}']
[mcp_servers.local.env]
KEY = "${CANARY}"
[mcp_servers.remote]
url = "https://${CANARY}.example.invalid"
http_headers = { Authorization = "${CANARY}" }
[mcp_servers.broken]
command = 1
`;

/** Paths below the project and the home, each with a document full of canaries. */
export const CANARY_FILES: Readonly<Record<'project' | 'home', Readonly<Record<string, string>>>> = {
  project: {
    '.mcp.json': document('mcpServers'),
    '.vscode/mcp.json': document('servers'),
    '.codex/config.toml': TOML,
    '.cursor/mcp.json': document('mcpServers'),
    '.gemini/settings.json': document('mcpServers'),
    '.zed/settings.json': document('context_servers'),
    '.junie/mcp/mcp.json': document('mcpServers'),
    '.github/mcp.json': document('mcpServers'),
    'opencode.json': JSON.stringify({
      mcp: { local: { type: 'local', command: ['x', CANARY], environment: { A: CANARY } } },
    }),
    'CLAUDE.md': CANARY,
    'AGENTS.md': CANARY,
    '.github/copilot-instructions.md': CANARY,
  },
  home: {
    '.claude.json': document('mcpServers'),
    '.config/Code/User/mcp.json': document('servers'),
    '.copilot/mcp-config.json': document('mcpServers'),
    '.codex/config.toml': TOML,
    '.codeium/windsurf/mcp_config.json': document('mcpServers'),
    '.config/Claude/claude_desktop_config.json': document('mcpServers'),
    '.claude/CLAUDE.md': CANARY,
  },
};

/** Every form in which a report leaves the product. */
export function everyOutput(report: ScopeReport): readonly string[] {
  return [jsonOf(report), textOf(report)];
}
