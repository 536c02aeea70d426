import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBase } from './base-selection.ts';
import { faultOf } from './testing/folder.ts';

const digest = 'a'.repeat(64);

describe('--base', () => {
  it('is debian, a file, or an image by its digest', () => {
    assert.deepEqual(parseBase('debian'), { kind: 'debian' });
    assert.deepEqual(parseBase('rootfs:../a:b.tar.gz'), { kind: 'rootfs', path: '../a:b.tar.gz' });
    for (const reference of [
      'debian',
      'library/debian:12-slim',
      'registry.example.com/team/base',
      '127.0.0.1:5000/tiny:1',
      'localhost/a_b/c__d',
    ]) {
      const expected = { kind: 'image', reference, digest };
      assert.deepEqual(parseBase(`image:${reference}@sha256:${digest}`), expected);
    }
  });

  it('refuses an image that only a tag names', () => {
    for (const text of ['image:debian:12', 'image:debian']) {
      assert.throws(() => parseBase(text), faultOf('BASE_DIGEST_MISSING', text));
    }
  });

  it('refuses everything else', () => {
    const wrong = [
      '',
      'rootfs:',
      'image:',
      'alpine',
      'oci:x',
      `image:@sha256:${digest}`,
      `image:Team/x@sha256:${digest}`,
      `image:a b@sha256:${digest}`,
      `image:a,b@sha256:${digest}`,
      `image:../x@sha256:${digest}`,
      `image:x@sha256:${digest.slice(1)}`,
      `image:x@sha256:${digest.toUpperCase()}`,
      `image:x@sha512:${digest}`,
      `image:x@sha256:${digest}@sha256:${digest}`,
      `image:${'x'.repeat(256)}@sha256:${digest}`,
    ];
    for (const text of wrong) assert.throws(() => parseBase(text), faultOf('BASE_SELECTION_INVALID', text));
  });
});
