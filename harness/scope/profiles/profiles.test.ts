import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScopeError } from '../errors.ts';
import { sourceOf, withWorld } from '../testing/world.ts';
import type { Platform } from './profile.ts';
import { PROFILES, profilesOf } from './profiles.ts';

const PLATFORMS: readonly Platform[] = ['darwin', 'linux', 'win32'];

/** Every candidate of every table, `~` for the home and `.` for the root, written down apart from the tables. */
const CANDIDATES: Readonly<Record<string, readonly [string | null, string | null, string | null]>> = {
  'claude-code:local': same('~/.claude.json'),
  'claude-code:project': same('./.mcp.json'),
  'claude-code:user': same('~/.claude.json'),
  'claude-code:managed': [
    '/Library/Application Support/ClaudeCode/managed-mcp.json',
    '/etc/claude-code/managed-mcp.json',
    'C:\\Program Files\\ClaudeCode\\managed-mcp.json',
  ],
  'vscode:vscode-project': same('./.vscode/mcp.json'),
  'vscode:copilot-project': same('./.mcp.json'),
  'vscode:vscode-user': [
    '~/Library/Application Support/Code/User/mcp.json',
    '~/.config/Code/User/mcp.json',
    'C:\\AppData\\Code\\User\\mcp.json',
  ],
  'vscode:copilot-user': same('~/.copilot/mcp-config.json'),
  'codex:project': same('./.codex/config.toml'),
  'codex:user': same('~/.codex/config.toml'),
  'codex:system': ['/private/etc/codex/config.toml', '/etc/codex/config.toml', null],
  'cursor:project': same('./.cursor/mcp.json'),
  'cursor:user': same('~/.cursor/mcp.json'),
  'gemini-cli:project': same('./.gemini/settings.json'),
  'gemini-cli:user': same('~/.gemini/settings.json'),
  'gemini-cli:system': [
    '/Library/Application Support/GeminiCli/settings.json',
    '/etc/gemini-cli/settings.json',
    'D:\\ProgramData\\gemini-cli\\settings.json',
  ],
  'gemini-cli:system-defaults': [
    '/Library/Application Support/GeminiCli/system-defaults.json',
    '/etc/gemini-cli/system-defaults.json',
    'D:\\ProgramData\\gemini-cli\\system-defaults.json',
  ],
  'windsurf:user': same('~/.codeium/windsurf/mcp_config.json'),
  'zed:project': same('./.zed/settings.json'),
  'zed:user': [
    '~/.config/zed/settings.json',
    '~/.config/zed/settings.json',
    'C:\\AppData\\Zed\\settings.json',
  ],
  'junie:project': same('./.junie/mcp/mcp.json'),
  'junie:user': same('~/.junie/mcp/mcp.json'),
  'claude-desktop:user': [
    '~/Library/Application Support/Claude/claude_desktop_config.json',
    '~/.config/Claude/claude_desktop_config.json',
    'C:\\AppData\\Claude\\claude_desktop_config.json',
  ],
  'copilot-cli:project': same('./.mcp.json'),
  'copilot-cli:project-github': same('./.github/mcp.json'),
  'copilot-cli:user': same('~/.copilot/mcp-config.json'),
  'opencode:project': same('./opencode.json'),
  'opencode:project-jsonc': same('./opencode.jsonc'),
  'opencode:project-folder': same('./.opencode/opencode.json'),
  'opencode:project-folder-jsonc': same('./.opencode/opencode.jsonc'),
  'opencode:user': same('~/.config/opencode/opencode.json'),
  'opencode:user-jsonc': same('~/.config/opencode/opencode.jsonc'),
  'opencode:managed': [
    '/Library/Application Support/opencode/opencode.json',
    '/etc/opencode/opencode.json',
    'D:\\ProgramData\\opencode\\opencode.json',
  ],
  'opencode:managed-jsonc': [
    '/Library/Application Support/opencode/opencode.jsonc',
    '/etc/opencode/opencode.jsonc',
    'D:\\ProgramData\\opencode\\opencode.jsonc',
  ],
};

function same(path: string): readonly [string, string, string] {
  return [path, path, path];
}

function spelled(
  path: string,
  platform: Platform,
  bases: { readonly root: string; readonly home: string },
): string {
  const full = path.replace(/^~\//, `${bases.home}/`).replace(/^\.\//, `${bases.root}/`);
  return platform === 'win32' ? full.replaceAll('/', '\\') : full;
}

describe('the tables', () => {
  for (const [column, platform] of PLATFORMS.entries()) {
    it(`have the written-down candidates on ${platform}, and no others`, () => {
      withWorld((world) => {
        const env = { APPDATA: 'C:\\AppData', ProgramData: 'D:\\ProgramData' };
        const report = world.run({ client: 'all', platform, env });
        const bases =
          platform === 'win32'
            ? { root: 'C:\\work\\project', home: 'C:\\Users\\me' }
            : { root: world.project, home: world.home };
        const expected = Object.entries(CANDIDATES).flatMap(([id, paths]) => {
          const path = paths[column];
          return path === null || path === undefined ? [] : [[id, spelled(path, platform, bases)]];
        });
        const found = report.sources.map(({ id, path }) => [id, path]);
        assert.deepEqual(found.sort(), expected.sort());
      });
    });
  }

  it('have unique ids and origins, known origins in their order, and dated https sources', () => {
    assert.equal(new Set(PROFILES.map(({ id }) => id)).size, PROFILES.length);
    for (const { sources, precedence, instructions, limits } of PROFILES) {
      const origins = sources.map(({ origin }) => origin);
      assert.equal(new Set(origins).size, origins.length);
      assert.deepEqual(
        (precedence ?? []).flat().filter((origin) => !origins.includes(origin)),
        [],
      );
      assert.ok(limits.length > 0);
      for (const { fact } of [...sources, ...instructions]) {
        assert.match(fact.source, /^https:\/\//);
        assert.match(fact.checkedAt, /^20\d\d-[01]\d-[0-3]\d$/);
      }
    }
  });

  it('take the usual place of program data when the environment has none', () => {
    withWorld((world) => {
      const report = world.run({ client: 'gemini-cli', platform: 'win32', env: { ProgramData: 'relative' } });
      assert.equal(sourceOf(report, 'gemini-cli:system').path, 'C:\\ProgramData\\gemini-cli\\settings.json');
    });
  });
});

describe('profilesOf', () => {
  it('gives one profile by its id and every profile for all', () => {
    assert.deepEqual(
      profilesOf('codex').map(({ id }) => id),
      ['codex'],
    );
    assert.equal(profilesOf('all').length, 11);
  });

  it('refuses an unknown client, also by a name of the prototype, before anything is read', () => {
    withWorld((world) => {
      for (const client of ['', 'Claude-Code', 'claude', 'constructor', '__proto__', 'all,codex']) {
        assert.throws(
          () => world.run({ client }),
          (error) =>
            error instanceof ScopeError && error.code === 'CLIENT_UNKNOWN' && error.where === '--client',
        );
      }
      assert.deepEqual(world.touched, []);
    });
  });
});
