import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  instructionOf,
  rowsOf,
  serverOf,
  sourceOf,
  stateOf,
  type World,
  withWorld,
} from './testing/world.ts';

const STDIO = { command: 'tool', args: ['serve'] };
const MANAGED: Readonly<Record<'darwin' | 'linux' | 'win32', string>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-mcp.json',
  linux: '/etc/claude-code/managed-mcp.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-mcp.json',
};

function servers(...names: readonly string[]): { readonly mcpServers: Record<string, unknown> } {
  return { mcpServers: Object.fromEntries(names.map((name) => [name, STDIO])) };
}

function userFile(world: World, document: unknown): void {
  world.inHome('.claude.json', JSON.stringify(document));
}

describe('the four places of Claude Code', () => {
  it('are listed with their rows', () => {
    withWorld((world) => {
      userFile(world, { ...servers('u'), projects: { [world.project]: servers('l') } });
      world.inProject('.mcp.json', JSON.stringify(servers('p')));
      world.onMachine(MANAGED.linux, JSON.stringify(servers('m')));
      const report = world.run();
      assert.deepEqual(rowsOf(report), [
        'local l stdio',
        'project p stdio',
        'user u stdio',
        'managed m stdio',
      ]);
      assert.deepEqual(
        report.sources.map(({ id, path, container, state, serverCount }) => [
          id,
          path,
          container,
          state,
          serverCount,
        ]),
        [
          [
            'claude-code:local',
            join(world.home, '.claude.json'),
            'projects[<root>].mcpServers',
            'present',
            1,
          ],
          ['claude-code:project', join(world.project, '.mcp.json'), 'mcpServers', 'present', 1],
          ['claude-code:user', join(world.home, '.claude.json'), 'mcpServers', 'present', 1],
          ['claude-code:managed', MANAGED.linux, 'mcpServers', 'present', 1],
        ],
      );
      assert.equal(report.inventoryComplete, true);
    });
  });

  it('are missing in an empty world, which is complete and knows as little as any other', () => {
    withWorld((world) => {
      const report = world.run();
      assert.deepEqual(
        report.sources.map(({ state }) => state),
        ['missing', 'missing', 'missing', 'missing'],
      );
      assert.deepEqual(report.servers, []);
      assert.equal(report.inventoryComplete, true);
      const { limits, ...unknowns } = report.coverage;
      assert.deepEqual(unknowns, {
        hostVersion: 'unknown',
        selectedProfile: 'unknown',
        forwarding: 'unknown',
        effectiveSelection: 'unknown',
        loading: 'unknown',
        enforcement: 'unknown',
        snapshot: 'not-atomic',
      });
      assert.ok(limits.length > 5);
    });
  });

  it('read the same file once', () => {
    withWorld((world) => {
      userFile(world, servers('u'));
      world.run();
      assert.equal(world.touched.filter((path) => path.endsWith('.claude.json')).length, 1);
    });
  });

  for (const platform of ['darwin', 'linux', 'win32'] as const) {
    it(`have their managed file on ${platform}`, () => {
      withWorld((world) => {
        world.onMachine(MANAGED[platform], JSON.stringify(servers('m')));
        const report = world.run({ platform });
        assert.equal(sourceOf(report, 'claude-code:managed').path, MANAGED[platform]);
        assert.equal(serverOf(report, 'm').scope, 'managed');
      });
    });
  }

  it('the default is the explicit selection, byte for byte', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', JSON.stringify(servers('p')));
      assert.equal(JSON.stringify(world.run()), JSON.stringify(world.run({ client: 'claude-code' })));
    });
  });
});

