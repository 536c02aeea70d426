import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLAUDE_CODE } from './profiles/claude-code.ts';
import { relateNames } from './relations.ts';
import { withWorld } from './testing/world.ts';

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
