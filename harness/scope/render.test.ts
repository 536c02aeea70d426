import assert from 'node:assert/strict';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { toJsonText, toTerminalText } from './terminal-text.ts';
import { jsonOf, sourceOf, textOf, withWorld } from './testing/world.ts';

const HOSTILE = '\u001b[2J\u009b31m\r\n::error::\u202e\u2066\u200b\ufeff\u2028\u00ad\ud800é日';
const UNSAFE =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

describe('the human output', () => {
  it('holds no character that a terminal acts on, whatever names and paths say', () => {
    withWorld((world) => {
      world.inProject(
        `${'\u001b]0;x\u0007'}/.mcp.json`,
        JSON.stringify({ mcpServers: { [HOSTILE]: { command: 'x' } } }),
      );
      const report = world.run({ argument: `${world.project}/\u001b]0;x\u0007`, explain: true });
      assert.equal(report.servers.length, 1);
      const text = textOf(report);
      assert.doesNotMatch(text, UNSAFE);
      assert.match(text, /\\u\{1b\}\[2J\\u\{9b\}31m\\u\{d\}\\u\{a\}::error::/);
      assert.match(text, /é日/);
    });
  });

  it('lets no name pretend to be a row, an escape or a command to a build system', () => {
    withWorld((world) => {
      const names = [
        'x"  claude-code:local  remote',
        '\\u{1b}',
        '##vso[task.setvariable]x',
        'a##[error]b',
        '\u{e0041}\u3164\ufe0f\u034f\ue000',
      ];
      world.inProject(
        '.mcp.json',
        JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) }),
      );
      const report = world.run();
      const shown = textOf(report)
        .split('\n')
        .filter((line) => line.startsWith('  "'))
        .map((line) => line.slice(0, line.indexOf('"  claude-code:project')));
      assert.deepEqual(shown, [
        '  "x\\u{22}  claude-code:local  remote',
        '  "\\u{5c}u{1b}',
        '  "\\u{23}#vso[task.setvariable]x',
        '  "a\\u{23}#[error]b',
        '  "\\u{e0041}\\u{3164}\\u{fe0f}\\u{34f}\\u{e000}',
      ]);
      const json = jsonOf(report).trimEnd();
      assert.doesNotMatch(json, /##|[^ -~]/);
      assert.deepEqual(JSON.parse(json), report);
    });
  });

  it('cuts long names, which JSON keeps', () => {
    withWorld((world) => {
      const name = 'n'.repeat(5000);
      world.inProject('.mcp.json', JSON.stringify({ mcpServers: { [name]: { command: 'x' } } }));
      const report = world.run();
      assert.doesNotMatch(textOf(report), /n{201}/);
      assert.match(textOf(report), /n{200}…/);
      assert.equal(report.servers[0]?.name, name);
    });
  });

  it('names what is incomplete, unknown and not covered', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', '{');
      const text = textOf(world.run());
      assert.match(text, /^inventory {3}INCOMPLETE: 1 of 4 sources not inventoried; --explain says why$/m);
      assert.match(text, /malformed {7}claude-code:project .* \(syntax\)$/m);
      assert.match(text, /none declared/);
      assert.match(text, /unknown {5}host version, .*enforcement/);
      assert.match(text, /a snapshot, not an atomic view/);
      world.link('AGENTS.md', join(world.project, 'CLAUDE.md'));
      assert.match(
        textOf(world.run({ explain: true })),
        /^inventory {3}INCOMPLETE: 1 of 4 sources and 1 of \d+ instruction files not inventoried$/m,
      );
      world.inProject('.mcp.json', '{}');
      unlinkSync(join(world.project, 'CLAUDE.md'));
      assert.match(textOf(world.run()), /^inventory {3}complete$/m);
      assert.match(textOf(world.run({ argument: '/nowhere/at/all' })), /^inventory {3}INCOMPLETE$/m);
    });
  });

  it('says of a name what may shadow it or is called the same', () => {
    withWorld((world) => {
      world.inHome('.claude.json', '{"mcpServers":{"s":{"command":"x"}}}');
      world.inProject('.mcp.json', '{"mcpServers":{"s":{"command":"x"}}}');
      const text = textOf(world.run());
      assert.match(text, /"s" {2}claude-code:user .* possibly shadowed by claude-code:project$/m);
      assert.match(text, /"s" {2}claude-code:project .* same name in claude-code:user$/m);
    });
  });

  it('shows the state of an invalid root', () => {
    withWorld((world) => {
      assert.match(textOf(world.run({ argument: '/nowhere/at/all' })), /^root state {2}missing$/m);
    });
  });
});

