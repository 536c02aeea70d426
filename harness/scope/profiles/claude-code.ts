import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact, type PlatformPaths } from './profile.ts';

const MCP: Fact = { source: 'https://code.claude.com/docs/en/mcp', checkedAt: '2026-11-30' };
const MEMORY: Fact = { source: 'https://code.claude.com/docs/en/memory', checkedAt: '2026-11-30' };
const MANAGED: Fact = { source: 'https://code.claude.com/docs/en/managed-mcp', checkedAt: '2026-11-30' };

const USER_FILE = everywhere('home', '.claude.json');

function managed(file: string): PlatformPaths {
  return {
    darwin: { base: 'fixed', path: `/Library/Application Support/ClaudeCode/${file}` },
    linux: { base: 'fixed', path: `/etc/claude-code/${file}` },
    win32: { base: 'fixed', path: `C:/Program Files/ClaudeCode/${file}` },
  };
}

/** The default profile. Its order is that of the command line; the desktop application can have another. */
export const CLAUDE_CODE: ClientProfile = {
  id: 'claude-code',
  title: 'Claude Code',
  precedence: [['local'], ['project'], ['user']],
  sources: [
    {
      origin: 'local',
      scope: 'local',
      paths: USER_FILE,
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'project-key', projects: 'projects', key: 'mcpServers' },
      entry: COMMON_ENTRY,
      fact: MCP,
    },
    {
      origin: 'project',
      scope: 'project',
      paths: everywhere('root', '.mcp.json'),
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: [] },
      entry: COMMON_ENTRY,
      fact: MCP,
    },
    {
      origin: 'user',
      scope: 'user',
      paths: USER_FILE,
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: [] },
      entry: COMMON_ENTRY,
      fact: MCP,
    },
    {
      origin: 'managed',
      scope: 'managed',
      paths: managed('managed-mcp.json'),
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: [] },
      entry: COMMON_ENTRY,
      fact: MANAGED,
    },
  ],
  instructions: [
    ...atAncestors(
      ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/AGENTS.md'],
      MEMORY,
    ),
    { at: 'user', paths: everywhere('home', '.claude/CLAUDE.md'), fact: MEMORY },
    { at: 'managed', paths: managed('CLAUDE.md'), fact: MEMORY },
  ],
  limits: [
    'rules, nested and on-demand instructions and imports are not read',
    'additional workspace roots are not examined',
    'settings, approvals, allow and deny lists are not examined',
    'plugins and connectors are not examined',
    'environment overrides such as CLAUDE_CONFIG_DIR are not followed',
    'session flags are not known',
    'remote and registry policy is not examined',
    'only the canonical root and its explicit absolute spelling are looked up among the projects',
    'the Code tab of the desktop application can have a different precedence',
  ],
};
