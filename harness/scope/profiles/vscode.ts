import { VSCODE_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const MCP: Fact = {
  source: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
  checkedAt: '2026-11-30',
};
const INSTRUCTIONS: Fact = {
  source: 'https://code.visualstudio.com/docs/agents/reference/custom-instructions-reference',
  checkedAt: '2026-11-30',
};

const SERVERS = { kind: 'key', key: 'servers', foreign: ['mcpServers'] } as const;

/** VS Code with Copilot. Its formats are not normalised, and forwarding between them is not resolved. */
export const VSCODE: ClientProfile = {
  id: 'vscode',
  title: 'VS Code / Copilot',
  precedence: null,
  sources: [
    {
      origin: 'vscode-project',
      scope: 'project',
      paths: everywhere('root', '.vscode/mcp.json'),
      format: 'vscode-servers',
      parser: 'jsonc',
      container: SERVERS,
      entry: VSCODE_ENTRY,
      fact: MCP,
    },
    {
      origin: 'copilot-project',
      scope: 'project',
      paths: everywhere('root', '.mcp.json'),
      format: 'portable-mcp-servers',
      parser: 'jsonc',
      container: { kind: 'wrapped-or-bare', key: 'mcpServers', foreign: ['servers'] },
      entry: VSCODE_ENTRY,
      fact: MCP,
    },
    {
      origin: 'vscode-user',
      scope: 'user',
      paths: {
        darwin: { base: 'home', path: 'Library/Application Support/Code/User/mcp.json' },
        linux: { base: 'home', path: '.config/Code/User/mcp.json' },
        win32: { base: 'app-data', path: 'Code/User/mcp.json' },
      },
      format: 'vscode-servers',
      parser: 'jsonc',
      container: SERVERS,
      entry: VSCODE_ENTRY,
      fact: MCP,
    },
    {
      origin: 'copilot-user',
      scope: 'user',
      paths: everywhere('home', '.copilot/mcp-config.json'),
      format: 'portable-mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
      entry: VSCODE_ENTRY,
      fact: MCP,
    },
  ],
  instructions: [
    ...atAncestors(
      ['.github/copilot-instructions.md', 'AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md'],
      INSTRUCTIONS,
    ),
    ...['.copilot/copilot-instructions.md', '.claude/CLAUDE.md', '.codex/AGENTS.md'].map((path) => ({
      at: 'user' as const,
      paths: everywhere('home', path),
      fact: INSTRUCTIONS,
    })),
  ],
  limits: [
    'the user profile is the default candidate, not proof of the selected one',
    'named profiles, Insiders, portable installations and alternate user-data folders are not discovered',
    'remote locations and the overrides COPILOT_HOME and XDG_CONFIG_HOME are not followed',
    '.code-workspace settings, additional folders and URIs and developer containers are not examined',
    'forwarding of eligible servers between the formats is not resolved',
    'profile instructions, recursive *.instructions.md, rules, nested files, custom locations and imports are not read',
    'the override CODEX_HOME is not followed',
  ],
};
