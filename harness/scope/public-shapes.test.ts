import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PUBLIC_SHAPES } from './testing/public-shapes.ts';
import { stateOf, withWorld } from './testing/world.ts';

describe('configuration files as people publish them', () => {
  for (const { title, client, at, path, text, state, rows } of PUBLIC_SHAPES) {
    it(`${client}: ${title}`, () => {
      withWorld((world) => {
        const written = at === 'project' ? world.inProject(path, text) : world.inHome(path, text);
        const report = world.run({ client });
        const source = report.sources.find(
          (candidate) => candidate.path === written && candidate.containerState !== 'absent',
        );
        assert.equal(source === undefined ? 'no source' : stateOf(report, source.id), state);
        assert.deepEqual(
          report.servers.map(
            ({ origin, name, declaration, guardForm }) => `${origin} ${name} ${declaration} ${guardForm}`,
          ),
          rows,
        );
        assert.equal(report.inventoryComplete, state === 'present');
      });
    });
  }

  it('are shown with their rows in docs/scope-shapes.md', () => {
    // Tests run from dist/harness/scope.
    const shown = readFileSync(new URL('../../../docs/scope-shapes.md', import.meta.url), 'utf8');
    const lines = PUBLIC_SHAPES.map(({ client, at, path, title, state, rows }) => {
      const file = `\`${at === 'home' ? '~/' : ''}${path}\``;
      return `| ${title} | ${file} | ${client} | ${state} | ${rows.map((row) => `\`${row}\``).join('<br>')} |`;
    });
    assert.equal(shown.slice(shown.indexOf(lines[0] ?? '')), `${lines.join('\n')}\n`);
  });

  it('are at least twenty, of every client', () => {
    assert.ok(PUBLIC_SHAPES.length >= 20);
    assert.equal(new Set(PUBLIC_SHAPES.map(({ client }) => client)).size, 11);
  });
});
