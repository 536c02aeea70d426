import { CANARIES, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import {
  ALL_UNKNOWN,
  COMPLETE,
  GUARD_ARGS,
  INCOMPLETE,
  instruction,
  json,
  LOCAL,
  NO_SERVERS,
  REMOTE,
  server,
  source,
} from './words.ts';

const WORKSPACE = `${PROJECT}/.vscode/mcp.json`;
const PORTABLE = `${PROJECT}/.mcp.json`;
const USER = `${HOME}/.config/Code/User/mcp.json`;
const COPILOT = `${HOME}/.copilot/mcp-config.json`;
const argv = [PROJECT, '--client', 'vscode'];

/** The profile of VS Code with its four origins. */
export const VSCODE_CASES: readonly ScopeCase[] = [
  {
    id: 'vscode-all-origins',
    why: 'four origins are listed, each with its own format, container and parser',
    files: {
      [WORKSPACE]: `// comment\n${json({ inputs: [CANARIES.rootField], servers: { a: LOCAL } })}`,
      [PORTABLE]: `\ufeff{"mcpServers":{"b":${json(REMOTE)},},}`,
      [USER]: json({ servers: { c: LOCAL } }),
      [COPILOT]: json({ mcpServers: { d: REMOTE } }),
    },
    argv,
    exit: 0,
    json: [
      COMPLETE,
      ALL_UNKNOWN,
      '"client":"vscode","platform"',
      server('a', 'vscode:vscode-project', 'stdio'),
      server('b', 'vscode:copilot-project', 'remote'),
      server('c', 'vscode:vscode-user', 'stdio'),
      server('d', 'vscode:copilot-user', 'remote'),
      '"format":"vscode-servers","parser":"jsonc","container":"servers"',
      '"format":"portable-mcp-servers","parser":"json","container":"mcpServers"',
    ],
    text: ['"a"  vscode:vscode-project  stdio', '"d"  vscode:copilot-user  remote'],
  },
  ...[
    '{"mcpServers":{"hidden":{"command":"x"}},}',
    '{"mcpServers":{"hidden":{"command":"x"}}} // c',
    '\ufeff{"mcpServers":{}}',
  ].map(
    (text, index): ScopeCase => ({
      id: `vscode-strict-user-json-${['comma', 'comment', 'mark'][index] ?? ''}`,
      why: 'the user’s portable file is strict JSON',
      files: { [COPILOT]: text },
      argv,
      exit: 1,
      json: [
        INCOMPLETE,
        NO_SERVERS,
        source('vscode:copilot-user', 'malformed', index === 2 ? 'byte-order-mark' : 'syntax'),
      ],
    }),
  ),
  {
    id: 'vscode-jsonc-duplicate',
    why: 'comments do not make two keys of one name into one',
    files: { [WORKSPACE]: '{"servers":{"hidden":{"command":"x"},/* */"hidden":{"command":"y"},}}' },
    argv,
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('vscode:vscode-project', 'malformed', 'duplicate-key')],
  },
  {
    id: 'vscode-bare-map',
    why: 'a bare map of servers is read, each key for itself',
    files: { [PORTABLE]: json({ a: LOCAL, b: REMOTE }) },
    argv,
    exit: 0,
    json: [
      COMPLETE,
      '"container":"bare-map"',
      server('a', 'vscode:copilot-project', 'stdio'),
      server('b', 'vscode:copilot-project', 'remote'),
    ],
  },
  {
    id: 'vscode-bare-map-malformed-neighbour',
    why: 'in a bare map a malformed server named servers hides nothing and is not taken for a container',
    files: { [PORTABLE]: json({ servers: 1, good: LOCAL }) },
    argv,
    exit: 1,
    json: [
      INCOMPLETE,
      source('vscode:copilot-project', 'malformed', 'entry-malformed'),
      server('servers', 'vscode:copilot-project', 'malformed', 'unknown'),
      server('good', 'vscode:copilot-project', 'stdio'),
    ],
  },
  ...[1, null, []].map(
    (value, index): ScopeCase => ({
      id: `vscode-invalid-wrapper-${['number', 'null', 'list'][index] ?? ''}`,
      why: 'an own wrapper always selects the wrapped reading, and an invalid one is not guessed to be a server',
      files: { [PORTABLE]: json({ mcpServers: value, hidden: LOCAL }) },
      argv,
      exit: 1,
      json: [INCOMPLETE, NO_SERVERS, source('vscode:copilot-project', 'malformed', 'container-not-object')],
      noJson: ['hidden'],
    }),
  ),
  {
    id: 'vscode-inherited-wrapper',
    why: 'a wrapper that lies in the prototype is none',
    files: { [PORTABLE]: '{"__proto__":{"mcpServers":{"hidden":{"command":"x"}}}}' },
    argv,
    exit: 0,
    json: [server('__proto__', 'vscode:copilot-project', 'unknown', 'unknown')],
    noJson: ['hidden'],
  },
  {
    id: 'vscode-mixed-containers',
    why: 'two containers in one file leave it incomplete, and other files visible',
    files: {
      [WORKSPACE]: json({ servers: { hidden: LOCAL }, mcpServers: {} }),
      [USER]: json({ servers: { seen: LOCAL } }),
    },
    argv,
    exit: 1,
    json: [
      INCOMPLETE,
      source('vscode:vscode-project', 'malformed', 'mixed-containers'),
      server('seen', 'vscode:vscode-user', 'stdio'),
    ],
    noJson: ['hidden'],
  },
  {
    id: 'vscode-foreign-container',
    why: 'another client’s container instead of the own one is not read for it',
    files: { [WORKSPACE]: json({ mcpServers: { hidden: LOCAL } }) },
    argv,
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('vscode:vscode-project', 'malformed', 'foreign-container')],
  },
  {
    id: 'vscode-same-name',
    why: 'one name in two origins is observed, and no order claimed',
    files: { [WORKSPACE]: json({ servers: { s: LOCAL } }), [PORTABLE]: json({ mcpServers: { s: LOCAL } }) },
    argv,
    exit: 0,
    json: [
      '"possibleShadowedBy":null,"sameNameIn":\\["vscode:copilot-project"\\]',
      '"possibleShadowedBy":null,"sameNameIn":\\["vscode:vscode-project"\\]',
    ],
    noJson: ['"possibleShadowedBy":\\['],
    text: ['same name in vscode:copilot-project'],
    noText: ['possibly shadowed'],
  },
  {
    id: 'vscode-env-numbers',
    why: 'numbers and null are values of an environment here, and beyond the form of the guard',
    files: {
      [WORKSPACE]: json({
        servers: { a: { command: 'mcpm', args: GUARD_ARGS, env: { A: 1, B: null, C: CANARIES.env } } },
      }),
    },
    argv,
    exit: 0,
    json: [server('a', 'vscode:vscode-project', 'stdio', 'unknown')],
  },
  {
    id: 'vscode-env-not-finite',
    why: 'a number that is not finite is no value of an environment',
    files: { [WORKSPACE]: '{"servers":{"a":{"command":"x","env":{"A":1e999}}}}' },
    argv,
    exit: 1,
    json: [server('a', 'vscode:vscode-project', 'malformed', 'unknown')],
  },
  {
    id: 'vscode-uninterpreted-fields',
    why: 'supported fields that nobody looked into are unknown, not refused, and not named',
    files: {
      [WORKSPACE]: json({ servers: { a: { ...LOCAL, sandboxEnabled: true, [CANARIES.rootField]: {} } } }),
    },
    argv,
    exit: 0,
    json: [
      `${server('a', 'vscode:vscode-project', 'stdio')},"guardIdentity":"not-applicable","uninterpretedFields":true`,
    ],
    noJson: ['sandboxEnabled'],
  },
  {
    id: 'vscode-instructions',
    why: 'the instruction candidates of this profile are its own',
    files: {
      [`${PROJECT}/.github/copilot-instructions.md`]: CANARIES.instruction,
      [`${HOME}/.copilot/copilot-instructions.md`]: CANARIES.instruction,
      [`${HOME}/.codex/AGENTS.md`]: CANARIES.instruction,
    },
    argv,
    exit: 0,
    json: [
      instruction('/project/.github/copilot-instructions.md', 'present'),
      instruction('/.copilot/copilot-instructions.md', 'present'),
      instruction('/.codex/AGENTS.md', 'present'),
    ],
    noJson: ['CLAUDE\\.local\\.md'],
  },
];
