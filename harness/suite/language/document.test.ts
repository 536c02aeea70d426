import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../document/assets.ts';
import { compileSuite } from './compile-suite.ts';
import { KEYS, WORDS } from './keys.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';

const PAGE = readFileSync(join(packageRoot(), 'docs', 'suite-language.md'), 'utf8');

test('the example of the page about the language is a suite', () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? [];
  const bins = [{ name: 'greet', path: 'greet.js' }];
  const suite = compileSuite(Buffer.from(example), {
    file: 'x.yaml',
    candidateFacts: { ...FACTS_OF_TOOL, bins },
  });
  assert.deepEqual(
    suite.cases.map(({ id, checks }) => [id, checks.map((check) => check.id)]),
    [
      ['own.greets-file', ['run.stdout.equals', 'run.termination', 'run.stderr', 'leftovers', 'oom-kill']],
      [
        'own.missing-file',
        [
          ...['run.termination', 'run.stdout.empty', 'run.stderr.includes', 'run.stderr.matches-none'],
          ...['leftovers', 'oom-kill'],
        ],
      ],
    ],
  );
});

test('the page names every key and every word', () => {
  for (const name of [...Object.values(KEYS).flat(), ...Object.values(WORDS).flat()]) {
    assert.ok(PAGE.includes(name), name);
  }
});
