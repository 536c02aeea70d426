import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import type { Platform } from '../../../boundary/boundary.ts';
import { readAsset } from '../../../document/assets.ts';
import { toCanonicalBytes } from '../../../document/canonical.ts';
import { sha256Hex } from '../../../document/digest.ts';
import type { BuiltImage, ImageLayer } from '../../engine.ts';

/** A file of a trial layer. */
export interface TrialFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

const FOLDERS = [
  '.packproof',
  'dev',
  'etc',
  'home',
  'home/node',
  'opt',
  'proc',
  'sys',
  'tmp',
  'usr',
  'usr/bin',
  'usr/lib',
  'usr/lib64',
  'work',
];
const LINKS: readonly (readonly [string, string])[] = [
  ['bin', 'usr/bin'],
  ['lib', 'usr/lib'],
  ['lib64', 'usr/lib64'],
  ['usr/bin/sh', 'dash'],
];

/**
 * Builds an image for engine tests from this machine's own perl and shell, without a network: the shape of
 * a real one (merged usr, empty mount points, the holder under `/.packproof`), not its pinned content.
 * `marker` is laid in a second layer, so that two trial images can differ in one layer only.
 */
export async function buildTrialImage(folder: string, marker: string): Promise<BuiltImage> {
  const platform: Platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
  const base = await writeLayer(join(folder, 'base.tar'), 'base', await readBaseFiles(), true);
  const marked = { path: 'opt/marker', mode: 0o644, bytes: Buffer.from(marker) };
  const candidate = await writeLayer(join(folder, `${sha256Hex(marked.bytes)}.tar`), 'candidate', [marked]);
  const layers = [base, candidate];
  const [os, architecture] = platform.split('/');
  const configBytes = toCanonicalBytes({
    architecture,
    config: { Labels: { 'packproof.image': 'trial' } },
    created: '1970-01-01T00:00:00Z',
    os,
    rootfs: { diff_ids: layers.map((layer) => `sha256:${layer.diffId}`), type: 'layers' },
  });
  return { platform, layers, configBytes, configDigest: sha256Hex(configBytes) };
}

async function readBaseFiles(): Promise<readonly TrialFile[]> {
  const perl = await readFile('/usr/bin/perl');
  const dash = await readFile('/usr/bin/dash');
  const files: TrialFile[] = [
    { path: '.packproof/perl', mode: 0o755, bytes: perl },
    { path: '.packproof/holder.pl', mode: 0o644, bytes: readAsset('harness/engine/holder/holder.pl') },
    { path: '.packproof/probe.pl', mode: 0o644, bytes: readAsset('harness/boundary/probe.pl') },
    { path: 'usr/bin/perl', mode: 0o755, bytes: perl },
    { path: 'usr/bin/dash', mode: 0o755, bytes: dash },
    // The boundary's probe tries to change this very file; what it is does not matter to it.
    { path: 'usr/local/bin/node', mode: 0o755, bytes: dash },
  ];
  const listing = execFileSync('/usr/bin/ldd', ['/usr/bin/perl', '/usr/bin/dash'], { encoding: 'utf8' });
  const libraries = new Set([...listing.matchAll(/(\/lib\S+) \(0x/g)].map((match) => match[1] ?? ''));
  for (const library of libraries) {
    files.push({ path: `usr${library}`, mode: 0o755, bytes: await readFile(library) });
  }
  return files;
}

async function writeLayer(
  file: string,
  role: ImageLayer['role'],
  files: readonly TrialFile[],
  withTree = false,
): Promise<ImageLayer> {
  const layer = pack();
  const common = { uid: 0, gid: 0, mtime: new Date(0) };
  const written = pipeline(layer, createWriteStream(file));
  if (withTree) {
    const parents = files.flatMap((entry) => toParents(entry.path));
    for (const name of [...new Set([...FOLDERS, ...parents])].sort()) {
      layer.entry({ ...common, name, type: 'directory', mode: 0o755 });
    }
    for (const [name, linkname] of LINKS) {
      layer.entry({ ...common, name, type: 'symlink', linkname, mode: 0o777 });
    }
  }
  for (const { path, mode, bytes } of files) {
    layer.entry({ ...common, name: path, mode }, bytes);
  }
  layer.finalize();
  await written;
  const bytes = await readFile(file);
  const diffId = createHash('sha256').update(bytes).digest('hex');
  return { role, diffId, sizeBytes: bytes.length, file };
}

function toParents(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
