import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const MCP: Fact = {
  source: 'https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference',
  checkedAt: '2026-11-30',
};

const JSON_FILE = {
  format: 'portable-mcp-servers',
  parser: 'json',
  container: { kind: 'key', key: 'mcpServers', foreign: ['servers'] },
  entry: { ...COMMON_ENTRY, textListFields: ['tools'], numberFields: ['timeout'] },
  fact: MCP,
} as const;

/** GitHub Copilot CLI: two files in the project, one of the user, in this order. */
export const COPILOT_CLI: ClientProfile = {
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  precedence: [['project'], ['project-github'], ['user']],
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.mcp.json'), ...JSON_FILE },
    {
      origin: 'project-github',
      scope: 'project',
      paths: everywhere('root', '.github/mcp.json'),
      ...JSON_FILE,
    },
    { origin: 'user', scope: 'user', paths: everywhere('home', '.copilot/mcp-config.json'), ...JSON_FILE },
  ],
  instructions: [
    ...atAncestors(['.github/copilot-instructions.md', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md'], MCP),
    { at: 'user', paths: everywhere('home', '.copilot/copilot-instructions.md'), fact: MCP },
  ],
  limits: [
    'the override COPILOT_HOME and files given on the command line are not followed',
    'plugins, built-in servers, trusted folders and organisation policy are not examined',
    'path-specific *.instructions.md files are not read',
  ],
};
