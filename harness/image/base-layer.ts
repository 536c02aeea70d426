import type { Platform } from '../boundary/boundary.ts';
import { sha256Hex } from '../document/digest.ts';
import type { BaseArchive, Inclusion } from './base-lock.ts';
import { type DebEntry, readDeb } from './deb.ts';
import { ImageError } from './errors.ts';
import { fileOf, type LayerEntry } from './layer-entry.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { type PinnedFile, readPinnedBytes } from './pinned-file.ts';
import { pickAdditions } from './rootfs/additions.ts';
import { checkRootfs } from './rootfs/requirements.ts';
import { openRootfs, ROOTFS_RULES } from './rootfs/rootfs-file.ts';
import type { Spool } from './spool.ts';

/** A pinned package and where its bytes lie on the host. */
export interface BaseArchiveFile {
  readonly archive: BaseArchive;
  readonly file: string;
}

export interface BaseInputs {
  readonly platform: Platform;
  /** A root file system that somebody brought; null for packproof's own, made of `archives` alone. */
  readonly rootfs: PinnedFile | null;
  /** Pinned packages. On a `rootfs` only what it lacks of `ADDED_PACKAGES` is laid of them. */
  readonly archives: readonly BaseArchiveFile[];
  /** Bytes of the holder, laid as `/.packproof/holder.pl`. */
  readonly holderSource: Uint8Array;
  /** Bytes of the probe, laid as `/.packproof/probe.pl`. */
  readonly probeSource: Uint8Array;
}

const MOUNT_POINTS = ['dev', 'home/node', 'proc', 'sys', 'work'];
const PLAIN_DIRECTORIES = [...MOUNT_POINTS, 'usr/lib64', 'usr/sbin'];

/** Debian's /usr merge: programs name `/bin/sh` and `/lib64/ld-linux-x86-64.so.2`. */
const MERGED_LINKS = ['bin', 'sbin', 'lib', 'lib64'];

/**
 * Docker unlinks these in every image and puts empty files of its own there, mode 0755, which stay empty
 * without a network. We lay the very same, so that a box's root looks alike on every engine.
 */
const EMPTY_FILES = ['etc/hostname', 'etc/hosts', 'etc/resolv.conf'];

/**
 * What the C library asks for. There is no line for uid 1000, because a user's machine in a container has
 * none either and programs that need one fail there (package-faults, "no passwd line").
 * `myhostname` answers for localhost and the box's own name, since there is no hosts file to do it.
 */
const ETC: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files myhostname dns\n',
};

/**
 * The base layer: C and C++ libraries, shell, `env`, the holder and its Perl, and empty mount points. With a
 * `rootfs` the libraries and programs are its own.
 *
 * The same archives and sources give the same layer on every machine; the platform need not be this one's.
 * @throws {ImageError} BASE_ARCHIVE_MISSING, ARCHIVE_DIGEST_DIFFERS, DEB_MALFORMED,
 * DEB_COMPRESSION_UNSUPPORTED, DEB_PATH_MISSING, ROOTFS_* (kind `usage`), and those of `planLayer`.
 */
export async function buildBaseLayer(store: LayerStore, inputs: BaseInputs): Promise<StoredLayer> {
  if (inputs.archives.length === 0) {
    throw new ImageError('infrastructure', 'BASE_ARCHIVE_MISSING', 'base', {
      where: inputs.platform,
      expected: 'at least one package',
      actual: 'none',
    });
  }
  const { rootfs } = inputs;
  const sources = {
    platform: inputs.platform,
    archives: inputs.archives.map(({ archive }) => ({ sha256: archive.sha256, include: archive.include })),
    holder: sha256Hex(inputs.holderSource),
    probe: sha256Hex(inputs.probeSource),
  };
  if (rootfs !== null) {
    const skeleton = { directories: MOUNT_POINTS, empty: EMPTY_FILES, etc: ETC, rules: ROOTFS_FORMAT };
    return store.obtain({
      role: 'base',
      rules: ROOTFS_RULES,
      inputs: { ...sources, rootfs: rootfs.sha256, skeleton },
      entries: (spool) => rootfsEntries(inputs, rootfs, spool),
    });
  }
  return store.obtain({
    role: 'base',
    rules: { prefix: null, fault: 'infrastructure' },
    inputs: {
      ...sources,
      skeleton: { directories: PLAIN_DIRECTORIES, links: MERGED_LINKS, empty: EMPTY_FILES, etc: ETC },
    },
    entries: () => baseEntries(inputs),
  });
}

