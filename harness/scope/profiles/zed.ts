import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact } from './profile.ts';

const SETTINGS: Fact = { source: 'https://zed.dev/docs/configuring-zed', checkedAt: '2026-11-30' };
const RULES: Fact = { source: 'https://zed.dev/docs/ai/instructions', checkedAt: '2026-11-30' };

const JSONC_FILE = {
  format: 'zed-context-servers',
  parser: 'jsonc',
  container: { kind: 'key', key: 'context_servers', foreign: [] },
  entry: { ...COMMON_ENTRY, textFields: ['source'], flagFields: ['enabled'] },
  fact: SETTINGS,
} as const;

/** Zed keeps its servers among its other settings; the project's settings go over the user's. */
export const ZED: ClientProfile = {
  id: 'zed',
  title: 'Zed',
  precedence: [['project'], ['user']],
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.zed/settings.json'), ...JSONC_FILE },
    {
      origin: 'user',
      scope: 'user',
      paths: {
        darwin: { base: 'home', path: '.config/zed/settings.json' },
        linux: { base: 'home', path: '.config/zed/settings.json' },
        win32: { base: 'app-data', path: 'Zed/settings.json' },
      },
      ...JSONC_FILE,
    },
  ],
  instructions: atAncestors(
    [
      '.rules',
      '.cursorrules',
      '.windsurfrules',
      '.clinerules',
      '.github/copilot-instructions.md',
      'AGENT.md',
      'AGENTS.md',
      'CLAUDE.md',
      'GEMINI.md',
    ],
    RULES,
  ),
  limits: [
    'the override XDG_CONFIG_HOME is not followed',
    'servers that extensions bring are not examined',
    'settings of remote development and of release channels are not examined',
    'the older form with a command object is reported as malformed',
  ],
};
