import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../document/digest.ts';
import { buildBaseLayer } from '../base-layer.ts';
import { fileOf } from '../layer-entry.ts';
import { LayerStore, type StoredLayer } from '../layer-store.ts';
import { fault, pin, withScratch } from '../testing/scratch.ts';
import { tinyBase } from '../testing/synthetic-image.ts';
import { completeRoot, fakeLibc, packRootfs, type RootfsEntry } from '../testing/tiny-rootfs.ts';
import { pickAdditions } from './additions.ts';
import { ROOTFS_HEADER_LIMIT_BYTES } from './limits.ts';
import { type KeepContent, readRootfs } from './read-rootfs.ts';
import { checkRootfs } from './requirements.ts';
import { inspectRootfs, writeRootfs } from './rootfs-file.ts';

const keep: KeepContent = async (_path, content) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { sizeBytes: bytes.length, content: bytes };
};

async function* oneByOne(bytes: Buffer, size = bytes.length): AsyncIterable<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(entries: readonly RootfsEntry[]): Promise<readonly string[]> {
  const tree = await readRootfs(oneByOne(await packRootfs(entries)), keep);
  return [...tree.values()].map((entry) => `${entry.kind} ${entry.path}`);
}

const inspect = (entries: readonly RootfsEntry[], platform: 'linux/amd64' | 'linux/arm64' = 'linux/amd64') =>
  withScratch(async (folder) => {
    const file = join(folder, 'rootfs.tar');
    await writeFile(file, await packRootfs(entries));
    await inspectRootfs(file, platform);
  });

const without = (pattern: RegExp): readonly RootfsEntry[] =>
  completeRoot().filter(({ name }) => !pattern.test(name));

