import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const MCP: Fact = { source: 'https://docs.windsurf.com/windsurf/cascade/mcp', checkedAt: '2026-11-30' };
const MEMORIES: Fact = {
  source: 'https://docs.windsurf.com/windsurf/cascade/memories',
  checkedAt: '2026-11-30',
};

/** Windsurf has one file of servers, the user's. */
export const WINDSURF: ClientProfile = {
  id: 'windsurf',
  title: 'Windsurf',
  precedence: null,
  sources: [
    {
      origin: 'user',
      scope: 'user',
      paths: everywhere('home', '.codeium/windsurf/mcp_config.json'),
      format: 'mcp-servers',
      parser: 'json',
      container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
      entry: { ...COMMON_ENTRY, urls: ['serverUrl', 'url'], textListFields: ['disabledTools'] },
      fact: MCP,
    },
  ],
  instructions: [
    ...atAncestors(['AGENTS.md', '.windsurfrules'], MEMORIES),
    { at: 'user', paths: everywhere('home', '.codeium/windsurf/memories/global_rules.md'), fact: MEMORIES },
  ],
  limits: [
    'the file of the JetBrains plug-in is not examined',
    'enterprise allow and deny lists and registries are not examined',
    'rules in .windsurf/rules, system rules and memories are not read',
  ],
};