describe('the record of the project', () => {
  const ALIAS = 'alias';

  function withAlias(body: (world: World, alias: string) => void): void {
    withWorld((world) => {
      const alias = join(world.dir, ALIAS);
      world.link(world.project, alias);
      body(world, alias);
    });
  }

  it('is found under the canonical root and under the spelling', () => {
    withAlias((world, alias) => {
      for (const key of [world.project, alias]) {
        userFile(world, { projects: { [key]: servers('l') } });
        assert.deepEqual(rowsOf(world.run({ argument: alias })), ['local l stdio']);
      }
    });
  });

  it('is not found under any other key', () => {
    withAlias((world, alias) => {
      const other = { [`${world.project}/`]: servers('a'), [alias]: servers('b'), [world.dir]: servers('c') };
      userFile(world, { projects: other });
      const report = world.run();
      assert.deepEqual(rowsOf(report), []);
      assert.equal(sourceOf(report, 'claude-code:local').containerState, 'absent');
    });
  });

  it('under both spellings is ambiguous and never merged', () => {
    withAlias((world, alias) => {
      userFile(world, {
        ...servers('u'),
        projects: { [world.project]: servers('a'), [alias]: servers('b') },
      });
      const report = world.run({ argument: alias });
      assert.equal(stateOf(report, 'claude-code:local'), 'malformed/ambiguous-project-key');
      assert.deepEqual(rowsOf(report), ['user u stdio']);
      assert.equal(report.inventoryComplete, false);
      assert.equal(world.run().inventoryComplete, true);
    });
  });

  it('with names of the prototype finds own keys only', () => {
    withWorld((world) => {
      world.inHome('.claude.json', '{"projects":{"__proto__":{"mcpServers":{"x":{"command":"y"}}}}}');
      assert.deepEqual(rowsOf(world.run()), []);
      world.inProject('.mcp.json', '{"__proto__":{"mcpServers":{"x":{"command":"y"}}}}');
      assert.deepEqual(rowsOf(world.run()), []);
    });
  });

  it('of the wrong kind is malformed and leaves the user’s servers alone', () => {
    withWorld((world) => {
      for (const projects of [[], { [world.project]: 1 }, { [world.project]: { mcpServers: [] } }]) {
        userFile(world, { ...servers('u'), projects });
        const report = world.run();
        assert.equal(stateOf(report, 'claude-code:local'), 'malformed/container-not-object');
        assert.deepEqual(rowsOf(report), ['user u stdio']);
      }
    });
  });
});

describe('possible shadows', () => {
  it('follow local, project, user, and leave the managed file out', () => {
    withWorld((world) => {
      userFile(world, { ...servers('s'), projects: { [world.project]: servers('s') } });
      world.inProject('.mcp.json', JSON.stringify(servers('s', 'only')));
      world.onMachine(MANAGED.linux, JSON.stringify(servers('s')));
      const report = world.run();
      const shadows = (source: string): unknown => serverOf(report, 's', source).possibleShadowedBy;
      assert.deepEqual(shadows('claude-code:local'), []);
      assert.deepEqual(shadows('claude-code:project'), ['claude-code:local']);
      assert.deepEqual(shadows('claude-code:user'), ['claude-code:local', 'claude-code:project']);
      assert.deepEqual(shadows('claude-code:managed'), []);
      assert.deepEqual(serverOf(report, 'only').possibleShadowedBy, []);
      assert.deepEqual(serverOf(report, 's', 'claude-code:local').sameNameIn.length, 3);
    });
  });

  it('are no calculation: a source that cannot be read shadows nothing and is named as incomplete', () => {
    withWorld((world) => {
      userFile(world, servers('s'));
      world.inProject('.mcp.json', '{"mcpServers":{"s":');
      const report = world.run();
      assert.deepEqual(serverOf(report, 's').possibleShadowedBy, []);
      assert.equal(report.inventoryComplete, false);
    });
  });
});

describe('states of a source', () => {
  const contents: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['broken syntax', '{', 'malformed/syntax'],
    ['a comment', '{"mcpServers":{}}//', 'malformed/syntax'],
    ['a trailing comma', '{"mcpServers":{},}', 'malformed/syntax'],
    ['a byte order mark', '\ufeff{"mcpServers":{}}', 'malformed/byte-order-mark'],
    ['a key twice', '{"mcpServers":{"a":{},"a":{}}}', 'malformed/duplicate-key'],
    ['a list', '[]', 'malformed/not-an-object'],
    ['invalid UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d]), 'malformed/invalid-utf8'],
    ['a container of the wrong kind', '{"mcpServers":null}', 'malformed/container-not-object'],
    ['a list of servers', '{"mcpServers":[{"command":"x"}]}', 'malformed/container-not-object'],
    ['no container', '{}', 'present'],
    ['an empty container', '{"mcpServers":{}}', 'present'],
    ['too many bytes', ' '.repeat(1024 * 1024 + 1), 'too-large'],
  ];
  for (const [what, content, expected] of contents) {
    it(`${what} is ${expected}`, () => {
      withWorld((world) => {
        world.inProject('.mcp.json', content);
        const report = world.run();
        assert.equal(stateOf(report, 'claude-code:project'), expected);
        assert.equal(report.inventoryComplete, expected === 'present');
      });
    });
  }

  it('a link, a dangling link, a linked folder and a folder are skipped', () => {
    withWorld((world) => {
      const path = join(world.project, '.mcp.json');
      world.link(world.inHome('elsewhere.json', JSON.stringify(servers('x'))), path);
      assert.equal(stateOf(world.run(), 'claude-code:project'), 'symlink-skipped');
    });
    withWorld((world) => {
      world.link('/nowhere', join(world.project, '.mcp.json'));
      assert.equal(stateOf(world.run(), 'claude-code:project'), 'symlink-skipped');
    });
    withWorld((world) => {
      mkdirSync(join(world.project, '.mcp.json'));
      assert.equal(stateOf(world.run(), 'claude-code:project'), 'not-file');
    });
    withWorld((world) => {
      world.link(world.home, join(world.dir, 'linked-home'));
      userFile(world, servers('u'));
      const report = world.run({ home: join(world.dir, 'linked-home') });
      assert.equal(stateOf(report, 'claude-code:user'), 'symlink-skipped');
    });
  });

  it('an unknown home leaves its candidates unread and the inventory incomplete', () => {
    withWorld((world) => {
      for (const home of ['', 'relative/home']) {
        const report = world.run({ home });
        assert.equal(stateOf(report, 'claude-code:user'), 'unreadable/home-unknown');
        assert.equal(sourceOf(report, 'claude-code:user').path, null);
        assert.equal(report.inventoryComplete, false);
      }
    });
  });
});

