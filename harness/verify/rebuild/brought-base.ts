import { type TakeContent, type TarEntry, walkTar } from '../inputs/tar-walk.ts';
import { type TakeWhole, takeHashed } from './contents.ts';
import type { GivenArchive } from './given-archives.ts';
import { MOUNT_POINTS } from './layers.ts';

// What becomes of a root file system, written down once more: it decides the base layer. Do not merge it with the
// code that makes that layer.

/** What a root file system puts where, each in the words of `describeLine`; or why this reader cannot say. */
export type BroughtFiles = ReadonlyMap<string, string> | string;

/** Laid by packproof itself, or by an engine for its own container. */
const REPLACED = [
  '.dockerenv',
  'etc/group',
  'etc/hostname',
  'etc/hosts',
  'etc/mtab',
  'etc/nsswitch.conf',
  'etc/passwd',
  'etc/resolv.conf',
  'usr/local/LICENSE',
  'usr/local/bin/node',
];

/** Files, links and folders of a root file system as they lie in an image; `keep` is given each content. */
export async function readBrought({ source, path }: GivenArchive, keep: TakeWhole): Promise<BroughtFiles> {
  const files = new Map<string, string>();
  let strange: string | null = null;
  const { fault } = await walkTar(source, path, (entry) => {
    const at = toPlain(entry.path);
    if (at === '' || isLeftOut(at)) return null;
    if (entry.kind === 'file') return takeFile(entry, at, { files, keep });
    const what = describe(entry, at, files);
    if (what === null) strange ??= `${at} is of a kind that no base has`;
    else files.set(at, what);
    return null;
  });
  return fault ?? strange ?? files;
}

function takeFile(
  { mode, sizeBytes }: TarEntry,
  at: string,
  { files, keep }: { readonly files: Map<string, string>; readonly keep: TakeWhole },
): TakeContent {
  return takeHashed((sha256, content) => {
    keep(sha256, content);
    files.set(at, `file ${(mode & 0o100) === 0 ? '0644' : '0755'} ${sizeBytes} ${sha256}`);
  });
}

/** A hard link is a copy of the earlier file that it names; null for what cannot be in an image. */
function describe(entry: TarEntry, at: string, files: ReadonlyMap<string, string>): string | null {
  if (entry.kind === 'directory') return `directory ${at === 'tmp' ? '1777' : '0755'}`;
  if (entry.kind !== 'link') return null;
  return entry.isHardLink ? (files.get(toPlain(entry.linkTarget)) ?? null) : `symlink ${entry.linkTarget}`;
}

function isLeftOut(path: string): boolean {
  return (
    // A mount covers what lies below.
    MOUNT_POINTS.some((place) => path.startsWith(`${place}/`)) ||
    REPLACED.some((place) => path === place || path.startsWith(`${place}/`))
  );
}

function toPlain(path: string): string {
  const plain = path.replace(/^(?:\.\/+)+/u, '').replace(/\/+$/u, '');
  return plain === '.' ? '' : plain;
}
