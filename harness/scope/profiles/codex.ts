import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, type EntryShape, everywhere, type Fact } from './profile.ts';

const CONFIG: Fact = { source: 'https://developers.openai.com/codex/config-basic', checkedAt: '2026-11-30' };
const AGENTS: Fact = {
  source: 'https://developers.openai.com/codex/guides/agents-md',
  checkedAt: '2026-11-30',
};

const CONTAINER = { kind: 'key', key: 'mcp_servers', foreign: ['mcpServers', 'servers'] } as const;

const ENTRY: EntryShape = {
  ...COMMON_ENTRY,
  textFields: ['cwd', 'bearer_token_env_var'],
  flagFields: ['enabled'],
  numberFields: ['startup_timeout_sec', 'tool_timeout_sec'],
  textListFields: ['enabled_tools', 'disabled_tools'],
  textMapFields: ['http_headers', 'env_http_headers'],
};

const TOML = {
  format: 'codex-mcp-servers',
  parser: 'toml',
  container: CONTAINER,
  entry: ENTRY,
  fact: CONFIG,
} as const;

/** Codex reads a project's layer only when the project is trusted, which is not examined. */
export const CODEX: ClientProfile = {
  id: 'codex',
  title: 'Codex',
  precedence: [['project'], ['user'], ['system']],
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.codex/config.toml'), ...TOML },
    { origin: 'user', scope: 'user', paths: everywhere('home', '.codex/config.toml'), ...TOML },
    {
      origin: 'system',
      scope: 'managed',
      paths: {
        // /etc is a link on macOS, and links are not followed.
        darwin: { base: 'fixed', path: '/private/etc/codex/config.toml' },
        linux: { base: 'fixed', path: '/etc/codex/config.toml' },
        win32: null,
      },
      ...TOML,
    },
  ],
  instructions: [
    ...atAncestors(['AGENTS.override.md', 'AGENTS.md'], AGENTS),
    ...['.codex/AGENTS.override.md', '.codex/AGENTS.md'].map((path) => ({
      at: 'user' as const,
      paths: everywhere('home', path),
      fact: AGENTS,
    })),
  ],
  limits: [
    'whether the project is trusted is not examined',
    'the override CODEX_HOME, profiles and command-line overrides are not followed',
    'managed preferences, managed_config.toml and cloud policy are not examined',
    'project layers in other folders than the root are not examined',
    'tables of equal name are merged field by field by the client; that is not resolved',
  ],
};
