import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ScopeError } from '../errors.ts';
import { resolveRoot } from './root.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-root-')));
after(() => rmSync(dir, { recursive: true, force: true }));
mkdirSync(join(dir, 'real', 'inner'), { recursive: true });
symlinkSync(join(dir, 'real'), join(dir, 'alias'));
symlinkSync(join(dir, 'real', 'inner'), join(dir, 'jump'));
writeFileSync(join(dir, 'file'), '');

describe('resolveRoot', () => {
  it('keeps a canonical root as it is, also with a slash at the end', () => {
    const path = join(dir, 'real');
    assert.deepEqual(resolveRoot(path, '/'), { state: 'present', spelledPath: path, canonicalPath: path });
    assert.deepEqual(resolveRoot(`${path}/`, '/'), resolveRoot(path, '/'));
  });

  it('takes . and relative arguments from the working directory', () => {
    assert.equal(resolveRoot('.', join(dir, 'real')).canonicalPath, join(dir, 'real'));
    assert.equal(resolveRoot('inner', join(dir, 'real')).canonicalPath, join(dir, 'real', 'inner'));
  });

  it('goes through a link that the user chose and keeps both spellings', () => {
    assert.deepEqual(resolveRoot(join(dir, 'alias'), '/'), {
      state: 'present',
      spelledPath: join(dir, 'alias'),
      canonicalPath: join(dir, 'real'),
    });
  });

  it('drops a spelling that names another directory', () => {
    // After the link, .. is the parent of its target; the text alone would say the folder of the link.
    const root = resolveRoot(`${dir}/jump/..`, '/');
    assert.deepEqual(root, {
      state: 'present',
      spelledPath: join(dir, 'real'),
      canonicalPath: join(dir, 'real'),
    });
  });

  it('does not take the name of one directory for another, when it is no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(`${dir}/odd-`), Buffer.from([0xff])]);
    mkdirSync(bytes);
    mkdirSync(join(dir, 'odd-\ufffd'));
    symlinkSync(bytes, join(dir, 'to-odd'));
    const { state, canonicalPath } = resolveRoot(join(dir, 'to-odd'), '/');
    assert.deepEqual([state, canonicalPath], ['unreadable', null]);
    assert.equal(resolveRoot(join(dir, 'odd-\ufffd'), '/').state, 'present');
  });

  it('knows nothing to be there when the current directory is gone', () => {
    assert.deepEqual(resolveRoot('.', null), { state: 'missing', spelledPath: '.', canonicalPath: null });
  });

  it('refuses an empty root before anything is read', () => {
    assert.throws(
      () => resolveRoot('', dir),
      (error) => error instanceof ScopeError && error.code === 'ROOT_EMPTY' && error.where === 'ROOT',
    );
  });

  it('says what an invalid root is', () => {
    const states = [join(dir, 'none'), join(dir, 'file'), join(dir, 'file', 'x'), `${dir}/a\0b`].map(
      (path) => {
        const { state, canonicalPath } = resolveRoot(path, '/');
        return [state, canonicalPath];
      },
    );
    assert.deepEqual(states, [
      ['missing', null],
      ['not-directory', null],
      ['not-directory', null],
      ['missing', null],
    ]);
  });
});
