import { CANARIES, PROJECT, type ScopeCase } from './scope-case.ts';
import { ALL_UNKNOWN, GUARD_ARGS, json, server } from './words.ts';

const OWN = `${PROJECT}/.mcp.json`;

const wrap = (servers: unknown): string => json({ mcpServers: servers });

const HEAD = ['guard', 'run', '--inner', '--server-name', 'a'];
const TAIL = ['--', 'tool', CANARIES.arg];

/** Command lines with the mark of a guard that break its grammar in one place each. */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  'unknown-flag': [...HEAD, '--elsewhere', 'x', ...TAIL],
  'name-not-first': ['guard', 'run', '--inner', '--declared-env', 'A', '--server-name', 'a', ...TAIL],
  'upper-case-hash': [...HEAD, '--confine-profile-hash', 'A'.repeat(64), ...TAIL],
  'nothing-wrapped': [...HEAD, '--'],
  'no-end': HEAD,
  'required-alone': [...HEAD, '--confine-required', ...TAIL],
  'mark-further-on': ['x', 'y', ...HEAD, ...TAIL],
};

const WHOLE = [
  ...HEAD,
  '--orig-hash',
  '0'.repeat(64),
  '--declared-env',
  'A,B',
  '--confine-profile-hash',
  'a'.repeat(64),
  '--confine-required',
  ...TAIL,
];

/** The form of a guard, read off the command line and no further. */
export const GUARD_CASES: readonly ScopeCase[] = [
  {
    id: 'claude-guard-launcher',
    why: 'the form of the launcher is recognised, its identity and effect are not claimed',
    files: { [OWN]: wrap({ a: { command: 'mcpm', args: GUARD_ARGS } }) },
    exit: 0,
    json: [
      `${server('a', 'claude-code:project', 'stdio', 'launcher')},"guardIdentity":"unknown"`,
      ALL_UNKNOWN,
    ],
  },
  {
    id: 'claude-guard-script',
    why: 'the form of the script is recognised without looking at the script',
    files: {
      [OWN]: wrap({ a: { command: '/usr/local/bin/node', args: ['/opt/x/dist/index.js', ...GUARD_ARGS] } }),
    },
    exit: 0,
    json: [`${server('a', 'claude-code:project', 'stdio', 'node-script')},"guardIdentity":"unknown"`],
  },
  {
    id: 'claude-guard-mark-only',
    why: 'another command with the mark of a guard is none',
    files: {
      [OWN]: wrap({
        a: { command: 'echo', args: GUARD_ARGS },
        b: { command: 'mcpm', args: ['guard', 'run', '--inner'] },
      }),
    },
    exit: 0,
    json: [
      server('a', 'claude-code:project', 'stdio', 'unknown'),
      server('b', 'claude-code:project', 'stdio', 'malformed'),
    ],
    noJson: ['"guardForm":"launcher"'],
  },
  {
    id: 'claude-guard-grammar',
    why: 'a mark whose flags break the grammar is malformed, and flags in another order do not',
    files: {
      [OWN]: wrap({
        ...Object.fromEntries(
          Object.entries(BROKEN).map(([name, args]) => [name, { command: 'mcpm', args }]),
        ),
        whole: { command: 'mcpm', args: WHOLE },
      }),
    },
    exit: 0,
    json: [
      ...Object.keys(BROKEN).map((name) => server(name, 'claude-code:project', 'stdio', 'malformed')),
      server('whole', 'claude-code:project', 'stdio', 'launcher'),
    ],
  },
];
