// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the clients are what is tried
import { CANARIES, HOME, PROJECT, type ScopeCase } from './scope-case.ts';
import {
  ALL_UNKNOWN,
  COMPLETE,
  INCOMPLETE,
  instruction,
  json,
  LOCAL,
  NO_SERVERS,
  REMOTE,
  server,
  shadowed,
  source,
} from './words.ts';

const USER = `${HOME}/.claude.json`;
const OWN = `${PROJECT}/.mcp.json`;
const LINKED = '/work/alias';

const wrap = (servers: unknown): string => json({ mcpServers: servers });

/** The default profile. */
export const CLAUDE_CASES: readonly ScopeCase[] = [
  {
    id: 'claude-empty',
    why: 'a world without files is inventoried and known as little as any other',
    files: {},
    exit: 0,
    json: [COMPLETE, NO_SERVERS, ALL_UNKNOWN, source('claude-code:project', 'missing')],
    text: ['inventory   complete', 'none declared', 'unknown     host version'],
  },
  {
    id: 'claude-all-origins',
    why: 'local, project and user declarations are listed by name, scope and shape',
    files: {
      [USER]: json({
        [CANARIES.rootField]: 1,
        mcpServers: { u: LOCAL },
        projects: { [PROJECT]: { mcpServers: { l: REMOTE } } },
      }),
      [OWN]: wrap({ p: LOCAL }),
    },
    exit: 0,
    json: [
      COMPLETE,
      server('l', 'claude-code:local', 'remote'),
      server('p', 'claude-code:project', 'stdio'),
      server('u', 'claude-code:user', 'stdio'),
      source('claude-code:managed', 'missing'),
    ],
    text: [
      '"l"  claude-code:local  remote',
      '"p"  claude-code:project  stdio',
      '"u"  claude-code:user  stdio',
    ],
  },
  {
    id: 'claude-default-client',
    why: 'without a client the report is that of Claude Code',
    files: { [OWN]: wrap({ p: LOCAL }) },
    exit: 0,
    json: ['"client":"claude-code"', server('p', 'claude-code:project', 'stdio')],
  },
  {
    id: 'claude-explicit-client',
    why: 'naming the default client changes nothing',
    files: { [OWN]: wrap({ p: LOCAL }) },
    argv: [PROJECT, '--client', 'claude-code'],
    exit: 0,
    sameAs: 'claude-default-client',
    json: ['"client":"claude-code"', server('p', 'claude-code:project', 'stdio')],
  },
  {
    id: 'claude-shadow-order',
    why: 'a name is possibly shadowed by local, then project, and by nothing weaker',
    files: {
      [USER]: json({ mcpServers: { s: LOCAL }, projects: { [PROJECT]: { mcpServers: { s: LOCAL } } } }),
      [OWN]: wrap({ s: LOCAL }),
    },
    exit: 0,
    json: [
      shadowed('s', 'claude-code:local', []),
      shadowed('s', 'claude-code:project', ['claude-code:local']),
      shadowed('s', 'claude-code:user', ['claude-code:local', 'claude-code:project']),
    ],
    text: [
      'claude-code:user  stdio  guard form: none  possibly shadowed by claude-code:local, claude-code:project',
    ],
  },
  {
    id: 'claude-alias-spelling',
    why: 'the record under the spelling that the user gave is found through the link',
    files: {
      [LINKED]: { link: PROJECT },
      [USER]: json({ projects: { [LINKED]: { mcpServers: { l: LOCAL } } } }),
    },
    argv: [LINKED],
    exit: 0,
    json: [server('l', 'claude-code:local', 'stdio'), `"canonicalPath":"${PROJECT}"`],
  },
  {
    id: 'claude-ambiguous-project',
    why: 'records under both spellings are ambiguous and never merged',
    files: {
      [LINKED]: { link: PROJECT },
      [USER]: json({
        projects: { [PROJECT]: { mcpServers: { a: LOCAL } }, [LINKED]: { mcpServers: { b: LOCAL } } },
      }),
    },
    argv: [LINKED],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('claude-code:local', 'malformed', 'ambiguous-project-key')],
  },
  {
    id: 'claude-other-project-keys',
    why: 'no other key of the projects is looked up, however alike',
    files: {
      [USER]: json({
        projects: { [`${PROJECT}/`]: { mcpServers: { a: LOCAL } }, '/work': { mcpServers: { b: LOCAL } } },
      }),
    },
    exit: 0,
    json: [COMPLETE, NO_SERVERS],
  },
  {
    id: 'claude-local-not-object',
    why: 'a record of the wrong kind is malformed and the user’s servers stay visible',
    files: { [USER]: json({ mcpServers: { u: LOCAL }, projects: { [PROJECT]: [] } }) },
    exit: 1,
    json: [
      source('claude-code:local', 'malformed', 'container-not-object'),
      source('claude-code:user', 'present'),
      server('u', 'claude-code:user', 'stdio'),
    ],
  },
  {
    id: 'claude-malformed-entry',
    why: 'a declaration of the wrong shape is visible by name beside its neighbour',
    files: { [OWN]: wrap({ bad: { command: 1, secret: CANARIES.arg }, good: LOCAL }) },
    exit: 1,
    json: [
      server('bad', 'claude-code:project', 'malformed', 'unknown'),
      server('good', 'claude-code:project', 'stdio'),
      source('claude-code:project', 'malformed', 'entry-malformed'),
    ],
    text: ['"bad"  claude-code:project  malformed', 'inventory   INCOMPLETE'],
  },
  {
    id: 'claude-shapes',
    why: 'both transports, neither and both at once are told apart',
    files: { [OWN]: wrap({ a: LOCAL, b: REMOTE, c: {}, d: { ...LOCAL, url: REMOTE.url } }) },
    exit: 0,
    json: [
      server('a', 'claude-code:project', 'stdio'),
      server('b', 'claude-code:project', 'remote'),
      server('c', 'claude-code:project', 'unknown', 'unknown'),
      server('d', 'claude-code:project', 'mixed', 'unknown'),
    ],
  },
  {
    id: 'claude-placeholder-name',
    why: 'a placeholder is not expanded, not even where it is shown: in a name',
    files: { [OWN]: wrap({ '${PLACEHOLDER}': LOCAL }) },
    exit: 0,
    json: [server('${PLACEHOLDER}', 'claude-code:project', 'stdio')],
    text: ['"\\$\\{PLACEHOLDER\\}"'],
  },
  {
    id: 'claude-prototype-names',
    why: 'names of the prototype are names, and no container is found through it',
    files: {
      [OWN]: '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"x"}}}',
      [USER]: '{"__proto__":{"mcpServers":{"inherited":{"command":"x"}}}}',
    },
    exit: 0,
    json: [
      server('__proto__', 'claude-code:project', 'stdio'),
      server('constructor', 'claude-code:project', 'stdio'),
    ],
    noJson: ['inherited'],
  },
  {
    id: 'claude-hostile-names',
    why: 'names that act on a terminal are escaped for people and kept in the document',
    files: { [OWN]: wrap({ '\u001b[2Jx\r\n\u202ey\u009bz': LOCAL }) },
    exit: 0,
    json: ['"name":"\\\\u001b\\[2Jx\\\\r\\\\n\\\\u202ey\\\\u009bz"'],
    text: ['"\\\\u\\{1b\\}\\[2Jx\\\\u\\{d\\}\\\\u\\{a\\}\\\\u\\{202e\\}y\\\\u\\{9b\\}z"'],
  },
  {
    id: 'claude-pretending-names',
    why: 'no name pretends to be another row, an escape or a command to a build system, nor hides in a log',
    files: { [OWN]: wrap({ 'x"  claude-code:local': LOCAL, '##vso[x]y': LOCAL, 'z\u3164\ue000': LOCAL }) },
    exit: 0,
    json: ['"name":"\\\\u0023#vso\\[x\\]y"', '"name":"z\\\\u3164\\\\ue000"'],
    noJson: ['##'],
    text: [
      '"x\\\\u\\{22\\}  claude-code:local"',
      '"\\\\u\\{23\\}#vso\\[x\\]y"',
      '"z\\\\u\\{3164\\}\\\\u\\{e000\\}"',
    ],
    noText: ['##'],
  },
  {
    id: 'claude-instructions',
    why: 'instruction files are there by path and state, at the root, above it and at the user',
    files: {
      [`${PROJECT}/CLAUDE.md`]: CANARIES.instruction,
      [`${PROJECT}/.claude/AGENTS.md`]: CANARIES.instruction,
      '/work/AGENTS.md': CANARIES.instruction,
      [`${HOME}/.claude/CLAUDE.md`]: CANARIES.instruction,
    },
    exit: 0,
    json: [
      instruction('/project/CLAUDE.md', 'present'),
      instruction('/project/.claude/AGENTS.md', 'present'),
      instruction('/work/AGENTS.md', 'present'),
      instruction('/.claude/CLAUDE.md', 'present'),
      instruction('/project/CLAUDE.local.md', 'missing'),
      '"scope":"ancestor"',
    ],
    text: ['present         claude-code:root  [^\\n]*/project/CLAUDE.md'],
  },
  {
    id: 'claude-instruction-link',
    why: 'an instruction file behind a link is skipped and leaves the inventory incomplete',
    files: {
      [`${PROJECT}/AGENTS.md`]: CANARIES.instruction,
      [`${PROJECT}/CLAUDE.md`]: { link: 'AGENTS.md' },
    },
    exit: 1,
    json: [
      INCOMPLETE,
      instruction('/project/CLAUDE.md', 'symlink-skipped'),
      instruction('/project/AGENTS.md', 'present'),
    ],
  },
  {
    id: 'claude-instruction-denied',
    why: 'an instruction file that may not be read is said to be so',
    files: { [`${PROJECT}/CLAUDE.md`]: { mode: '0000', text: CANARIES.instruction } },
    exit: 1,
    json: [INCOMPLETE, instruction('/project/CLAUDE.md', 'unreadable')],
  },
  {
    id: 'claude-explain',
    why: 'each row says in words why it has its state',
    files: { [OWN]: '{' },
    argv: [PROJECT, '--explain'],
    exit: 1,
    json: [
      '"explanation":"the file was read, but does not say what this source should: it breaks the syntax of its format"',
    ],
    text: ['it breaks the syntax of its format', 'no file is there'],
  },
];