describe('a root file system', () => {
  it('is read alike as tar and tar.gz, whole and byte by byte', async () => {
    const tar = await packRootfs(completeRoot());
    const trees = await Promise.all(
      [oneByOne(tar), oneByOne(tar, 7), oneByOne(gzipSync(tar)), oneByOne(gzipSync(tar), 1)].map((source) =>
        readRootfs(source, keep),
      ),
    );
    for (const tree of trees) assert.deepEqual([...tree], [...(trees[0] ?? [])]);
    assert.equal(trees[0]?.size, completeRoot().length - 1);
  });

  it('passes when it has what a box needs', () => inspect(completeRoot()));

  it('loses setuid bits and gets hard links as files of their own', async () => {
    const entries = [
      { name: 'usr/bin/su', mode: 0o4755, content: 'su' },
      { name: 'usr/bin/twin', type: 'link', linkname: './usr/bin/su' },
    ] as const;
    const tree = await readRootfs(oneByOne(await packRootfs(entries)), keep);
    for (const path of ['usr/bin/su', 'usr/bin/twin']) {
      const entry = tree.get(path);
      assert.deepEqual(entry, { kind: 'file', path, mode: 0o755, sizeBytes: 2, content: Buffer.from('su') });
    }
  });

  it('leaves out what lies below mounts and what packproof lays itself', async () => {
    const entries = [
      { name: 'dev/null', type: 'character-device' },
      { name: 'home/node/.bashrc', content: 'x' },
      { name: 'tmp/x', content: 'x' },
      { name: '.dockerenv' },
      { name: 'etc/passwd', content: 'node:x:1000:1000::/home/node:/bin/sh' },
      { name: 'usr/local/bin/node', mode: 0o755, content: 'node' },
      { name: 'etc/os-release', content: 'kept' },
    ] as const;
    assert.deepEqual(await read(entries), ['file etc/os-release']);
  });

  const hostile: readonly (readonly [string, string, readonly RootfsEntry[]])[] = [
    ['ROOTFS_PATH', '/etc/x', [{ name: '/etc/x' }]],
    ['ROOTFS_PATH', 'a/../../x', [{ name: 'a/../../x' }]],
    ['ROOTFS_PATH', 'a//b', [{ name: 'a//b' }]],
    ['ROOTFS_PATH_TOO_LONG', 'n'.repeat(255), [{ name: `${'n'.repeat(256)}` }]],
    ['ROOTFS_NAME_NOT_UTF8', 'a\u{fffd}', [{ name: 'a\u{fffd}' }]],
    ['ROOTFS_DEVICE', 'etc/null', [{ name: 'etc/null', type: 'character-device' }]],
    ['ROOTFS_DEVICE', 'etc/disk', [{ name: 'etc/disk', type: 'block-device' }]],
    ['ROOTFS_KIND', 'etc/pipe', [{ name: 'etc/pipe', type: 'fifo' }]],
    ['ROOTFS_HARD_LINK', 'etc/x', [{ name: 'etc/x', type: 'link', linkname: '../../etc/shadow' }]],
    ['ROOTFS_HARD_LINK', 'etc/x', [{ name: 'etc/x', type: 'link', linkname: '/etc/shadow' }]],
    [
      'ROOTFS_HARD_LINK',
      'etc/x',
      [{ name: 'etc/x', type: 'link', linkname: 'etc/later' }, { name: 'etc/later' }],
    ],
    [
      'ROOTFS_DUPLICATE',
      'etc/x',
      [
        { name: 'etc/x', content: '1' },
        { name: './etc/x', content: '2' },
      ],
    ],
    [
      'ROOTFS_DUPLICATE',
      'x',
      [
        { name: 'x', type: 'directory' },
        { name: 'x', type: 'symlink', linkname: '/' },
      ],
    ],
    ['ROOTFS_DUPLICATE', 'etc/hosts', [{ name: 'etc/hosts' }, { name: 'etc/hosts' }]],
    ['ROOTFS_THROUGH_LINK', 'a/x', [{ name: 'a', type: 'symlink', linkname: 'etc' }, { name: 'a/x' }]],
    ['ROOTFS_THROUGH_LINK', 'a/x', [{ name: 'a/x' }, { name: 'a', type: 'symlink', linkname: 'etc' }]],
    ['ROOTFS_MOUNT_POINT', 'tmp', [{ name: 'tmp', type: 'symlink', linkname: '/var/tmp' }]],
    ['ROOTFS_MOUNT_POINT', 'home', [{ name: 'home', type: 'symlink', linkname: 'var/home' }]],
    ['ROOTFS_MOUNT_POINT', 'proc', [{ name: 'proc' }]],
    ['ROOTFS_RESERVED', 'opt', [{ name: 'opt', type: 'symlink', linkname: 'var/opt' }]],
    ['ROOTFS_RESERVED', '.packproof/perl', [{ name: '.packproof/perl' }]],
    ['ROOTFS_RESERVED', 'opt/candidate/node_modules/x.js', [{ name: 'opt/candidate/node_modules/x.js' }]],
    ['ROOTFS_EMPTY', 'archive', [{ name: './', type: 'directory' }]],
  ];
  for (const [code, where, entries] of hostile) {
    it(`is refused with ${code} for ${where.slice(0, 40)} (${entries.map(({ type }) => type ?? 'file')})`, () =>
      assert.rejects(read(entries), { ...fault(code, where), kind: 'usage' }));
  }

  it('is refused beyond its limits, before it was read to its end', async () => {
    const tar = await packRootfs([{ name: 'a', content: 'xx' }, { name: 'b' }, { name: 'c' }]);
    for (const limits of [
      { entries: 1, unpackedBytes: 9 },
      { entries: 9, unpackedBytes: 1 },
    ]) {
      const where = limits.entries === 1 ? 'b' : 'a';
      await assert.rejects(readRootfs(oneByOne(tar), keep, limits), fault('ROOTFS_TOO_LARGE', where));
    }
    const endless = async function* (): AsyncIterable<Buffer> {
      yield tar.subarray(0, 1024);
      for (let fed = 0; fed < 64 * ROOTFS_HEADER_LIMIT_BYTES; fed += 65536) yield Buffer.alloc(65536);
      assert.fail('read on');
    };
    await assert.rejects(readRootfs(endless(), keep), fault('ROOTFS_HEADER_TOO_LARGE', 'archive'));
  });

  it('lets what its source or the disk says through', async () => {
    const failing = async function* (): AsyncIterable<Buffer> {
      yield (await packRootfs(completeRoot())).subarray(0, 1024);
      throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' });
    };
    await assert.rejects(readRootfs(failing(), keep), { code: 'EIO' });
    const full: KeepContent = () =>
      Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }));
    const tar = await packRootfs(completeRoot());
    await assert.rejects(readRootfs(oneByOne(tar), full), { code: 'ENOSPC' });
  });

  it('is refused when it is cut short, no tar at all, or packed otherwise', async () => {
    const tar = await packRootfs(completeRoot());
    const broken = [tar.subarray(0, 700), gzipSync(tar).subarray(0, 300), Buffer.alloc(2048, 'x')];
    for (const bytes of broken) {
      await assert.rejects(readRootfs(oneByOne(bytes), keep), fault('ROOTFS_UNREADABLE', 'archive'));
    }
    const xz = Buffer.from('fd377a585a0000', 'hex');
    await assert.rejects(readRootfs(oneByOne(xz), keep), fault('ROOTFS_COMPRESSION', 'archive'));
  });

  const incomplete: readonly (readonly [string, RegExp])[] = [
    ['/lib64/ld-linux-x86-64.so.2', /ld\.so$/],
    ['/bin/sh', /usr\/bin\/dash$/],
    ['/usr/bin/env', /usr\/bin\/env$/],
    ['libstdc++.so.6', /libstdc/],
    ['libc.so.6', /libc\.so\.6$/],
  ];
  for (const [where, pattern] of incomplete) {
    it(`without ${where} is refused`, () =>
      assert.rejects(inspect(without(pattern)), { ...fault('ROOTFS_INCOMPLETE', where), kind: 'usage' }));
  }

  it('of another machine, another C library, or with a program that cannot be executed is refused', async () => {
    await assert.rejects(inspect(completeRoot({ libc: fakeLibc({ machine: 183 }) })), {
      ...fault('ROOTFS_PLATFORM', 'libc.so.6'),
      actual: '183',
    });
    await assert.rejects(
      inspect(completeRoot({ libc: Buffer.from('musl') })),
      fault('ROOTFS_INCOMPLETE', 'libc.so.6'),
    );
    const musl = [{ name: 'lib/ld-musl-x86_64.so.1', mode: 0o755 }];
    await assert.rejects(inspect(musl), { code: 'ROOTFS_INCOMPLETE', actual: /it has musl/ });
    const plain = [...without(/usr\/bin\/env$/), { name: 'usr/bin/env', content: 'env' }];
    await assert.rejects(inspect(plain), fault('ROOTFS_INCOMPLETE', 'the right to execute /usr/bin/env'));
  });
});

