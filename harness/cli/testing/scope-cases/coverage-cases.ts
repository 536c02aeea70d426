import { SERVER_PATH } from './drivers.ts';
import { CANARIES, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import { COMPLETE, INCOMPLETE, instruction, json, LOCAL, NO_SERVERS, server, source } from './words.ts';

const OWN = `${PROJECT}/.mcp.json`;
const HIDDEN = json({ mcpServers: { hidden: LOCAL } });
const RUN = `${CANARIES.command} ${SERVER_PATH}`;
const INSTRUCTIONS = [
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  '.claude/AGENTS.md',
] as const;

const said = (client: string, ...limits: readonly string[]): readonly string[] =>
  limits.map((limit) => `\\{"client":"${client}","limit":"[^"]*${limit}`);

/** What is looked at, what is not, and that every report says so. */
export const COVERAGE_CASES: readonly ScopeCase[] = [
  {
    id: 'claude-no-discovery',
    why: 'nothing above, below or beside the fixed places is read, and no hook or helper is started',
    files: {
      '/work/.mcp.json': HIDDEN,
      [`${PROJECT}/packages/a/.mcp.json`]: HIDDEN,
      [`${PROJECT}/.claude.json`]: HIDDEN,
      [`${PROJECT}/.claude/mcp.json`]: HIDDEN,
      [`${HOME}/.mcp.json`]: HIDDEN,
      [`${HOME}/.claude/.claude.json`]: HIDDEN,
      [`${HOME}/.claude/settings.json`]: json({
        apiKeyHelper: RUN,
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: RUN }] }] },
      }),
      [`${PROJECT}/.git/HEAD`]: 'ref: refs/heads/main\n',
      [`${PROJECT}/.git/config`]: `[core]\n\tfsmonitor = ${RUN}\n[credential]\n\thelper = !${RUN}\n`,
    },
    exit: 0,
    json: [COMPLETE, NO_SERVERS],
    noJson: ['hidden', 'packages', '\\.git'],
  },
  {
    id: 'claude-instruction-places',
    why: 'every name is asked for at the root and in every folder up to the top, and once for the user and the system',
    files: Object.fromEntries([
      ...INSTRUCTIONS.map((name) => [`${PROJECT}/${name}`, CANARIES.instruction]),
      ...INSTRUCTIONS.map((name) => [`/work/${name}`, CANARIES.instruction]),
    ]),
    exit: 0,
    json: INSTRUCTIONS.flatMap((name) => [
      instruction(`/project/${name}`, 'present'),
      `"scope":"ancestor","path":"/work/${name}","state":"present","applicability":"unknown"`,
      `"scope":"ancestor","path":"/${name}","state":"missing"`,
    ]).concat(
      `"scope":"user","path":"${HOME}/.claude/CLAUDE.md","state":"missing"`,
      '"scope":"managed","path":"/etc/claude-code/CLAUDE.md","state":"missing"',
    ),
    noJson: ['"applicability":"[^u]'],
  },
  {
    id: 'claude-instruction-fifo',
    why: 'an instruction file is never opened: a FIFO without a writer does not hold it up',
    files: { [`${PROJECT}/CLAUDE.md`]: { fifo: true } },
    exit: 1,
    json: [INCOMPLETE, instruction('/project/CLAUDE.md', 'not-file')],
  },
  {
    id: 'claude-limits',
    why: 'what Claude Code may read beyond the candidates is said, and incomplete for it nothing is',
    files: {},
    exit: 0,
    json: [
      COMPLETE,
      ...said(
        'claude-code',
        'rules, nested and on-demand instructions and imports',
        'additional workspace roots',
        'settings, approvals, allow and deny lists',
        'plugins and connectors',
        'CLAUDE_CONFIG_DIR',
        'session flags',
        'remote and registry policy',
        'only the canonical root and its explicit absolute spelling',
        'the Code tab of the desktop application',
      ),
    ],
    text: ['a snapshot, not an atomic view\\n$', 'claude-code: session flags are not known'],
  },
  {
    id: 'vscode-limits',
    why: 'what VS Code may read beyond the candidates is said, and incomplete for it nothing is',
    files: {},
    argv: [PROJECT, '--client', 'vscode'],
    exit: 0,
    json: [
      COMPLETE,
      ...said(
        'vscode',
        'the user profile is the default candidate',
        'named profiles, Insiders, portable installations and alternate user-data folders',
        'remote locations and the overrides COPILOT_HOME and XDG_CONFIG_HOME',
        '\\.code-workspace settings, additional folders and URIs and developer containers',
        'forwarding of eligible servers',
        'profile instructions, recursive \\*\\.instructions\\.md, rules, nested files, custom locations and imports',
        'the override CODEX_HOME',
      ),
    ],
  },
  {
    id: 'claude-facts',
    why: 'every place says where its fact was read, and when',
    files: { [OWN]: json({ mcpServers: {} }) },
    exit: 0,
    json: [
      `${source('claude-code:project', 'present')}"serverCount":0,"uninterpretedRootFields":false,"fact":\\{"source":"https://[^"]+","checkedAt":"\\d{4}-\\d\\d-\\d\\d"\\}\\}`,
      '"applicability":"unknown","fact":\\{"source":"https://',
    ],
    noJson: ['"uninterpretedRootFields":[^,]*\\}', '"applicability":"unknown"\\}'],
  },
  {
    id: 'claude-root-fields-unknown',
    why: 'whether a file that cannot be parsed has other root fields is unknown',
    files: { [OWN]: '{"mcpServers":{},' },
    exit: 1,
    json: [
      `${source('claude-code:project', 'malformed', 'syntax')}"serverCount":0,"uninterpretedRootFields":"unknown"`,
      `${source('claude-code:user', 'missing')}"serverCount":0,"uninterpretedRootFields":"unknown"`,
    ],
  },
  {
    id: 'all-same-file',
    why: 'one file is read by each client by that client’s rules',
    files: { [OWN]: `// comment\n${json({ mcpServers: { s: LOCAL } })}` },
    argv: [PROJECT, '--client', 'all'],
    exit: 1,
    json: [
      source('claude-code:project', 'malformed', 'syntax'),
      source('vscode:copilot-project', 'present'),
      source('copilot-cli:project', 'malformed', 'syntax'),
      server('s', 'vscode:copilot-project', 'stdio'),
    ],
    noJson: [server('s', 'claude-code:project', 'stdio')],
  },
  {
    id: 'gemini-cli-trailing-comma',
    why: 'a client whose files have comments need not allow trailing commas',
    files: { [`${PROJECT}/.gemini/settings.json`]: '{"mcpServers":{"hidden":{"command":"x"},}}' },
    argv: [PROJECT, '--client', 'gemini-cli'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('gemini-cli:project', 'malformed', 'syntax')],
  },
  {
    id: 'claude-env-number',
    why: 'a number is a value of an environment only where the client says so',
    files: { [OWN]: json({ mcpServers: { a: { command: 'x', env: { A: 1 } } } }) },
    exit: 1,
    json: [server('a', 'claude-code:project', 'malformed', 'unknown')],
  },
  {
    id: 'home-link',
    why: 'a home directory behind a link is not followed either',
    files: { '/work/home': { link: HOME }, [`${HOME}/.claude.json`]: HIDDEN },
    env: { HOME: '/work/home' },
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('claude-code:user', 'symlink-skipped')],
    noJson: ['hidden'],
  },
];
