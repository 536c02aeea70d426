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

  test('has the cases that were seen, and leaves out with a word what was not as it should be', () => {
    const help = { exitCode: 0, stdout: '  --dry-run  tries\n  --help  shows this\n', stderr: '' };
    const version = { exitCode: 0, stdout: 'tool 1.2.3+build\n', stderr: 'a warning\n' };
    const mistyped = { exitCode: 64, stdout: '', stderr: 'unknown option\n' };
    const text = toStarterSuite(FACTS_OF_TOOL, new Map([['tool', { help, version, mistyped }]])) ?? '';
    const options = { file: 'x.yaml', candidateFacts: FACTS_OF_TOOL };
    const { cases } = compileSuite(Buffer.from(text), options);
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['own.tool.version', 'own.tool.help', 'own.tool.unknown-option'],
    );
    assert.match(text, /includes: \["--dry-run", "--help"\]/);
    assert.match(text, /exited: 64/);
    // An outline becomes a case when its marks of a comment are taken away.
    assert.equal(text.match(/# - id: /g)?.length, 1);
    const filled = compileSuite(Buffer.from(text.replace(/^ {2}# (?=[- ] )/gm, '  ')), options);
    assert.equal(filled.cases.at(-1)?.id, 'own.tool.dry-run');
    const wrong = { help: { ...help, exitCode: 1 }, version: { ...version, stdout: 'no' }, mistyped };
    const less = toStarterSuite(FACTS_OF_TOOL, new Map([['tool', wrong]])) ?? '';
    assert.match(less, /No case of --version: it exited with 0 and did not print the version/);
    assert.match(less, /No case of --help: it exited with 1/);
    assert.equal(compileSuite(Buffer.from(less), options).cases.length, 1);
    const bins = [...FACTS_OF_TOOL.bins, { name: 'other', path: 'x.js' }];
    const one = toStarterSuite({ ...FACTS_OF_TOOL, bins }, new Map([['tool', { help, version, mistyped }]]));
    assert.match(one ?? '', /# No case of "other": it was not asked for anything/);
    // Nothing that was seen is worth a case: the guesses stand.
    const none = { help: null, version: null, mistyped: null };
    const guesses = toStarterSuite(FACTS_OF_TOOL, new Map([['tool', none]])) ?? '';
    assert.equal(compileSuite(Buffer.from(guesses), options).cases.length, 2);
  });

  test('is none without a bin', () => {
    assert.equal(toStarterSuite({ ...FACTS_OF_TOOL, bins: [] }), null);
  });
});
