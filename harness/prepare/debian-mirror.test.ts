import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mirrorsOf, mirrorUris, parseDeb822, parseOneLine, readMirrors } from './debian-mirror.ts';
import { inFolder } from './testing/folder.ts';

test('one-line sources are read with their options', () => {
  const text = [
    '# deb http://commented.invalid/debian bookworm main',
    'deb http://mirror.invalid/debian/ bookworm main contrib # note',
    'deb [arch=amd64 signed-by=/k.gpg] https://s.invalid/debian-security bookworm-security main',
    'deb-src http://mirror.invalid/debian bookworm main',
    'deb cdrom:[x]/ bookworm main',
  ].join('\n');
  assert.deepEqual(parseOneLine(text), [
    { uri: 'http://mirror.invalid/debian', suite: 'bookworm', signedBy: null },
    { uri: 'https://s.invalid/debian-security', suite: 'bookworm-security', signedBy: '/k.gpg' },
  ]);
});

test('deb822 sources are read; disabled ones and sources of source code are not', () => {
  const text = [
    'Types: deb deb-src\n# note\nURIs: http://a.invalid/debian http://b.invalid/debian\nSuites: bookworm\n bookworm-updates\nComponents: main\nSigned-By:\n -----BEGIN\n .\n key',
    'Types: deb\nEnabled: no\nURIs: http://c.invalid\nSuites: bookworm\n',
    'Types: deb-src\nURIs: http://d.invalid\nSuites: bookworm\n',
  ].join('\n\n');
  const found = parseDeb822(text);
  assert.deepEqual(
    found.map(({ uri, suite }) => `${uri} ${suite}`),
    [
      'http://a.invalid/debian bookworm',
      'http://a.invalid/debian bookworm-updates',
      'http://b.invalid/debian bookworm',
      'http://b.invalid/debian bookworm-updates',
    ],
  );
  assert.match(found[0]?.signedBy ?? '', /-----BEGIN\n \.\n key/u);
});

test('only mirrors of the release are kept, from both kinds of file', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, 'sources.list.d'));
    await writeFile(join(folder, 'sources.list'), 'deb http://a.invalid/debian bookworm main\n');
    const other = 'deb http://b.invalid/x nodistro main\ndeb http://c.invalid/y vendor-bookworm main\n';
    await writeFile(join(folder, 'sources.list.d', 'b.list'), other);
    const security = 'Types: deb\nURIs: http://d.invalid/debian-security\nSuites: bookworm-security\n';
    await writeFile(join(folder, 'sources.list.d', 'd.sources'), security);
    const mirrors = await readMirrors('bookworm', folder);
    assert.deepEqual(mirrorUris(mirrors, 'debian'), [
      'http://a.invalid/debian',
      'http://d.invalid/debian-security',
    ]);
    assert.deepEqual(mirrorUris(mirrors, 'debian-security'), [
      'http://d.invalid/debian-security',
      'http://a.invalid/debian',
    ]);
    assert.deepEqual(await readMirrors('trixie', folder), []);
    assert.deepEqual(await readMirrors('bookworm', join(folder, 'none')), []);
  }));

test('a given mirror stands for the release and its security archive beside it', () => {
  assert.deepEqual(mirrorUris(mirrorsOf('http://m.invalid/debian/', 'bookworm'), 'debian-security'), [
    'http://m.invalid/debian-security',
    'http://m.invalid/debian',
  ]);
});
