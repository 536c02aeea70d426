import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeBack } from './take-back.ts';

const own = (path: string): { path: string; uid: number; gid: number } => ({ path, uid: 1000, gid: 1000 });
const of = (path: string, uid = 0): { path: string; uid: number; gid: number } => ({ path, uid, gid: uid });
const THERE = [own('/work'), own('/work/a'), of('/work/a/shut'), of('/work/a/shut/in', 1001), of('/work/ab')];

test('what is taken away and is of others comes back first, and nothing else', () => {
  const told = (...paths: readonly string[]): readonly string[] =>
    takeBack(paths, THERE).map(({ path, uid, gid }) => `${path} ${uid}:${gid}`);
  assert.deepEqual(told('/work/a'), ['/work/a/shut 1000:1000', '/work/a/shut/in 1000:1000']);
  assert.deepEqual(told('/work/a/shut/in'), ['/work/a/shut/in 1000:1000']);
  assert.deepEqual(told('/work/ab', '/work/none'), ['/work/ab 1000:1000']);
  assert.deepEqual([told(), told('/tmp')], [[], []]);
});
