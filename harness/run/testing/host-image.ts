import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Platform } from '../../boundary/boundary.ts';
import { readAsset } from '../../document/assets.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { BuiltImage } from '../../engine/engine.ts';
import { toImage } from '../../image/config.ts';
import { fileOf, type LayerEntry } from '../../image/layer-entry.ts';
import { LayerStore } from '../../image/layer-store.ts';

export const PLATFORM: Platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';

const DIRECTORIES = ['dev', 'etc', 'home/node', 'proc', 'sys', 'tmp', 'usr/lib64', 'work'];
const MERGED_LINKS = ['bin', 'lib', 'lib64'];

/** Programs of this machine, and where they lie in the image. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/bin/perl': '.packproof/perl',
  '/usr/bin/dash': 'usr/bin/dash',
  [realpathSync(process.execPath)]: 'usr/local/bin/node',
};

/**
 * An image in the shape of a real one, made without a network from this machine's own node, perl, shell and
 * libraries. For engine tests of the runner, which cares for what a box does and not for pinned content.
 *
 * `cacheDir` must be private to its owner.
 */
export async function buildHostImage(cacheDir: string): Promise<BuiltImage> {
  const store = await LayerStore.open(cacheDir);
  const entries = await hostEntries();
  const { layer } = await store.obtain({
    role: 'base',
    rules: { prefix: null, fault: 'infrastructure' },
    inputs: { host: entries.map(toInput) },
    entries: () => Promise.resolve(entries),
  });
  return toImage(PLATFORM, [layer]);
}

async function hostEntries(): Promise<readonly LayerEntry[]> {
  const files = new Map(Object.entries(PROGRAMS).map(([from, to]) => [to, from]));
  const listing = execFileSync('ldd', Object.keys(PROGRAMS), { encoding: 'utf8' });
  for (const [, library] of listing.matchAll(/(\/lib\S+) \(0x/g)) {
    if (library !== undefined) files.set(`usr${library}`, library);
  }
  const read = [...files].map(async ([path, from]) => fileOf(path, await readFile(from), 0o755));
  return [
    ...DIRECTORIES.map((path): LayerEntry => ({ kind: 'directory', path, mode: 0o755 })),
    ...MERGED_LINKS.map((path): LayerEntry => ({ kind: 'symlink', path, target: `usr/${path}` })),
    { kind: 'symlink', path: 'usr/bin/sh', target: 'dash' },
    fileOf('.packproof/holder.pl', readAsset('harness/engine/holder/holder.pl')),
    fileOf('.packproof/probe.pl', readAsset('harness/boundary/probe.pl')),
    ...(await Promise.all(read)),
  ];
}

function toInput(entry: LayerEntry): readonly string[] {
  const content =
    entry.kind === 'file' && entry.content instanceof Uint8Array ? sha256Hex(entry.content) : '';
  return [entry.kind, entry.path, content];
}
