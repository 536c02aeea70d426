import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const MCP: Fact = { source: 'https://cursor.com/docs/mcp', checkedAt: '2026-11-30' };
const RULES: Fact = { source: 'https://cursor.com/docs/context/rules', checkedAt: '2026-11-30' };

const JSON_FILE = {
  format: 'mcp-servers',
  parser: 'json',
  container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
  entry: { ...COMMON_ENTRY, textFields: ['type', 'cwd', 'envFile'] },
  fact: MCP,
} as const;

/** Cursor documents no order for equal names in its two files. */
export const CURSOR: ClientProfile = {
  id: 'cursor',
  title: 'Cursor',
  precedence: null,
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.cursor/mcp.json'), ...JSON_FILE },
    { origin: 'user', scope: 'user', paths: everywhere('home', '.cursor/mcp.json'), ...JSON_FILE },
  ],
  instructions: atAncestors(['AGENTS.md', '.cursorrules'], RULES),
  limits: [
    'files with comments are reported as malformed: the documentation does not promise them',
    'servers that are switched on or off in the user interface are not known',
    'extensions, team and enterprise settings are not examined',
    'rules in .cursor/rules and user rules are not read',
  ],
};
