import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLAUDE_CODE } from './profiles/claude-code.ts';
import { relateNames } from './relations.ts';
import { rowsOf, sourceOf, stateOf, withWorld } from './testing/world.ts';

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `server-${index}`);
}

describe('ten thousand servers', () => {
  it('in three scopes are all listed with their possible shadows', () => {
    withWorld((world) => {
      const mcpServers = Object.fromEntries(names(10_000).map((name) => [name, { command: 'x' }]));
      world.inProject('.mcp.json', JSON.stringify({ mcpServers }));
      world.inHome('.claude.json', JSON.stringify({ mcpServers }));
      const report = world.run();
      assert.equal(report.servers.length, 20_000);
      assert.equal(report.inventoryComplete, true);
      const shadowed = report.servers.filter(({ possibleShadowedBy }) => possibleShadowedBy?.length === 1);
      assert.equal(shadowed.length, 10_000);
    });
  });

  it('are the most that one source lists, and its neighbours are not kept from view', () => {
    withWorld((world) => {
      const most = Object.fromEntries(names(10_000).map((name) => [name, {}]));
      world.inProject('.mcp.json', JSON.stringify({ mcpServers: { ...most, more: {} } }));
      world.inHome('.claude.json', JSON.stringify({ mcpServers: { seen: {} } }));
      const report = world.run();
      assert.equal(stateOf(report, 'claude-code:project'), 'too-large/too-many-servers');
      assert.equal(sourceOf(report, 'claude-code:project').serverCount, 10_001);
      assert.deepEqual(rowsOf(report), ['user seen unknown']);
      assert.equal(report.inventoryComplete, false);
    });
  });

  it('are the most, whatever the format, because more marks than such a file has are not parsed', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', `{"a":[${'{},'.repeat(150_000)}{}]}`);
      world.inProject('.codex/config.toml', 'a.b = 1\n'.repeat(75_001));
      assert.equal(stateOf(world.run(), 'claude-code:project'), 'too-large/too-many-values');
      assert.equal(stateOf(world.run({ client: 'codex' }), 'codex:project'), 'too-large/too-many-values');
      world.inProject('.mcp.json', `{"a":[${'{},'.repeat(149_996)}{}]}`);
      assert.equal(stateOf(world.run(), 'claude-code:project'), 'present');
    });
  });

  it('are related by looking at each declaration a fixed number of times', () => {
    // Counted instead of timed: reading a name is what a comparison of all with all does too often.
    const readsFor = (count: number): number => {
      let reads = 0;
      const declarations = ['local', 'project', 'user'].flatMap((origin) =>
        names(count).map((text) => ({
          origin,
          get name(): string {
            reads += 1;
            return text;
          },
        })),
      );
      const relationsOf = relateNames(CLAUDE_CODE, declarations);
      for (const declaration of declarations) relationsOf(declaration);
      return reads;
    };
    assert.equal(readsFor(2000), 2 * readsFor(1000));
    assert.ok(readsFor(1000) <= 4 * 3000);
  });
});
