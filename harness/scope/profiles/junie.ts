import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const MCP: Fact = {
  source: 'https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html',
  checkedAt: '2026-11-30',
};
const GUIDELINES: Fact = {
  source: 'https://www.jetbrains.com/help/junie/customize-guidelines.html',
  checkedAt: '2026-11-30',
};

const JSON_FILE = {
  format: 'mcp-servers',
  parser: 'json',
  container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
  entry: { ...COMMON_ENTRY, flagFields: ['disabled', 'enabled'] },
  fact: MCP,
} as const;

/** JetBrains Junie. The AI Assistant keeps its servers in the settings of the IDE, which are not read. */
export const JUNIE: ClientProfile = {
  id: 'junie',
  title: 'JetBrains Junie',
  precedence: null,
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.junie/mcp/mcp.json'), ...JSON_FILE },
    { origin: 'user', scope: 'user', paths: everywhere('home', '.junie/mcp/mcp.json'), ...JSON_FILE },
  ],
  instructions: atAncestors(['.junie/AGENTS.md', 'AGENTS.md', '.junie/guidelines.md'], GUIDELINES),
  limits: [
    'servers of the AI Assistant and of the IDE settings are not examined',
    'the name of the guidelines file can be set elsewhere; that is not followed',
  ],
};
