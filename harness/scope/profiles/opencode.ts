import { COMMON_ENTRY } from './entry-shapes.ts';
import {
  atAncestors,
  type ClientProfile,
  type EntryShape,
  everywhere,
  type Fact,
  type PlatformPaths,
} from './profile.ts';

const CONFIG: Fact = { source: 'https://opencode.ai/v2/docs/mcp-servers/', checkedAt: '2026-11-30' };
const FIRST_VERSION: Fact = { source: 'https://opencode.ai/v1/docs/config/', checkedAt: '2026-11-30' };
const RULES: Fact = { source: 'https://opencode.ai/docs/rules', checkedAt: '2026-11-30' };

const ENTRY: EntryShape = {
  ...COMMON_ENTRY,
  command: { field: 'command', form: 'argv' },
  args: null,
  env: { field: 'environment', values: 'text' },
  textFields: ['type', 'cwd'],
  flagFields: ['enabled', 'disabled'],
};

const JSONC_FILE = {
  format: 'opencode-mcp',
  parser: 'jsonc',
  container: { kind: 'key-or-inner', key: 'mcp', inner: 'servers', foreign: ['mcpServers', 'servers'] },
  entry: ENTRY,
  fact: CONFIG,
} as const;

function managed(file: string): PlatformPaths {
  return {
    darwin: { base: 'fixed', path: `/Library/Application Support/opencode/${file}` },
    linux: { base: 'fixed', path: `/etc/opencode/${file}` },
    win32: { base: 'program-data', path: `opencode/${file}` },
  };
}

/**
 * The servers are in `mcp.servers` since version 2, and were in `mcp` before. Files nearer to the project go over
 * the user's, the managed ones over all.
 */
export const OPENCODE: ClientProfile = {
  id: 'opencode',
  title: 'opencode',
  precedence: [
    ['managed', 'managed-jsonc'],
    ['project', 'project-jsonc', 'project-folder', 'project-folder-jsonc'],
    ['user', 'user-jsonc'],
  ],
  sources: (['opencode.json', 'opencode.jsonc'] as const).flatMap((file) => {
    const suffix = file === 'opencode.json' ? '' : '-jsonc';
    const inProject = { scope: 'project' as const, ...JSONC_FILE };
    return [
      { origin: `project${suffix}`, paths: everywhere('root', file), ...inProject },
      { origin: `project-folder${suffix}`, paths: everywhere('root', `.opencode/${file}`), ...inProject },
      {
        origin: `user${suffix}`,
        scope: 'user' as const,
        paths: everywhere('home', `.config/opencode/${file}`),
        ...JSONC_FILE,
      },
      {
        origin: `managed${suffix}`,
        scope: 'managed' as const,
        paths: managed(file),
        ...JSONC_FILE,
        fact: FIRST_VERSION,
      },
    ];
  }),
  instructions: [
    ...atAncestors(['AGENTS.md', 'CLAUDE.md'], RULES),
    ...['.config/opencode/AGENTS.md', '.claude/CLAUDE.md'].map((path) => ({
      at: 'user' as const,
      paths: everywhere('home', path),
      fact: RULES,
    })),
  ],
  limits: [
    'files in the folders above the root are not examined',
    'remote organisation defaults, managed preferences and plugins are not examined',
    'the overrides OPENCODE_CONFIG and OPENCODE_CONFIG_CONTENT and XDG_CONFIG_HOME are not followed',
    'the first version merges servers of equal name field by field; that is not resolved',
    'other instruction files named in the configuration are not read',
  ],
};
