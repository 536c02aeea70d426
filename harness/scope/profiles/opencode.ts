import { COMMON_ENTRY } from './entry-shapes.ts';
import {
  atAncestors,
  type ClientProfile,
  type EntryShape,
  everywhere,
  type Fact,
  type PlatformPaths,
} from './profile.ts';

const CONFIG: Fact = { source: 'https://opencode.ai/docs/config', checkedAt: '2026-11-30' };
const RULES: Fact = { source: 'https://opencode.ai/docs/rules', checkedAt: '2026-11-30' };

const ENTRY: EntryShape = {
  ...COMMON_ENTRY,
  command: { field: 'command', form: 'argv' },
  args: null,
  env: { field: 'environment', values: 'text' },
  textFields: ['type', 'cwd'],
  flagFields: ['enabled'],
  numberFields: ['timeout'],
};

const JSONC_FILE = {
  format: 'opencode-mcp',
  parser: 'jsonc',
  container: { kind: 'key', key: 'mcp', foreign: ['mcpServers', 'servers'] },
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

/** opencode merges its files; the ones nearer to the project go over the user's, the managed ones over all. */
export const OPENCODE: ClientProfile = {
  id: 'opencode',
  title: 'opencode',
  precedence: [
    ['managed', 'managed-jsonc'],
    ['project', 'project-jsonc'],
    ['user', 'user-jsonc'],
  ],
  sources: (['opencode.json', 'opencode.jsonc'] as const).flatMap((file) => {
    const suffix = file === 'opencode.json' ? '' : '-jsonc';
    return [
      {
        origin: `project${suffix}`,
        scope: 'project' as const,
        paths: everywhere('root', file),
        ...JSONC_FILE,
      },
      {
        origin: `user${suffix}`,
        scope: 'user' as const,
        paths: everywhere('home', `.config/opencode/${file}`),
        ...JSONC_FILE,
      },
      { origin: `managed${suffix}`, scope: 'managed' as const, paths: managed(file), ...JSONC_FILE },
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
    'files in .opencode and in the folders above the root are not examined',
    'remote organisation defaults, managed preferences and plugins are not examined',
    'the overrides OPENCODE_CONFIG and OPENCODE_CONFIG_CONTENT and XDG_CONFIG_HOME are not followed',
    'servers of equal name are merged field by field by the client; that is not resolved',
    'other instruction files named in the configuration are not read',
  ],
};