describe('the explanation', () => {
  it('is there on demand, for each row, and changes nothing else', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', '{"mcpServers":{"a":{"command":"x"},"b":1}}');
      const plain = world.run();
      const explained = world.run({ explain: true });
      const stripped = JSON.parse(JSON.stringify(explained), (key, value: unknown) =>
        key === 'explanation' ? undefined : value,
      );
      assert.deepEqual(stripped, JSON.parse(JSON.stringify(plain)));
      const rows = [...explained.sources, ...explained.servers, ...explained.instructions];
      assert.ok(rows.every(({ explanation }) => explanation !== undefined && explanation.length > 10));
      assert.match(textOf(explained), /at least one declaration has the wrong shape/);
      assert.doesNotMatch(JSON.stringify(plain), /explanation/);
    });
  });
});

function declaring(count: number): string {
  const names = Array.from({ length: count }, (_, index) => [`s${index}`, {}]);
  return JSON.stringify({ mcpServers: Object.fromEntries(names) });
}

describe('the explanation of each state', () => {
  /** What lies at the project's file, and what is said of it. */
  const TABLE: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['present', '{"mcpServers":{}}', /^the file was read and interpreted/],
    ['present', '{}', /; it has no place for servers of this origin$/],
    ['malformed', Buffer.from([0xff]), /not valid UTF-8$/],
    ['malformed', '\ufeff{}', /byte order mark/],
    ['malformed', '{', /breaks the syntax/],
    ['malformed', '{"a":1,"a":2}', /the same key twice/],
    ['malformed', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`, /deeper than 64 levels/],
    ['malformed', '[]', /outermost value is not an object/],
    ['malformed', '{"mcpServers":1}', /something that is not an object/],
    ['malformed', '{"mcpServers":{"a":1}}', /at least one declaration/],
    ['malformed', '{"mcpServers":{},"servers":{}}', /containers of two formats/],
    ['malformed', '{"servers":{}}', /another client’s format/],
    ['too-large', ' '.repeat(1024 * 1024 + 1), /larger than 1 MiB and was not read$/],
    ['too-large', `{"a":"${':'.repeat(150_000)}"}`, /more values than any real one$/],
    ['too-large', declaring(10_001), /more than 10 000 servers are declared, and none of them is listed$/],
  ];

  for (const [state, content, words] of TABLE) {
    it(`${state}: ${words}`, () => {
      withWorld((world) => {
        world.inProject('.cursor/mcp.json', content);
        const [row] = world.run({ client: 'cursor', explain: true }).sources;
        assert.equal(row?.state, state);
        assert.match(row?.explanation ?? '', words);
      });
    });
  }

  it('symlink-skipped, not-file, missing, an unknown home and an ambiguous record', () => {
    withWorld((world) => {
      const alias = join(world.dir, 'alias');
      world.link(world.project, alias);
      world.link('/nowhere', join(world.project, '.mcp.json'));
      const records = { [world.project]: { mcpServers: {} }, [alias]: { mcpServers: {} } };
      world.inHome('.claude.json', JSON.stringify({ projects: records }));
      const report = world.run({ argument: alias, explain: true });
      const said = (id: string): string => sourceOf(report, id).explanation ?? '';
      assert.match(said('claude-code:project'), /symbolic link, and links are not followed$/);
      assert.match(said('claude-code:local'), /under two spellings; the records are not merged$/);
      assert.match(said('claude-code:managed'), /^no file is there$/);
      const homeless = world.run({ home: '', explain: true });
      assert.match(
        sourceOf(homeless, 'claude-code:user').explanation ?? '',
        /home directory .* is not known$/,
      );
      world.inProject('.vscode/mcp.json/x', '');
      const other = world.run({ client: 'vscode', explain: true });
      assert.match(sourceOf(other, 'vscode:vscode-project').explanation ?? '', /not a regular file$/);
    });
  });

  it('the root', () => {
    withWorld((world) => {
      assert.match(textOf(world.run({ explain: true })), /the directory is there/);
      const missing = world.run({ argument: '/nowhere/at/all', explain: true });
      assert.match(textOf(missing), /nothing is there, so that nothing was looked up/);
    });
  });
});

describe('the JSON text', () => {
  it('keeps every value and holds nothing that a terminal acts on', () => {
    const document = { name: HOSTILE, list: [HOSTILE] };
    const text = toJsonText(document);
    assert.deepEqual(JSON.parse(text), document);
    assert.doesNotMatch(text, UNSAFE);
    assert.match(JSON.stringify(document), UNSAFE);
  });
});

describe('toTerminalText', () => {
  it('escapes and cuts', () => {
    assert.equal(toTerminalText('a\u0007b'), 'a\\u{7}b');
    assert.equal(toTerminalText('abcdef', 3), 'abc…');
    assert.equal(toTerminalText('plain é 日 😀'), 'plain é 日 😀');
  });
});
