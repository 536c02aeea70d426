import { COMMON_ENTRY } from './entry-shapes.ts';
import { atAncestors, type ClientProfile, everywhere, type Fact, type PlatformPaths } from './profile.ts';

const SETTINGS: Fact = {
  source: 'https://geminicli.com/docs/reference/configuration',
  checkedAt: '2026-11-30',
};

const JSON_FILE = {
  format: 'mcp-servers',
  parser: 'json-comments',
  container: { kind: 'key', key: 'mcpServers', foreign: [] },
  entry: {
    ...COMMON_ENTRY,
    urls: ['url', 'httpUrl'],
    textFields: ['type', 'cwd', 'description'],
    flagFields: ['trust'],
    numberFields: ['timeout'],
    textListFields: ['includeTools', 'excludeTools'],
  },
  fact: SETTINGS,
} as const;

function system(file: string): PlatformPaths {
  return {
    darwin: { base: 'fixed', path: `/Library/Application Support/GeminiCli/${file}` },
    linux: { base: 'fixed', path: `/etc/gemini-cli/${file}` },
    win32: { base: 'program-data', path: `gemini-cli/${file}` },
  };
}

/** Two system files lie below and above the user's and the project's. */
export const GEMINI_CLI: ClientProfile = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  precedence: [['system'], ['project'], ['user'], ['system-defaults']],
  sources: [
    { origin: 'project', scope: 'project', paths: everywhere('root', '.gemini/settings.json'), ...JSON_FILE },
    { origin: 'user', scope: 'user', paths: everywhere('home', '.gemini/settings.json'), ...JSON_FILE },
    { origin: 'system', scope: 'managed', paths: system('settings.json'), ...JSON_FILE },
    { origin: 'system-defaults', scope: 'managed', paths: system('system-defaults.json'), ...JSON_FILE },
  ],
  instructions: [
    ...atAncestors(['GEMINI.md'], SETTINGS),
    { at: 'user', paths: everywhere('home', '.gemini/GEMINI.md'), fact: SETTINGS },
  ],
  limits: [
    'overrides by environment variables and command-line flags are not followed',
    'whether the folder is trusted is not examined',
    'extensions and allow and exclude lists are not examined',
    'other names of context files set in the settings, nested files and imports are not read',
    'servers of equal name are merged by the client; that is not resolved',
  ],
};