describe('declarations', () => {
  const entries: readonly (readonly [unknown, string])[] = [
    [{ command: 'x' }, 'stdio'],
    [{ type: 'stdio', command: 'x', args: [], env: { A: 'b' } }, 'stdio'],
    [{ type: 'http', url: 'https://example.invalid' }, 'remote'],
    [{ command: 'x', url: 'https://example.invalid' }, 'mixed'],
    [{}, 'unknown'],
    [{ type: 'future', endpoint: 1 }, 'unknown'],
    [null, 'malformed'],
    ['x', 'malformed'],
    [[], 'malformed'],
    [{ command: 1 }, 'malformed'],
    [{ command: ['x'] }, 'malformed'],
    [{ command: 'x', args: 'y' }, 'malformed'],
    [{ command: 'x', args: [1] }, 'malformed'],
    [{ command: 'x', env: [] }, 'malformed'],
    [{ command: 'x', env: { A: 1 } }, 'malformed'],
    [{ command: 'x', env: { A: null } }, 'malformed'],
    [{ url: false }, 'malformed'],
    [{ url: 'https://example.invalid', headers: { A: 1 } }, 'malformed'],
  ];
  for (const [entry, expected] of entries) {
    it(`${JSON.stringify(entry)} is ${expected}, visible by name beside its neighbour`, () => {
      withWorld((world) => {
        world.inProject('.mcp.json', JSON.stringify({ mcpServers: { it: entry, neighbour: STDIO } }));
        const report = world.run();
        assert.equal(serverOf(report, 'it').declaration, expected);
        assert.equal(serverOf(report, 'it').configured, true);
        assert.equal(serverOf(report, 'neighbour').declaration, 'stdio');
        const state = expected === 'malformed' ? 'malformed/entry-malformed' : 'present';
        assert.equal(stateOf(report, 'claude-code:project'), state);
        assert.equal(report.inventoryComplete, expected !== 'malformed');
      });
    });
  }

  it('say whether fields are there that nobody looked into, without their names', () => {
    withWorld((world) => {
      const entries = { plain: STDIO, more: { ...STDIO, secretField: 'x' }, broken: 1 };
      world.inProject('.mcp.json', JSON.stringify({ mcpServers: entries, otherRoot: 1 }));
      const report = world.run();
      assert.equal(serverOf(report, 'plain').uninterpretedFields, false);
      assert.equal(serverOf(report, 'more').uninterpretedFields, true);
      assert.equal(serverOf(report, 'broken').uninterpretedFields, 'unknown');
      assert.equal(sourceOf(report, 'claude-code:project').uninterpretedRootFields, true);
      assert.doesNotMatch(JSON.stringify(report), /secretField|otherRoot/);
    });
  });

  it('carry names of the prototype and hostile names as they are', () => {
    withWorld((world) => {
      const names = ['__proto__', 'constructor', 'toString', '', '\u001b[31m', 'a\nb'];
      const text = names.map((name) => `${JSON.stringify(name)}:{"command":"x"}`).join();
      world.inProject('.mcp.json', `{"mcpServers":{${text}}}`);
      assert.deepEqual(
        world.run().servers.map(({ name }) => name),
        names,
      );
    });
  });

  it('classify the form of a guard and never its identity', () => {
    withWorld((world) => {
      const args = 'guard run --inner --server-name a -- tool'.split(' ');
      const mcpServers = {
        a: { command: 'mcpm', args },
        b: { command: '/usr/bin/node', args: ['/x/dist/index.js', ...args] },
        c: { command: 'mcpm', args: args.slice(0, 4) },
        d: STDIO,
        e: { url: 'https://example.invalid' },
        f: { command: 1 },
      };
      world.inProject('.mcp.json', JSON.stringify({ mcpServers }));
      assert.deepEqual(
        world.run().servers.map(({ guardForm, guardIdentity }) => `${guardForm} ${guardIdentity}`),
        [
          'launcher unknown',
          'node-script unknown',
          'malformed unknown',
          'none not-applicable',
          'none not-applicable',
          'unknown unknown',
        ],
      );
    });
  });
});

