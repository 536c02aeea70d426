import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { binMapOf } from './bin-map.ts';

const read = (manifest: unknown, paths: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(binMapOf(Buffer.from(JSON.stringify(manifest)), paths));

describe('binMapOf', () => {
  it('reads text, object and list forms', () => {
    assert.deepEqual(read({ name: '@s/a', bin: './cli.js' }), { a: 'cli.js' });
    assert.deepEqual(read({ name: 'a', bin: { x: 'x.js', y: './lib/../y.js' } }), { x: 'x.js', y: 'y.js' });
    assert.deepEqual(read({ name: 'a', bin: ['bin/one', 'bin/two.js'] }), {
      one: 'bin/one',
      'two.js': 'bin/two.js',
    });
  });

  it('keeps names and targets inside', () => {
    assert.deepEqual(read({ name: 'a', bin: { '../evil': '../../etc/passwd', 'c:\\x': 'a\\b.js' } }), {
      evil: 'etc/passwd',
      x: 'a/b.js',
    });
  });

  it('drops what names nothing', () => {
    assert.deepEqual(read({ name: 'a', bin: { '..': 'x', '': 'x', '/': 'x', ok: '', no: 3, dot: '.' } }), {});
    assert.deepEqual(read({ bin: 'cli.js' }), {});
    assert.deepEqual(read([]), {});
    assert.deepEqual(Object.fromEntries(binMapOf(Buffer.from('{'), [])), {});
    assert.deepEqual(Object.fromEntries(binMapOf(null, [])), {});
  });

  it('expands directories.bin, hidden files and other folders aside', () => {
    const paths = ['bin/a', 'bin/.hidden', 'bin/sub/b.js', 'lib/c', 'package.json'];
    assert.deepEqual(read({ name: 'a', directories: { bin: './bin/' } }, paths), {
      a: 'bin/a',
      sub: 'bin/sub',
      'b.js': 'bin/sub/b.js',
    });
    assert.deepEqual(read({ name: 'a', bin: 'x.js', directories: { bin: 'bin' } }, paths), { a: 'x.js' });
  });
});
