import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardFormOf } from './guard-form.ts';

const HASH = 'a'.repeat(64);
const WRAP =
  `guard run --inner --server-name files --declared-env A,B --orig-hash ${HASH} -- npx -y thing`.split(' ');
const SCRIPT = '/opt/tool/dist/index.js';

function without(...tokens: readonly string[]): string[] {
  return WRAP.filter((token) => !tokens.includes(token));
}

function withTail(tail: string): string[] {
  return [...'guard run --inner --server-name files'.split(' '), ...tail.split(' ')];
}

describe('guardFormOf', () => {
  it('finds none without the mark', () => {
    assert.equal(guardFormOf('npx', ['-y', 'thing']), 'none');
    assert.equal(guardFormOf('mcpm', ['guard', 'run']), 'none');
    assert.equal(guardFormOf('mcpm', ['guard', '--inner', 'run']), 'none');
    assert.equal(guardFormOf('mcpm', []), 'none');
  });

  it('recognises the launcher', () => {
    assert.equal(guardFormOf('mcpm', WRAP), 'launcher');
    assert.equal(guardFormOf('mcpm', without('--declared-env', 'A,B')), 'launcher');
    assert.equal(guardFormOf('mcpm', without('--orig-hash', HASH)), 'launcher');
    assert.equal(
      guardFormOf('mcpm', withTail(`--confine-required --confine-profile-hash ${HASH} -- x`)),
      'launcher',
    );
  });

  it('recognises the form of the script, on whatever system the file was written for', () => {
    assert.equal(guardFormOf('/usr/bin/node', [SCRIPT, ...WRAP]), 'node-script');
    assert.equal(guardFormOf('C:\\node\\node.exe', ['C:/tool/dist/index.js', ...WRAP]), 'node-script');
  });

  it('does not name a guard that another command carries the mark of', () => {
    assert.equal(guardFormOf('echo', WRAP), 'unknown');
    assert.equal(guardFormOf('/usr/local/bin/mcpm', WRAP), 'unknown');
    assert.equal(guardFormOf('node', [SCRIPT, ...WRAP]), 'unknown');
  });

  const malformed: readonly (readonly [string, readonly string[]])[] = [
    ['nothing after the mark', ['guard', 'run', '--inner']],
    ['no name', without('--server-name', 'files')],
    ['an empty name', WRAP.map((token) => (token === 'files' ? '' : token))],
    ['the name not first', [...WRAP.slice(0, 3), '--declared-env', 'A', ...WRAP.slice(3)]],
    ['no separator', without('--')],
    ['nothing to wrap', WRAP.slice(0, WRAP.indexOf('--') + 1)],
    ['an unknown flag', withTail('--quiet -- x')],
    ['a flag twice', withTail('--declared-env A --declared-env B -- x')],
    ['a flag without its value', withTail('--declared-env -- x')],
    ['a short hash', withTail('--orig-hash abc -- x')],
    ['a hash in capitals', withTail(`--confine-profile-hash ${HASH.toUpperCase()} -- x`)],
    ['a required profile without its hash', withTail('--confine-required -- x')],
    ['the mark in another place', ['x', 'y', ...WRAP]],
    ['a script with another name', ['/opt/tool/index.js', ...WRAP]],
    ['a relative script', ['dist/index.js', ...WRAP]],
  ];
  for (const [what, args] of malformed) {
    it(`calls it malformed: ${what}`, () => assert.equal(guardFormOf('mcpm', args), 'malformed'));
  }
});