describe('instruction files', () => {
  it('are asked for at the root, in every folder above it, at the user and where they are managed', () => {
    withWorld((world) => {
      world.inProject('CLAUDE.md', 'text');
      world.inProject('.claude/AGENTS.md', 'text');
      world.inHome('.claude/CLAUDE.md', 'text');
      world.onMachine('/etc/claude-code/CLAUDE.md', 'text');
      const report = world.run();
      const present = report.instructions.filter(({ state }) => state === 'present');
      assert.deepEqual(
        present.map(({ scope, path }) => [scope, path]),
        [
          ['root', join(world.project, 'CLAUDE.md')],
          ['root', join(world.project, '.claude/AGENTS.md')],
          ['user', join(world.home, '.claude/CLAUDE.md')],
          ['managed', '/etc/claude-code/CLAUDE.md'],
        ],
      );
      const asked = report.instructions.map(({ path }) => path);
      for (const name of [
        'CLAUDE.md',
        '.claude/CLAUDE.md',
        'CLAUDE.local.md',
        'AGENTS.md',
        '.claude/AGENTS.md',
      ]) {
        for (const folder of [world.project, world.dir, '/'])
          assert.ok(asked.includes(join(folder, name)), name);
      }
      assert.ok(report.instructions.every(({ applicability }) => applicability === 'unknown'));
    });
  });

  it('that are links or cannot be read leave the inventory incomplete', () => {
    withWorld((world) => {
      world.link(world.inProject('AGENTS.md', 'text'), join(world.project, 'CLAUDE.md'));
      const report = world.run();
      assert.equal(instructionOf(report, join(world.project, 'CLAUDE.md')).state, 'symlink-skipped');
      assert.equal(instructionOf(report, join(world.project, 'AGENTS.md')).state, 'present');
      assert.equal(report.inventoryComplete, false);
    });
  });

  it('are never opened: a FIFO with no writer and a file without permissions do not hold it up', () => {
    withWorld((world) => {
      chmodSync(world.inProject('AGENTS.md', 'text'), 0o000);
      assert.notEqual(instructionOf(world.run(), join(world.project, 'AGENTS.md')).state, 'missing');
    });
  });
});

describe('a root that lies deeper than is asked upwards', () => {
  it('is not called complete, and says why', () => {
    withWorld((world) => {
      const levels = Array.from({ length: 260 }, () => 'd');
      const deep = join(world.project, ...levels);
      mkdirSync(deep, { recursive: true });
      const report = world.run({ argument: deep });
      assert.equal(report.inventoryComplete, false);
      assert.match(report.coverage.limits[0]?.limit ?? '', /deeper than 256 folders/);
      assert.equal(
        world.run({ argument: join(world.project, ...levels.slice(0, 200)) }).inventoryComplete,
        true,
      );
    });
  });
});

describe('an invalid root', () => {
  it('gives a report without rows that is not complete', () => {
    withWorld((world) => {
      userFile(world, servers('u'));
      for (const [argument, state] of [
        [join(world.dir, 'none'), 'missing'],
        [world.inHome('file', ''), 'not-directory'],
      ] as const) {
        const report = world.run({ argument });
        assert.deepEqual(report.root, { state, path: argument, canonicalPath: null });
        assert.deepEqual([report.sources, report.servers, report.instructions], [[], [], []]);
        assert.equal(report.inventoryComplete, false);
      }
      assert.deepEqual(world.touched, []);
    });
  });
});
