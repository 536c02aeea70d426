import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { hashArchive, integrityHex, parseIntegrity } from './integrity.ts';
import { faultOf } from './testing/folder.ts';

const bytes = Buffer.from('an archive');
const of = (algorithm: string): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
const good = of('sha512');

test('one full-length sha512 is accepted and names the bytes', () => {
  const integrity = parseIntegrity(good, 'node_modules/a');
  assert.equal(integrity, hashArchive(bytes).integrity);
  assert.equal(integrityHex(integrity), createHash('sha512').update(bytes).digest('hex'));
});

const bad: readonly (readonly [string, string, unknown])[] = [
  ['nothing', 'INTEGRITY_MISSING', undefined],
  ['empty text', 'INTEGRITY_MISSING', ' '],
  ['md5', 'INTEGRITY_MD5', of('md5')],
  ['sha1', 'INTEGRITY_SHA1', of('sha1')],
  ['sha256', 'INTEGRITY_WEAK', of('sha256')],
  ['sha384', 'INTEGRITY_WEAK', of('sha384')],
  ['an unknown algorithm', 'INTEGRITY_INVALID', good.replace('sha512', 'sha513')],
  ['two sha512', 'INTEGRITY_ALTERNATIVES', `${good} ${hashArchive(Buffer.from('other')).integrity}`],
  ['sha1 beside sha512', 'INTEGRITY_ALTERNATIVES', `${of('sha1')} ${good}`],
  ['a truncated digest', 'INTEGRITY_TRUNCATED', 'sha512-AAAA'],
  ['a digest one byte short', 'INTEGRITY_TRUNCATED', `sha512-${Buffer.alloc(63).toString('base64')}`],
  ['a digest one byte long', 'INTEGRITY_TRUNCATED', `sha512-${Buffer.alloc(65).toString('base64')}`],
  ['no padding', 'INTEGRITY_TRUNCATED', good.slice(0, -2)],
  ['another spelling of the last bits', 'INTEGRITY_INVALID', `sha512-${'A'.repeat(85)}B==`],
  ['options', 'INTEGRITY_OPTIONS', `${good}?foo`],
  ['text around it', 'INTEGRITY_INVALID', `x${good}`],
  ['a very long text', 'INTEGRITY_INVALID', 'sha512-'.padEnd(5000, 'A')],
];

for (const [what, code, value] of bad) {
  test(`an integrity that is ${what} is refused with ${code}`, () => {
    assert.throws(() => parseIntegrity(value, 'node_modules/a'), faultOf(code, 'node_modules/a'));
  });
}
