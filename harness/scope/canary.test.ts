import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PROFILES } from './profiles/profiles.ts';
import { CANARY, CANARY_FILES, everyOutput } from './testing/canary-world.ts';
import { rowsOf, type World, withWorld } from './testing/world.ts';

function fill(world: World): readonly string[] {
  return [
    ...Object.entries(CANARY_FILES.project).map(([path, text]) => world.inProject(path, text)),
    ...Object.entries(CANARY_FILES.home).map(([path, text]) => world.inHome(path, text)),
  ];
}

describe('what stays inside', () => {
  for (const client of [...PROFILES.map(({ id }) => id), 'all']) {
    it(`no value of a declaration is in any output of ${client}`, () => {
      withWorld((world) => {
        fill(world);
        for (const explain of [false, true]) {
          const report = world.run({ client, explain });
          for (const output of everyOutput(report)) assert.doesNotMatch(output, new RegExp(CANARY, 'i'));
        }
      });
    });
  }

  it('the control: every source was read and its names are there', () => {
    withWorld((world) => {
      const files = fill(world);
      for (const path of files) assert.match(readFileSync(path, 'utf8'), new RegExp(CANARY));
      const rows = rowsOf(world.run({ client: 'all' }));
      assert.equal(rows.filter((row) => row.endsWith(' local stdio')).length, 18);
      assert.equal(rows.filter((row) => row.endsWith(' remote remote')).length, 17);
      assert.equal(rows.filter((row) => row.endsWith(' broken malformed')).length, 17);
    });
  });

  it('no file is changed, and none but the candidates is touched', () => {
    withWorld((world) => {
      const files = fill(world);
      const bait = world.inProject('secret.txt', CANARY);
      const facts = (): unknown =>
        [...files, bait].map((path) => {
          const { mtimeNs, ctimeNs, atimeNs, mode, size } = statSync(path, { bigint: true });
          return [path, mtimeNs, ctimeNs, process.platform === 'linux' ? atimeNs : 0n, mode, size];
        });
      const before = facts();
      const report = world.run({ client: 'all', explain: true });
      assert.deepEqual(facts(), before);
      const candidates = [...report.sources, ...report.instructions].map(({ path }) => path);
      assert.deepEqual(
        world.touched.filter((path) => !candidates.includes(path)),
        [],
      );
    });
  });

  it('faults of the parsers and of the operating system are words of ours', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', `{"mcpServers": ${CANARY}`);
      world.inProject('.codex/config.toml', `a = ${CANARY}`);
      world.inProject('.vscode/mcp.json', `{"servers": {"a": '${CANARY}'}}`);
      const report = world.run({ client: 'all', explain: true });
      const problems = report.sources.flatMap(({ problem }) => problem ?? []);
      assert.deepEqual(new Set(problems), new Set(['syntax']));
      for (const output of everyOutput(report)) {
        assert.doesNotMatch(output, new RegExp(`${CANARY}|ENOENT|EACCES|Error|at position|line \\d`));
      }
    });
  });
});
