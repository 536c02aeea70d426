import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ScopeReport } from './model.ts';
import {
  instructionOf,
  rowsOf,
  serverOf,
  sourceOf,
  stateOf,
  type World,
  withWorld,
} from './testing/world.ts';

const STDIO = { command: 'tool' };
const run = (world: World): ScopeReport => world.run({ client: 'vscode' });

describe('the four origins of VS Code', () => {
  it('are listed with format, container and parser', () => {
    withWorld((world) => {
      world.inProject('.vscode/mcp.json', '// c\n{"servers":{"a":{"command":"x"},},}');
      world.inProject('.mcp.json', '\ufeff{"mcpServers":{"b":{"url":"https://example.invalid"}},}');
      world.inHome('.config/Code/User/mcp.json', '{"servers":{"c":{"command":"x"}}/**/}');
      world.inHome('.copilot/mcp-config.json', '{"mcpServers":{"d":{"command":"x"}}}');
      const report = run(world);
      assert.deepEqual(rowsOf(report), [
        'vscode-project a stdio',
        'copilot-project b remote',
        'vscode-user c stdio',
        'copilot-user d stdio',
      ]);
      assert.deepEqual(
        report.sources.map(({ format, container, parser }) => [format, container, parser]),
        [
          ['vscode-servers', 'servers', 'jsonc'],
          ['portable-mcp-servers', 'mcpServers', 'jsonc'],
          ['vscode-servers', 'servers', 'jsonc'],
          ['portable-mcp-servers', 'mcpServers', 'json'],
        ],
      );
      assert.equal(report.inventoryComplete, true);
      assert.equal(report.client, 'vscode');
    });
  });

  it('read the user’s portable file strictly', () => {
    for (const text of ['{"mcpServers":{},}', '{"mcpServers":{}}//', '\ufeff{"mcpServers":{}}']) {
      withWorld((world) => {
        world.inHome('.copilot/mcp-config.json', text);
        assert.match(stateOf(run(world), 'vscode:copilot-user'), /^malformed\/(syntax|byte-order-mark)$/);
      });
    }
  });

  const userFiles: readonly (readonly ['darwin' | 'linux' | 'win32', Record<string, string>, string])[] = [
    ['darwin', {}, 'Library/Application Support/Code/User/mcp.json'],
    ['linux', {}, '.config/Code/User/mcp.json'],
    ['win32', { APPDATA: 'D:\\Roaming' }, 'D:\\Roaming\\Code\\User\\mcp.json'],
    ['win32', {}, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['win32', { APPDATA: '' }, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['win32', { APPDATA: 'relative' }, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['win32', { APPDATA: 'C:\\a\0b' }, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['linux', { APPDATA: '/elsewhere', XDG_CONFIG_HOME: '/xdg' }, '.config/Code/User/mcp.json'],
  ];
  for (const [platform, env, expected] of userFiles) {
    it(`have the user’s file on ${platform} with ${JSON.stringify(env)} at ${expected}`, () => {
      withWorld((world) => {
        const path = platform === 'win32' ? expected : join(world.home, expected);
        if (platform === 'win32') world.onMachine(path, '{"servers":{"c":{"command":"x"}}}');
        else world.inHome(expected, '{"servers":{"c":{"command":"x"}}}');
        const report = world.run({ client: 'vscode', platform, env });
        assert.equal(sourceOf(report, 'vscode:vscode-user').path, path);
        assert.equal(serverOf(report, 'c').source, 'vscode:vscode-user');
      });
    });
  }
});

describe('containers', () => {
  const files: readonly (readonly [string, unknown, string, readonly string[]])[] = [
    ['wrapped', { mcpServers: { a: STDIO } }, 'present', ['copilot-project a stdio']],
    ['bare', { a: STDIO, b: STDIO }, 'present', ['copilot-project a stdio', 'copilot-project b stdio']],
    ['an empty bare map', {}, 'present', []],
    [
      'a bare map with a malformed neighbour named servers',
      { servers: 1, good: STDIO },
      'malformed/entry-malformed',
      ['copilot-project servers malformed', 'copilot-project good stdio'],
    ],
    [
      'a bare map with a server named servers',
      { servers: STDIO, good: STDIO },
      'present',
      ['copilot-project servers stdio', 'copilot-project good stdio'],
    ],
    ['an invalid wrapper', { mcpServers: 1, a: STDIO }, 'malformed/container-not-object', []],
    ['a wrapper of null', { mcpServers: null, a: STDIO }, 'malformed/container-not-object', []],
    ['two containers', { mcpServers: { a: STDIO }, servers: { b: STDIO } }, 'malformed/mixed-containers', []],
  ];
  for (const [what, document, expected, rows] of files) {
    it(`of the portable project file: ${what}`, () => {
      withWorld((world) => {
        world.inProject('.mcp.json', JSON.stringify(document));
        const report = run(world);
        assert.equal(stateOf(report, 'vscode:copilot-project'), expected);
        assert.deepEqual(rowsOf(report), rows);
        assert.equal(report.inventoryComplete, expected === 'present');
      });
    });
  }

  it('a wrapper inherited from the prototype is no wrapper', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', '{"__proto__":{"mcpServers":{"a":{"command":"x"}}}}');
      assert.deepEqual(rowsOf(run(world)), ['copilot-project __proto__ unknown']);
    });
  });

  it('of another format, or of both, leave the source incomplete and the others visible', () => {
    withWorld((world) => {
      world.inHome('.config/Code/User/mcp.json', '{"servers":{"seen":{"command":"x"}}}');
      for (const [document, expected] of [
        [{ servers: { a: STDIO }, mcpServers: {} }, 'malformed/mixed-containers'],
        [{ mcpServers: { a: STDIO } }, 'malformed/foreign-container'],
      ] as const) {
        world.inProject('.vscode/mcp.json', JSON.stringify(document));
        const report = run(world);
        assert.equal(stateOf(report, 'vscode:vscode-project'), expected);
        assert.deepEqual(rowsOf(report), ['vscode-user seen stdio']);
        assert.equal(report.inventoryComplete, false);
      }
    });
  });

  it('say whether there are other root fields, and nothing of them', () => {
    withWorld((world) => {
      world.inProject('.vscode/mcp.json', '{"servers":{},"inputs":[{"id":"CANARY"}]}');
      world.inProject('.mcp.json', '{"a":{"command":"x"}}');
      world.inHome('.config/Code/User/mcp.json', '{"servers":{}}');
      world.inHome('.copilot/mcp-config.json', '{');
      const report = run(world);
      assert.deepEqual(
        report.sources.map(({ uninterpretedRootFields }) => uninterpretedRootFields),
        [true, false, false, 'unknown'],
      );
      assert.doesNotMatch(JSON.stringify(report), /CANARY|inputs/);
    });
  });
});

describe('servers', () => {
  it('of one name name each other, and no order is claimed', () => {
    withWorld((world) => {
      world.inProject('.vscode/mcp.json', '{"servers":{"s":{"command":"x"}}}');
      world.inProject('.mcp.json', '{"mcpServers":{"s":{"command":"x"},"t":{"command":"x"}}}');
      const report = run(world);
      assert.deepEqual(serverOf(report, 's', 'vscode:vscode-project').sameNameIn, ['vscode:copilot-project']);
      assert.deepEqual(serverOf(report, 's', 'vscode:copilot-project').sameNameIn, ['vscode:vscode-project']);
      assert.deepEqual(serverOf(report, 't').sameNameIn, []);
      assert.ok(report.servers.every(({ possibleShadowedBy }) => possibleShadowedBy === null));
    });
  });

  const environments: readonly (readonly [string, string, string])[] = [
    ['{"A":"b"}', 'stdio', 'launcher'],
    ['{"A":1.5}', 'stdio', 'unknown'],
    ['{"A":null}', 'stdio', 'unknown'],
    ['{"A":1e999}', 'malformed', 'unknown'],
    ['{"A":true}', 'malformed', 'unknown'],
    ['{"A":["x"]}', 'malformed', 'unknown'],
  ];
  for (const [env, declaration, guardForm] of environments) {
    it(`with the environment ${env} are ${declaration}, guard form ${guardForm}`, () => {
      withWorld((world) => {
        const args = JSON.stringify('guard run --inner --server-name s -- x'.split(' '));
        world.inProject(
          '.vscode/mcp.json',
          `{"servers":{"s":{"command":"mcpm","args":${args},"env":${env}}}}`,
        );
        const server = serverOf(run(world), 's');
        assert.deepEqual([server.declaration, server.guardForm], [declaration, guardForm]);
      });
    });
  }

  it('with supported fields that are not interpreted are not refused', () => {
    withWorld((world) => {
      const entry = { type: 'stdio', command: 'x', envFile: 'f', sandboxEnabled: true, dev: { watch: '**' } };
      world.inProject('.vscode/mcp.json', JSON.stringify({ servers: { s: entry } }));
      const server = serverOf(run(world), 's');
      assert.deepEqual([server.declaration, server.uninterpretedFields], ['stdio', true]);
    });
  });
});

describe('instruction files of VS Code', () => {
  it('are the fixed candidates', () => {
    withWorld((world) => {
      const paths = [
        world.inProject('.github/copilot-instructions.md', ''),
        world.inProject('AGENTS.md', ''),
        world.inProject('CLAUDE.md', ''),
        world.inProject('.claude/CLAUDE.md', ''),
        world.inHome('.copilot/copilot-instructions.md', ''),
        world.inHome('.claude/CLAUDE.md', ''),
        world.inHome('.codex/AGENTS.md', ''),
      ];
      const report = run(world);
      for (const path of paths) assert.equal(instructionOf(report, path).state, 'present');
      const present = report.instructions.filter(({ state }) => state === 'present');
      assert.equal(present.length, paths.length);
      assert.ok(report.instructions.every(({ path }) => path?.endsWith('CLAUDE.local.md') === false));
    });
  });
});
