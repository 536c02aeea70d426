import { CANARIES, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import { COMPLETE, INCOMPLETE, json, LOCAL, NO_SERVERS, REMOTE, server, shadowed, source } from './words.ts';

const TOML = (name: string): string =>
  `model = "${CANARIES.rootField}"\n[mcp_servers.${name}]\ncommand = "x"\nargs = ["${CANARIES.arg}"]\n[mcp_servers.${name}.env]\nA = "${CANARIES.env}"\n`;

function one(client: string, path: string, text: string, rows: readonly string[]): ScopeCase {
  return {
    id: `${client}-reads-its-file`,
    why: `the configuration of ${client} is found and read in its own format`,
    files: { [path]: text },
    argv: [PROJECT, '--client', client],
    exit: 0,
    json: [COMPLETE, ...rows],
  };
}

/** The other profiles, all of them together, and calls that are wrong. */
export const CLIENT_CASES: readonly ScopeCase[] = [
  one('codex', `${PROJECT}/.codex/config.toml`, TOML('t'), [server('t', 'codex:project', 'stdio')]),
  one('cursor', `${PROJECT}/.cursor/mcp.json`, json({ mcpServers: { c: REMOTE } }), [
    server('c', 'cursor:project', 'remote'),
  ]),
  one(
    'gemini-cli',
    `${HOME}/.gemini/settings.json`,
    `/* c */${json({ mcpServers: { g: { httpUrl: CANARIES.url } } })}`,
    [server('g', 'gemini-cli:user', 'remote')],
  ),
  one(
    'windsurf',
    `${HOME}/.codeium/windsurf/mcp_config.json`,
    json({ mcpServers: { w: { serverUrl: CANARIES.url } } }),
    [server('w', 'windsurf:user', 'remote')],
  ),
  one('zed', `${HOME}/.config/zed/settings.json`, `// c\n{"context_servers":{"z":${json(LOCAL)},},}`, [
    server('z', 'zed:user', 'stdio'),
  ]),
  one('junie', `${PROJECT}/.junie/mcp/mcp.json`, json({ mcpServers: { j: LOCAL } }), [
    server('j', 'junie:project', 'stdio'),
  ]),
  one(
    'claude-desktop',
    `${HOME}/.config/Claude/claude_desktop_config.json`,
    json({ mcpServers: { d: LOCAL } }),
    [server('d', 'claude-desktop:user', 'stdio')],
  ),
  one('copilot-cli', `${PROJECT}/.github/mcp.json`, json({ mcpServers: { g: LOCAL } }), [
    server('g', 'copilot-cli:project-github', 'stdio'),
  ]),
  one(
    'opencode',
    `${PROJECT}/opencode.jsonc`,
    json({ mcp: { o: { type: 'local', command: ['x', CANARIES.arg], environment: { A: CANARIES.env } } } }),
    [server('o', 'opencode:project-jsonc', 'stdio')],
  ),
  {
    id: 'codex-shadow-order',
    why: 'a project’s table may shadow the user’s of the same name',
    files: { [`${PROJECT}/.codex/config.toml`]: TOML('s'), [`${HOME}/.codex/config.toml`]: TOML('s') },
    argv: [PROJECT, '--client', 'codex'],
    exit: 0,
    json: [shadowed('s', 'codex:user', ['codex:project']), shadowed('s', 'codex:project', [])],
  },
  {
    id: 'codex-syntax',
    why: 'a broken TOML file is malformed, without words of the parser',
    files: { [`${PROJECT}/.codex/config.toml`]: `a = ${CANARIES.arg}` },
    argv: [PROJECT, '--client', 'codex'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('codex:project', 'malformed', 'syntax')],
  },
  {
    id: 'codex-table-twice',
    why: 'a table twice is refused',
    files: {
      [`${PROJECT}/.codex/config.toml`]: '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a]\ncommand = "y"\n',
    },
    argv: [PROJECT, '--client', 'codex'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('codex:project', 'malformed', 'syntax')],
  },
  {
    id: 'cursor-foreign-container',
    why: 'VS Code’s container in Cursor’s file is not read as Cursor’s',
    files: { [`${PROJECT}/.cursor/mcp.json`]: json({ servers: { hidden: LOCAL } }) },
    argv: [PROJECT, '--client', 'cursor'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('cursor:project', 'malformed', 'foreign-container')],
  },
  {
    id: 'all-clients',
    why: 'one call inventories every client, each row with its own, and the same file once for each that reads it',
    files: {
      [`${PROJECT}/.mcp.json`]: json({ mcpServers: { s: LOCAL } }),
      [`${PROJECT}/.codex/config.toml`]: TOML('t'),
    },
    argv: [PROJECT, '--client', 'all'],
    exit: 0,
    json: [
      COMPLETE,
      '"client":"all","platform"',
      server('s', 'claude-code:project', 'stdio'),
      server('s', 'vscode:copilot-project', 'stdio'),
      server('s', 'copilot-cli:project', 'stdio'),
      server('t', 'codex:project', 'stdio'),
    ],
  },
  {
    id: 'root-empty',
    why: 'an empty root is refused: whoever means the current directory says so',
    files: {},
    argv: [''],
    cwd: PROJECT,
    exit: 2,
  },
  {
    id: 'root-absent',
    why: 'a call without a root is refused',
    files: {},
    argv: [],
    cwd: PROJECT,
    exit: 2,
  },
  {
    id: 'root-current',
    why: 'the current directory is selected explicitly',
    files: { [`${PROJECT}/.mcp.json`]: json({ mcpServers: { s: LOCAL } }) },
    argv: ['.'],
    cwd: PROJECT,
    exit: 0,
    json: [server('s', 'claude-code:project', 'stdio'), `"canonicalPath":"${PROJECT}"`],
  },
  {
    id: 'root-missing',
    why: 'a directory that is not there is an invalid root',
    files: { [`${HOME}/.claude.json`]: json({ mcpServers: { hidden: LOCAL } }) },
    argv: ['/work/none'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, '"root":\\{"state":"missing"', '"sources":\\[\\]'],
    text: ['root state  missing'],
  },
  {
    id: 'root-file',
    why: 'a file is an invalid root',
    files: { '/work/file': 'x' },
    argv: ['/work/file'],
    exit: 1,
    json: [INCOMPLETE, '"root":\\{"state":"not-directory"'],
  },
  ...[null, '', 'relative'].map(
    (home, index): ScopeCase => ({
      id: `home-${['absent', 'empty', 'relative'][index] ?? ''}`,
      why: 'a home that is not known leaves its candidates unreadable, without words of the operating system',
      files: { [`${PROJECT}/.mcp.json`]: json({ mcpServers: { s: LOCAL } }) },
      env: { HOME: home },
      exit: 1,
      json: [
        INCOMPLETE,
        server('s', 'claude-code:project', 'stdio'),
        source('claude-code:user', 'unreadable', 'home-unknown'),
      ],
    }),
  ),
  {
    id: 'all-overrides',
    why: 'no variable that moves a client’s files elsewhere is followed',
    files: {
      '/work/moved/.claude.json': json({ mcpServers: { hidden: LOCAL } }),
      '/work/moved/Code/User/mcp.json': json({ servers: { hidden: LOCAL } }),
      '/work/moved/mcp-config.json': json({ mcpServers: { hidden: LOCAL } }),
      '/work/moved/config.toml': TOML('hidden'),
      '/work/moved/zed/settings.json': json({ context_servers: { hidden: LOCAL } }),
      '/work/moved/opencode/opencode.json': json({ mcp: { servers: { hidden: { command: ['x'] } } } }),
    },
    argv: [PROJECT, '--client', 'all'],
    env: {
      APPDATA: '/work/moved',
      CLAUDE_CONFIG_DIR: '/work/moved',
      CODEX_HOME: '/work/moved',
      COPILOT_HOME: '/work/moved',
      OPENCODE_CONFIG: '/work/moved/opencode/opencode.json',
      XDG_CONFIG_HOME: '/work/moved',
    },
    exit: 0,
    json: [COMPLETE, NO_SERVERS, 'environment overrides such as CLAUDE_CONFIG_DIR are not followed'],
    noJson: ['/work/moved', 'hidden'],
  },
  {
    id: 'opencode-second-version',
    why: 'since its second version the servers of opencode are one level further down',
    files: {
      [`${PROJECT}/.opencode/opencode.json`]: json({
        mcp: { servers: { o: { command: ['x', CANARIES.arg] } } },
      }),
    },
    argv: [PROJECT, '--client', 'opencode'],
    exit: 0,
    json: [COMPLETE, '"container":"mcp.servers"', server('o', 'opencode:project-folder', 'stdio')],
    noJson: ['"name":"servers"'],
  },
  {
    id: 'opencode-mixed-versions',
    why: 'servers of both versions in one file are not chosen from',
    files: {
      [`${PROJECT}/opencode.json`]: json({
        mcp: { hidden: { command: ['x'] }, servers: { secret: { command: ['y'] } } },
      }),
    },
    argv: [PROJECT, '--client', 'opencode'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('opencode:project', 'malformed', 'mixed-containers')],
  },
  {
    id: 'codex-prototype-name',
    why: 'in TOML too a name of the prototype is a name',
    files: { [`${PROJECT}/.codex/config.toml`]: TOML('__proto__') },
    argv: [PROJECT, '--client', 'codex'],
    exit: 0,
    json: [server('__proto__', 'codex:project', 'stdio')],
  },
  {
    id: 'root-unreadable-name',
    why: 'a directory whose link leads to itself is an invalid root',
    files: { '/work/loop': { link: '/work/loop' } },
    argv: ['/work/loop'],
    exit: 1,
    json: [INCOMPLETE, '"root":\\{"state":"unreadable"'],
  },
  {
    id: 'root-link-dangling',
    why: 'a link to nowhere is an invalid root',
    files: { '/work/nowhere': { link: '/work/none' } },
    argv: ['/work/nowhere'],
    exit: 1,
    json: [INCOMPLETE, '"root":\\{"state":"missing"'],
  },
  ...['emacs', 'Claude-Code', 'constructor', ''].map(
    (client, index): ScopeCase => ({
      id: `client-unknown-${['name', 'case', 'prototype', 'empty'][index] ?? ''}`,
      why: 'an unknown client is refused and never replaced by the default',
      files: { [`${PROJECT}/.mcp.json`]: json({ mcpServers: { s: LOCAL } }) },
      argv: [PROJECT, '--client', client],
      exit: 2,
    }),
  ),
];
