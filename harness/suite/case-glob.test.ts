import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGlob, matchesGlob } from './case-glob.ts';

test('the small language of globs', () => {
  const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['one', ['one'], ['on', 'one.', 'xone']],
    ['own.*', ['own.', 'own.a', 'own.a.b'], ['own', 'xown.a']],
    ['*.twice', ['a.twice', '.twice'], ['twice', 'a.twice.b']],
    ['a?c', ['abc', 'a.c'], ['ac', 'abbc']],
    ['{a,b.*}-x', ['a-x', 'b.-x', 'b.c-x'], ['b-x', 'c-x']],
    ['a{,-b}', ['a', 'a-b'], ['ab']],
  ];
  for (const [glob, matching, others] of table) {
    assert.ok(isGlob(glob), glob);
    for (const name of matching) assert.ok(matchesGlob(glob, name), `${glob} ${name}`);
    for (const name of others) assert.ok(!matchesGlob(glob, name), `${glob} ${name}`);
  }
});

test('what other globs mean something by is none', () => {
  const none = [
    '',
    '**',
    'a**',
    '!a',
    '[ab]',
    '+(a)',
    '@(a|b)',
    '{a}',
    '{a,{b,c}}',
    '{1..3}',
    '{a,1..3}',
    'a/b',
    'A',
    'a b',
  ];
  for (const text of [...none, '*a*b*c*d', 'x'.repeat(201), '{a,b', 'a\\*']) assert.ok(!isGlob(text), text);
});