/** Part of the key of such a layer: raise it when the rules of `rootfs/` would make another layer. */
const ROOTFS_FORMAT = 1;

async function baseEntries(inputs: BaseInputs): Promise<readonly LayerEntry[]> {
  return [
    ...directories(PLAIN_DIRECTORIES),
    ...MERGED_LINKS.map((path): LayerEntry => ({ kind: 'symlink', path, target: `usr/${path}` })),
    ...ownFiles(inputs),
    ...(await allPackageEntries(inputs)),
  ];
}

/** What the root file system has, and of ours what it lacks. */
async function rootfsEntries(
  inputs: BaseInputs,
  rootfs: PinnedFile,
  spool: Spool,
): Promise<readonly LayerEntry[]> {
  const tree = await openRootfs(rootfs, spool);
  const { entries, needed } = pickAdditions(tree, inputs.platform, await allPackageEntries(inputs));
  await checkRootfs(tree, inputs.platform, needed);
  const all = new Map(tree);
  for (const entry of [...directories(MOUNT_POINTS), ...ownFiles(inputs), ...entries])
    all.set(entry.path, entry);
  return [...all.values()];
}

function directories(paths: readonly string[]): readonly LayerEntry[] {
  return [
    ...paths.map((path): LayerEntry => ({ kind: 'directory', path, mode: 0o755 })),
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
  ];
}

function ownFiles(inputs: BaseInputs): readonly LayerEntry[] {
  return [
    ...Object.entries(ETC).map(([path, text]) => fileOf(path, Buffer.from(text))),
    ...EMPTY_FILES.map((path) => fileOf(path, Buffer.alloc(0), 0o755)),
    fileOf('.packproof/holder.pl', inputs.holderSource),
    fileOf('.packproof/probe.pl', inputs.probeSource),
  ];
}

async function allPackageEntries(inputs: BaseInputs): Promise<readonly LayerEntry[]> {
  const entries: LayerEntry[] = [];
  for (const { archive, file } of inputs.archives) {
    const bytes = await readPinnedBytes({ file, sha256: archive.sha256 }, archive.package);
    entries.push(...(await packageEntries(archive, bytes)));
  }
  return entries;
}

async function packageEntries(archive: BaseArchive, bytes: Buffer): Promise<readonly LayerEntry[]> {
  const wanted = (path: string): boolean => archive.include.some((inclusion) => covers(inclusion, path));
  const found = await readDeb(bytes, archive.package, wanted);
  return archive.include.flatMap((inclusion) => {
    const covered = found.filter((entry) => entry.kind !== 'directory' && covers(inclusion, entry.path));
    if (covered.length === 0) {
      throw new ImageError('infrastructure', 'DEB_PATH_MISSING', 'package', {
        where: archive.package,
        expected: inclusion.from,
        actual: 'no such entry',
      });
    }
    return covered.map((entry) => toLayerEntry(entry, inclusion));
  });
}

function covers(inclusion: Inclusion, path: string): boolean {
  return inclusion.from.endsWith('/') ? path.startsWith(inclusion.from) : path === inclusion.from;
}

function toLayerEntry(entry: DebEntry, inclusion: Inclusion): LayerEntry {
  const path = inclusion.from.endsWith('/')
    ? `${inclusion.to}${entry.path.slice(inclusion.from.length)}`
    : inclusion.to;
  switch (entry.kind) {
    case 'file':
      return fileOf(path, entry.bytes, entry.mode);
    case 'symlink':
      return { kind: 'symlink', path, target: entry.target };
    case 'directory':
    case 'other':
      throw new ImageError('infrastructure', 'ENTRY_KIND_FORBIDDEN', 'base', {
        where: path,
        expected: 'a file or a link',
        actual: entry.kind,
      });
  }
}
