import { CANARIES, PROJECT, type ScopeCase } from './scope-case.ts';
import { INCOMPLETE, json, LOCAL, quote, source } from './words.ts';

const MARKS = json({ context_servers: { hidden: { command: ':'.repeat(150_000) } } });

/** Pattern of a source row with its state in words. */
function explained(id: string, state: string, problem: string | null, words: string): string {
  return `${source(id, state, problem)}[^{}]*"fact":\\{[^{}]*\\},"explanation":"${quote(words)}`;
}

/** How the result is said. */
export const OUTPUT_CASES: readonly ScopeCase[] = [
  {
    id: 'help',
    why: 'the help says that the result is a snapshot, and what is never done',
    files: {},
    argv: ['--help'],
    exit: 0,
    output: 'help',
    json: ['a snapshot, not an atomic view'],
    text: [
      'a snapshot, not an atomic view',
      'Starts no client, command or\\s+server, writes nothing, and never shows commands',
    ],
  },
  {
    id: 'root-hostile-path',
    why: 'a path that acts on a terminal is escaped for people and kept in the document',
    files: {},
    argv: ['/work/none\u001b[2J\r\n\u202e##vso[x]'],
    exit: 1,
    json: ['"path":"/work/none\\\\u001b\\[2J\\\\r\\\\n\\\\u202e\\\\u0023#vso\\[x\\]"'],
    text: [
      'root        /work/none\\\\u\\{1b\\}\\[2J\\\\u\\{d\\}\\\\u\\{a\\}\\\\u\\{202e\\}\\\\u\\{23\\}#vso\\[x\\]\\n',
    ],
  },
  {
    id: 'all-explain-states',
    why: 'each state of a source and of an instruction file is explained in its own words',
    files: {
      '/work/elsewhere.json': json({ servers: { hidden: LOCAL } }),
      [`${PROJECT}/.vscode/mcp.json`]: { link: '/work/elsewhere.json' },
      [`${PROJECT}/.cursor/mcp.json`]: { folder: '0755' },
      [`${PROJECT}/.gemini/settings.json`]: '{',
      [`${PROJECT}/.junie/mcp/mcp.json`]: { mode: '0000', text: json({ mcpServers: { hidden: LOCAL } }) },
      [`${PROJECT}/.zed/settings.json`]: MARKS,
      [`${PROJECT}/.codex/config.toml`]: '',
      [`${PROJECT}/CLAUDE.md`]: CANARIES.instruction,
    },
    argv: [PROJECT, '--client', 'all', '--explain'],
    exit: 1,
    json: [
      INCOMPLETE,
      '"explanation":"the directory is there',
      explained('claude-code:project', 'missing', null, 'no file is there"'),
      explained(
        'vscode:vscode-project',
        'symlink-skipped',
        null,
        'the file or a folder above it is a symbolic link',
      ),
      explained('cursor:project', 'not-file', null, 'what is there is not a regular file"'),
      explained(
        'gemini-cli:project',
        'malformed',
        'syntax',
        'the file was read, but does not say what this source should: it breaks the syntax',
      ),
      explained(
        'junie:project',
        'unreadable',
        null,
        'something is there or may be there, but it could not be read"',
      ),
      explained(
        'zed:project',
        'too-large',
        'too-many-values',
        'there is more than is taken: the file has more values than any real one"',
      ),
      explained(
        'codex:project',
        'present',
        null,
        'the file was read and interpreted as far as this inventory goes; it has no place for servers of this origin"',
      ),
      'its text was not read and whether it applies is unknown',
    ],
    noJson: ['hidden'],
    text: ['no file is there', 'links are not followed', 'there is more than is taken'],
  },
];
