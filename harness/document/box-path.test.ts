import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxPathBytes, isBoxPath, toBoxPath } from './box-path.ts';

test('names of any bytes have one text each, and no two the same', () => {
  const names: readonly (readonly [Buffer, string])[] = [
    [Buffer.from('plain.txt'), 'plain.txt'],
    [Buffer.from('caf\u00e9'), 'caf\u00e9'],
    [Buffer.from('cafe\u0301'), 'cafe\u0301'],
    [Buffer.from('caf\xe9', 'latin1'), 'caf%E9'],
    [Buffer.from('caf%E9'), 'caf%25E9'],
    [Buffer.from('caf\\xe9'), 'caf\\xe9'],
    [Buffer.from('100%'), '100%25'],
    [Buffer.from('a\nb\tc\\'), 'a\nb\tc\\'],
    // A whole character between broken ones, a character cut short, an overlong one, half a surrogate pair.
    [Buffer.from([0xff, 0xc3, 0xa9, 0xe2, 0x82]), '%FF\u00e9%E2%82'],
    [Buffer.from([0xc0, 0xaf]), '%C0%AF'],
    [Buffer.from([0xed, 0xa0, 0x80]), '%ED%A0%80'],
    [Buffer.from('\ufeff'), '\ufeff'],
    [Buffer.alloc(255, 0xff), '%FF'.repeat(255)],
  ];
  for (const [bytes, text] of names) {
    assert.equal(toBoxPath(bytes), text);
    assert.deepEqual(boxPathBytes(text), bytes);
    assert.equal(isBoxPath(text), true, text);
  }
  assert.equal(new Set(names.map(([, text]) => text)).size, names.length);
});

test('every pair of bytes comes back', () => {
  for (let value = 0; value < 0x10000; value += 1) {
    const bytes = Buffer.of(value >> 8, value & 0xff);
    const text = toBoxPath(bytes);
    if (!boxPathBytes(text).equals(bytes)) assert.fail(`${value.toString(16)} became ${text}`);
  }
});

test('a text that some bytes do not have is none', () => {
  for (const text of ['100%', '%', '%2', '%2f%', '%e9', '%41', '%C3%A9', 'a%00', '\ud800', '%25%GG']) {
    assert.equal(isBoxPath(text), false, text);
  }
});