describe('the base layer of a root file system', () => {
  const build = async (folder: string, tar: Buffer): Promise<StoredLayer> => {
    await mkdir(folder, { recursive: true });
    return buildBaseLayer(await LayerStore.open(join(folder, 'cache')), {
      platform: 'linux/amd64',
      rootfs: await pin(folder, 'rootfs.tar', tar),
      archives: [await tinyBase(folder)],
      holderSource: Buffer.from('holder'),
      probeSource: Buffer.from('probe'),
    });
  };

  it('has its files, empty mount points, our own folder, and libraries that it lacks in both places', () =>
    withScratch(async (folder) => {
      const tar = await packRootfs([...completeRoot(), { name: 'work/old', content: 'x' }]);
      const { inventory } = await build(folder, tar);
      const paths = inventory.map(({ path }) => path);
      for (const path of ['dev', 'home/node', 'proc', 'sys', 'tmp', 'work']) {
        assert.equal(inventory.find((file) => file.path === path)?.kind, 'directory');
        assert.deepEqual(
          paths.filter((other) => other.startsWith(`${path}/`)),
          [],
        );
      }
      for (const path of ['.packproof/holder.pl', 'etc/passwd', 'usr/bin/dash', 'bin'])
        assert.ok(paths.includes(path), path);
      for (const place of ['usr/lib/x86_64-linux-gnu', 'usr/lib64']) {
        assert.ok(paths.includes(`${place}/libtiny.so.1`), place);
        assert.ok(paths.includes(`${place}/libtiny.so.1.2`), place);
      }
    }));

  it('keeps a library that is there', () =>
    withScratch(async (folder) => {
      const name = 'usr/lib/x86_64-linux-gnu/libtiny.so.1';
      const { inventory } = await build(
        folder,
        await packRootfs([...completeRoot(), { name, content: 'own' }]),
      );
      const found = inventory.filter(({ path }) => path.includes('libtiny'));
      assert.deepEqual(
        found.map(({ path, sha256 }) => [path, sha256]),
        [[name, sha256Hex(Buffer.from('own'))]],
      );
    }));

  it('is the same from the one form of the same files, whatever their order, owners and times', () =>
    withScratch(async (folder) => {
      const [first, ...rest] = completeRoot();
      assert.ok(first !== undefined);
      const other = [first, ...rest.reverse()].map((entry) => ({ ...entry, uid: 7, mtime: new Date(0) }));
      const tars = await Promise.all([completeRoot(), other].map(packRootfs));
      assert.notEqual(...(tars.map(String) as [string, string]));
      const forms: string[] = [];
      for (const [index, tar] of tars.entries()) {
        const file = join(folder, `form-${index}.tar`);
        await writeRootfs(oneByOne(tar), file);
        const { sha256 } = await pin(folder, 'copy', await readFile(file));
        forms.push(sha256);
        await inspectRootfs(file, 'linux/amd64');
      }
      assert.equal(forms[0], forms[1]);
      const layers = await Promise.all(tars.map((tar, index) => build(join(folder, String(index)), tar)));
      assert.equal(layers[0]?.layer.diffId, layers[1]?.layer.diffId);
    }));

  it('is refused when the C library is older than what is laid asks for', async () => {
    const { entries, needed } = pickAdditions(new Map(), 'linux/amd64', [
      fileOf('.packproof/perl', Buffer.from('\0GLIBC_2.4\0GLIBC_2.34\0GLIBC_2.7\0')),
    ]);
    assert.deepEqual([entries.length, needed], [1, 34]);
    const tree = await readRootfs(
      oneByOne(await packRootfs(completeRoot({ libc: fakeLibc({ minor: 33 }) }))),
      keep,
    );
    await assert.rejects(
      checkRootfs(tree, 'linux/amd64', needed),
      fault('ROOTFS_GLIBC_TOO_OLD', 'libc.so.6'),
    );
    await checkRootfs(tree, 'linux/amd64', 33);
  });
});
