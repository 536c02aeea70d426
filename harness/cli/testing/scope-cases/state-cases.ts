import { CANARIES, HOME, type Laid, PROJECT, type ScopeCase } from './scope-case.ts';
import { COMPLETE, INCOMPLETE, json, LOCAL, NO_SERVERS, server, source } from './words.ts';

const OWN = `${PROJECT}/.mcp.json`;
const MEBIBYTE = 1024 * 1024;
const HIDDEN = '{"mcpServers":{"hidden":{"command":"x"}}}';
const SEEN = '{"mcpServers":{"seen":{"command":"x"}}}';
const GOOD = json({ mcpServers: { hidden: LOCAL } });

/** What parsers and operating systems say, and nobody else. */
const FOREIGN_WORDS =
  'E(ACCES|LOOP|NOENT|ISDIR|NXIO)|[Pp]ermission|SyntaxError|Unexpected|at position|end of JSON';

function state(id: string, why: string, laid: Laid, expected: readonly [string, string | null]): ScopeCase {
  return {
    id: `state-${id}`,
    why,
    files: { [OWN]: laid },
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('claude-code:project', ...expected)],
    noJson: ['hidden', FOREIGN_WORDS],
    noText: [FOREIGN_WORDS],
    text: [`${expected[0].padEnd(15)} claude-code:project`],
  };
}

/** One state of a source each, on the project file of the default profile. */
export const STATE_CASES: readonly ScopeCase[] = [
  state(
    'syntax',
    'a broken file is malformed, without words of the parser',
    `{"mcpServers": ${CANARIES.arg}`,
    ['malformed', 'syntax'],
  ),
  state('comment', 'comments are no JSON', `${GOOD} // x`, ['malformed', 'syntax']),
  state('trailing-comma', 'a trailing comma is no JSON', '{"mcpServers":{"hidden":{"command":"x"},}}', [
    'malformed',
    'syntax',
  ]),
  state('byte-order-mark', 'a byte order mark is not allowed here', `\ufeff${GOOD}`, [
    'malformed',
    'byte-order-mark',
  ]),
  state(
    'duplicate-server',
    'of two servers of one name neither is taken',
    '{"mcpServers":{"hidden":{"command":"x"},"hidden":{"command":"y"}}}',
    ['malformed', 'duplicate-key'],
  ),
  state(
    'duplicate-container',
    'of two containers neither is taken',
    '{"mcpServers":{"hidden":{"command":"x"}},"mcpServers":{}}',
    ['malformed', 'duplicate-key'],
  ),
  state(
    'duplicate-escaped',
    'a key spelled with an escape is the same key',
    '{"mcpServers":{"hidden":{"command":"x","\\u0063ommand":"y"}}}',
    ['malformed', 'duplicate-key'],
  ),
  state(
    'invalid-utf8',
    'bytes that are no UTF-8 are not replaced',
    Buffer.concat([
      Buffer.from('{"mcpServers":{"hidden'),
      Buffer.from([0xff]),
      Buffer.from('":{"command":"x"}}}'),
    ]),
    ['malformed', 'invalid-utf8'],
  ),
  state('not-an-object', 'a list is no configuration', `[${GOOD}]`, ['malformed', 'not-an-object']),
  state('container-list', 'a list of servers has no names', '{"mcpServers":[{"command":"x"}]}', [
    'malformed',
    'container-not-object',
  ]),
  state('container-null', 'null is no container', '{"mcpServers":null}', [
    'malformed',
    'container-not-object',
  ]),
  state(
    'too-deep',
    'thousands of brackets end nothing',
    `{"mcpServers":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    ['malformed', 'too-deep'],
  ),
  state('too-large', 'one byte above 1 MiB is not read', HIDDEN.padEnd(MEBIBYTE + 1), ['too-large', null]),
  state(
    'too-many-servers',
    'of more than 10 000 servers none is listed',
    json({
      mcpServers: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`hidden${index}`, {}])),
    }),
    ['too-large', 'too-many-servers'],
  ),
  state(
    'too-many-values',
    'a file of nothing but marks of values is not parsed',
    json({ mcpServers: { hidden: { command: ':'.repeat(150_000) } } }),
    ['too-large', 'too-many-values'],
  ),
  state('denied', 'a file that may not be read is unreadable', { mode: '0000', text: GOOD }, [
    'unreadable',
    null,
  ]),
  state('folder', 'a folder is no file', { folder: '0755' }, ['not-file', null]),
  state('fifo', 'a FIFO without a writer does not hold it up', { fifo: true }, ['not-file', null]),
  state('link-dangling', 'a link to nowhere is skipped', { link: '/nowhere' }, ['symlink-skipped', null]),
  state('link-loop', 'a link to itself is skipped', { link: '.mcp.json' }, ['symlink-skipped', null]),
  {
    id: 'state-link',
    why: 'a link to a good file is not followed',
    files: { '/work/elsewhere.json': GOOD, [OWN]: { link: '/work/elsewhere.json' } },
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('claude-code:project', 'symlink-skipped')],
    noJson: ['hidden'],
  },
  {
    id: 'state-link-folder',
    why: 'a linked folder above a candidate is not followed',
    files: {
      '/work/real/mcp.json': json({ servers: { hidden: LOCAL } }),
      [`${PROJECT}/.vscode`]: { link: '/work/real' },
    },
    argv: [PROJECT, '--client', 'vscode'],
    exit: 1,
    json: [INCOMPLETE, NO_SERVERS, source('vscode:vscode-project', 'symlink-skipped')],
    noJson: ['hidden'],
  },
  {
    id: 'state-denied-folder',
    why: 'a folder that may not be entered leaves its candidate unreadable',
    files: { [`${HOME}/.copilot`]: { folder: '0000' } },
    argv: [PROJECT, '--client', 'vscode'],
    exit: 1,
    json: [INCOMPLETE, source('vscode:copilot-user', 'unreadable')],
  },
  {
    id: 'state-file-as-folder',
    why: 'below a file there is nothing',
    files: { [`${PROJECT}/.vscode`]: 'x' },
    argv: [PROJECT, '--client', 'vscode'],
    exit: 0,
    json: [COMPLETE, source('vscode:vscode-project', 'missing')],
  },
  {
    id: 'state-full-size',
    why: 'exactly 1 MiB is read',
    files: { [OWN]: SEEN.padEnd(MEBIBYTE) },
    exit: 0,
    json: [COMPLETE, server('seen', 'claude-code:project', 'stdio')],
  },
  {
    id: 'state-no-container',
    why: 'a file without the container declares nothing and is in order',
    files: { [OWN]: json({ [CANARIES.rootField]: { x: LOCAL } }) },
    exit: 0,
    json: [
      COMPLETE,
      NO_SERVERS,
      source('claude-code:project', 'present'),
      '"containerState":"absent"',
      '"uninterpretedRootFields":true',
    ],
  },
];
