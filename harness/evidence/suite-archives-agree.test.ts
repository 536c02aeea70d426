import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { sha256Hex } from '../document/digest.ts';
import { buildArchivesLayer } from '../image/archives-layer.ts';
import { ImageError } from '../image/errors.ts';
import { LayerStore } from '../image/layer-store.ts';
import { withScratch } from '../image/testing/scratch.ts';
import { DiskSource } from '../verify/files/disk-source.ts';
import { describeLine } from '../verify/rebuild/base.ts';
import type { ReadPieces } from '../verify/rebuild/contents.ts';
import { type Bytes, layerDigest } from '../verify/rebuild/layer-form.ts';
import { type ArchiveFiles, readSuiteArchive, type TakeContents } from '../verify/rebuild/suite-archive.ts';
import type { InventoryLine } from '../verify/shape/inputs.ts';
import type { SuiteArchive } from '../verify/shape/suite-archive.ts';

// Two readers of one archive, kept apart on purpose: what the one lays into an image, the other must find in it.

type Form = SuiteArchive['unpack'];
type Made = readonly [header: Partial<Header> & { readonly name: string }, content?: Buffer];

async function makeTar(entries: readonly Made[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header as Header, content ?? Buffer.alloc(0));
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

interface Trial {
  readonly folder: string;
  readonly store: LayerStore;
}

const inTrial = (work: (trial: Trial) => Promise<void>): Promise<void> =>
  withScratch(async (folder) => work({ folder, store: await LayerStore.open(join(folder, 'cache')) }));

function toArchive(bytes: Uint8Array, unpack: Form, strip = 0): SuiteArchive {
  const source = { kind: 'given' } as const;
  return { name: 'tool', sha256: sha256Hex(bytes), sizeBytes: bytes.length, unpack, strip, source };
}

/** Keeps every content as the verifier does. */
class Keeper implements TakeContents {
  readonly #found = new Map<string, Bytes>();
  heldBytes = 0;

  readonly whole = (sha256: string, content: Buffer): void => {
    this.#found.set(sha256, content);
    this.heldBytes += content.length;
  };

  readonly large = (sha256: string, read: ReadPieces): void => {
    this.#found.set(sha256, read);
  };

  readonly find = ({ sha256 }: InventoryLine): Bytes | null => this.#found.get(sha256 ?? '') ?? null;
}

/** What the verifier makes of an archive. */
async function read(
  folder: string,
  archive: SuiteArchive,
  bytes: Uint8Array,
  keeper = new Keeper(),
): Promise<ArchiveFiles> {
  await writeFile(join(folder, 'archive'), bytes);
  return readSuiteArchive(archive, { source: new DiskSource(folder), path: 'archive' }, keeper);
}

/** Both readers on one archive, unless the builder refuses it: what each lays where, and the digest of the layer. */
async function compare(
  { folder, store }: Trial,
  archive: SuiteArchive,
  bytes: Uint8Array,
): Promise<'agree' | 'refused'> {
  const file = join(folder, 'archive');
  await writeFile(file, bytes);
  let built: Awaited<ReturnType<typeof buildArchivesLayer>>;
  try {
    built = await buildArchivesLayer(store, [{ ...archive, file }]);
  } catch (error) {
    assert.ok(error instanceof ImageError, String(error));
    return 'refused';
  }
  const lines = built.inventory as readonly InventoryLine[];
  const keeper = new Keeper();
  const files = await read(folder, archive, bytes, keeper);
  const laid = lines.flatMap((line) =>
    line.kind === 'directory' ? [] : [[line.path, describeLine(line)] as const],
  );
  assert.deepEqual(typeof files === 'string' ? files : new Map([...files].sort()), new Map(laid.sort()));
  assert.equal(await layerDigest(lines, keeper.find), built.layer.diffId);
  return 'agree';
}

const name = fc.constantFrom('a', 'b', 'é', 'n'.repeat(60), 'bin');
const part = fc.oneof({ weight: 30, arbitrary: name }, fc.constantFrom('.', '..'));
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const file = fc
  .record({ name: path, mode: fc.nat(0o777), bytes: fc.uint8Array({ maxLength: 700 }) })
  .map(({ bytes, ...header }): Made => [header, Buffer.from(bytes)]);
const folder = path.map((one): Made => [{ name: `${one}/`, type: 'directory' }]);
/** A link, to what came before it where there is anything. */
const link = fc.record({ name: path, type: fc.constantFrom('symlink', 'link'), linkname: path });

const entries = fc
  .record({
    files: fc.array(fc.oneof(file, folder), { minLength: 1, maxLength: 4 }),
    links: fc.array(link, { maxLength: 1 }),
    to: fc.nat(3),
  })
  .map(({ files, links, to }): readonly Made[] => [
    ...files,
    ...links.map(
      (one): Made => [
        { ...one, linkname: one.type === 'link' ? (files[to]?.[0].name ?? one.linkname) : one.linkname },
      ],
    ),
  ]);

/** A tar, packed by xz, with one file `a` of three bytes. */
const XZ =
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AFxdADCAM1AYaImDAdzibiEFTojw2HMHVMJ+/rC8fF9y7p9lFx/YE3N/sldq7qhqFtc8j6ExbdbfQ4b33nYypH3Wp8qzty2xjpVMMnp12SbNBHU9JfA5JZhe+6QTapwAAPL9sgj/nTvCAAF4gFAAAABB5M9escRn+wIAAAAABFla';

describe('builder and verifier read the archive of a suite alike', () => {
  test('whatever files, links and folders it holds', () =>
    inTrial(async (trial) => {
      const seen = { agree: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(
          entries,
          fc.constantFrom('tar', 'tar.gz'),
          fc.nat(2),
          async (made, unpack, strip) => {
            const tar = await makeTar(made);
            const bytes = unpack === 'tar' ? tar : gzipSync(tar);
            seen[await compare(trial, toArchive(bytes, unpack, strip), bytes)] += 1;
          },
        ),
        { numRuns: 60 },
      );
      assert.ok(seen.agree > 10 && seen.refused > 5, JSON.stringify(seen));
    }));

  test('of one file, of an xz, and of an entry that stands for the top', () =>
    inTrial(async (trial) => {
      const whole = Buffer.from('#!/bin/sh\n');
      assert.equal(await compare(trial, toArchive(whole, 'none'), whole), 'agree');
      const dense = Buffer.from(XZ, 'base64');
      assert.equal(await compare(trial, toArchive(dense, 'tar.xz'), dense), 'agree');
      const top = await makeTar([[{ name: '.', type: 'symlink', linkname: 'a' }], [{ name: './a' }]]);
      assert.equal(await compare(trial, toArchive(top, 'tar'), top), 'agree');
    }));

  test('of a file that the verifier does not hold but reads again', () =>
    inTrial(async ({ folder }) => {
      const sizeBytes = 96 * 1024 ** 2;
      const content = Buffer.alloc(sizeBytes);
      const entries: readonly Made[] = [
        [{ name: 'small' }, Buffer.from('x')],
        [{ name: 'large' }, content],
      ];
      const bytes = gzipSync(await makeTar(entries), { level: 1 });
      const keeper = new Keeper();
      const files = await read(folder, toArchive(bytes, 'tar.gz'), bytes, keeper);
      const sha256 = sha256Hex(content);
      const line = { kind: 'file', mode: '0444', sizeBytes, sha256, target: null } as const;
      const large: InventoryLine = { path: 'opt/archives/tool/large', ...line };
      assert.equal(typeof files === 'string' ? files : files.get(large.path), describeLine(large));
      assert.notEqual(await layerDigest([large], keeper.find), null);
      assert.equal(await layerDigest([large], keeper.find), await layerDigest([large], () => content));
      assert.equal(keeper.heldBytes, 1);
    }));
});

describe('the verifier says why it cannot read the archive of a suite', () => {
  const tar = makeTar([
    [{ name: 'a', mode: 0o755 }, Buffer.alloc(2000, 7)],
    [{ name: 'b' }, Buffer.from('b')],
  ]);
  const within = 'the archive ends within an entry';
  const broken: readonly (readonly [
    what: string,
    make: () => Promise<Buffer>,
    unpack: Form,
    told: RegExp,
  ])[] = [
    ['a tar that is cut in a content', async () => (await tar).subarray(0, 1000), 'tar', RegExp(within)],
    ['a tar that is cut in a header', async () => (await tar).subarray(0, 2900), 'tar', RegExp(within)],
    ['a header that was changed', async () => flip(await tar, 3), 'tar', /wrong checksum/],
    ['a tar.gz that is cut', async () => gzipSync(await tar).subarray(0, 60), 'tar.gz', /unexpected end/],
    ['a tar.gz that was changed', async () => flip(gzipSync(await tar), -6), 'tar.gz', /incorrect/],
    ['a tar.xz that is cut', async () => Buffer.from(XZ, 'base64').subarray(0, 100), 'tar.xz', /./],
    ['a tar.xz that was changed', async () => flip(Buffer.from(XZ, 'base64'), 60), 'tar.xz', /./],
    ['a tar that is said to be an xz', async () => tar, 'tar.xz', /./],
  ];
  for (const [what, make, unpack, told] of broken) {
    test(what, () =>
      inTrial(async ({ folder }) => {
        const bytes = await make();
        const files = await read(folder, toArchive(bytes, unpack), bytes);
        assert.match(typeof files === 'string' ? files : JSON.stringify([...files]), told);
        assert.equal(typeof files, 'string');
      }),
    );
  }
});

/** One bit of one byte, counted from the end where it is negative. */
function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
}
