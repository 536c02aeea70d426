import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CandidateFacts } from '../facts.ts';
import { compileSuite } from './compile-suite.ts';
import { toStarterSuite } from './starter.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';

function compiled(candidateFacts: CandidateFacts): readonly string[] {
  const text = toStarterSuite(candidateFacts);
  assert.ok(text !== null);
  const suite = compileSuite(Buffer.from(text), { file: 'x.yaml', candidateFacts });
  return suite.cases.flatMap(({ id, steps }) => steps.map(({ argv }) => `${id} ${argv.join(' ')}`));
}

describe('a starter suite', () => {
  test('compiles for its candidate and asks each bin by its link', () => {
    assert.deepEqual(compiled(FACTS_OF_TOOL), [
      'own.tool.version /opt/candidate/node_modules/.bin/tool --version',
      'own.tool.unknown-option /opt/candidate/node_modules/.bin/tool --no-such-option',
    ]);
    const facts = { ...FACTS_OF_TOOL, dependencies: ['@modelcontextprotocol/sdk'] };
    assert.deepEqual(compiled(facts), ['own.tool.conversation /opt/candidate/node_modules/.bin/tool']);
  });

  test('keeps hostile names of bins inside their quotes, and their ids apart', () => {
    const names = ['a"b', 'a: b', '#a', 'A B', '\x24{version}', 'line\nbreak'];
    const bins = names.map((name) => ({ name, path: 'x.js' }));
    const found = compiled({ ...FACTS_OF_TOOL, bins }).filter((one) => one.includes('.version '));
    assert.deepEqual(found, [
      'own.a-b.version /opt/candidate/node_modules/.bin/a"b --version',
      'own.a-b-2.version /opt/candidate/node_modules/.bin/a: b --version',
      'own.a.version /opt/candidate/node_modules/.bin/#a --version',
      'own.a-b-3.version /opt/candidate/node_modules/.bin/A B --version',
    ]);
  });

  test('is none without a bin', () => {
    assert.equal(toStarterSuite({ ...FACTS_OF_TOOL, bins: [] }), null);
  });
});
