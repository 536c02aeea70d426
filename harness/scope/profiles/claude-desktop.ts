import { COMMON_ENTRY } from './entry-shapes.ts';
import type { ClientProfile, Fact } from './profile.ts';

const MCP: Fact = {
  source: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  checkedAt: '2026-11-30',
};

/** Claude Desktop knows no projects: its one file concerns every directory. */
export const CLAUDE_DESKTOP: ClientProfile = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  precedence: null,
  sources: [
    {
      origin: 'user',
      scope: 'user',
      paths: {
        darwin: { base: 'home', path: 'Library/Application Support/Claude/claude_desktop_config.json' },
        linux: { base: 'home', path: '.config/Claude/claude_desktop_config.json' },
        win32: { base: 'app-data', path: 'Claude/claude_desktop_config.json' },
      },
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
      entry: COMMON_ENTRY,
      fact: MCP,
    },
  ],
  instructions: [],
  limits: [
    'desktop extensions and connectors are not examined',
    'enterprise policy is not examined',
    'packaged Windows installations that redirect the folder are not followed',
    'the path on Linux is that of community builds; the named source documents macOS and Windows',
  ],
};
