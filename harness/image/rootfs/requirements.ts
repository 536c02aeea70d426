import type { Platform } from '../../boundary/boundary.ts';
import { ImageError, type RootfsCode } from '../errors.ts';
import { type LayerEntry, readContent } from '../layer-entry.ts';
import { findFile, type RootfsTree } from './tree.ts';

type FileEntry = Extract<LayerEntry, { readonly kind: 'file' }>;

/** What differs between machines in a root file system. */
interface Machine {
  /** e_machine of ELF. */
  readonly elf: number;
  readonly loader: string;
  /** Debian's folder of libraries. */
  readonly triplet: string;
}

const MACHINES: Readonly<Record<Platform, Machine>> = {
  'linux/amd64': { elf: 62, loader: 'lib64/ld-linux-x86-64.so.2', triplet: 'x86_64-linux-gnu' },
  'linux/arm64': { elf: 183, loader: 'lib/ld-linux-aarch64.so.1', triplet: 'aarch64-linux-gnu' },
};

/** Node's official builds are linked with these; the holder's Perl needs some of them. */
const LIBRARIES = [
  'libc.so.6',
  'libdl.so.2',
  'libgcc_s.so.1',
  'libm.so.6',
  'libpthread.so.0',
  'libstdc++.so.6',
];

/** `#!/bin/sh` and `#!/usr/bin/env node` start most packed programs. */
const PROGRAMS = ['bin/sh', 'usr/bin/env'];

/** The folders of libraries that a loader of Debian's or of Red Hat's kind searches without being told to. */
export function libraryFolders(platform: Platform): readonly string[] {
  const { triplet } = MACHINES[platform];
  return [`lib/${triplet}`, `usr/lib/${triplet}`, 'lib64', 'usr/lib64', 'lib', 'usr/lib'];
}

/** Where libraries of ours are laid when a base lacks them: Debian's folder, and that of the others. */
export function ownLibraryFolders(platform: Platform): readonly string[] {
  return [`usr/lib/${MACHINES[platform].triplet}`, 'usr/lib64'];
}

/** A library as the loader would find it. */
export function findLibrary(tree: RootfsTree, platform: Platform, name: string): FileEntry | null {
  for (const folder of libraryFolders(platform)) {
    const file = findFile(tree, `${folder}/${name}`);
    if (file !== null) return file;
  }
  return null;
}

/** Bytes of a C library that are looked at. */
export const CHECKED_LIMIT_BYTES = 32 * 1024 ** 2;

/** Whether the content at this path is read by `checkRootfs`. */
export function isChecked(path: string): boolean {
  return /(?:^|\/)libc(?:\.so\.6|-\d[\d.]*\.so)$/u.test(path);
}

/**
 * Refuses a root file system on which Node and the holder could not start, everything that is missing named at
 * once.
 *
 * @throws {ImageError} ROOTFS_INCOMPLETE, ROOTFS_PLATFORM, ROOTFS_GLIBC_TOO_OLD, kind `usage`
 */
export async function checkRootfs(
  tree: RootfsTree,
  platform: Platform,
  needed: GlibcVersion | null,
): Promise<void> {
  const { loader, elf } = MACHINES[platform];
  const missing = [
    ...[loader, ...PROGRAMS].filter((path) => findFile(tree, path) === null).map((path) => `/${path}`),
    ...PROGRAMS.filter((path) => ((findFile(tree, path)?.mode ?? 0o100) & 0o100) === 0).map(
      (path) => `the right to execute /${path}`,
    ),
    ...LIBRARIES.filter((name) => findLibrary(tree, platform, name) === null),
  ];
  const library = findLibrary(tree, platform, 'libc.so.6');
  const machine = library === null ? null : await readMachine(library);
  if (machine !== null && machine !== elf) {
    refuse('ROOTFS_PLATFORM', 'libc.so.6', [`a C library for ${platform}, ELF machine ${elf}`, `${machine}`]);
  }
  if (library === null || missing.length > 0) refuseMissing(tree, missing);
  await checkVersion(library, needed);
}

function refuseMissing(tree: RootfsTree, missing: readonly string[]): never {
  const musl = [...tree.keys()].some((path) => /(?:^|\/)ld-musl-[^/]+\.so\.1$/u.test(path));
  return refuse('ROOTFS_INCOMPLETE', missing[0] ?? 'libc.so.6', [
    'what Node and the holder need: glibc and its loader, libstdc++, libgcc, /bin/sh and /usr/bin/env',
    `missing: ${missing.join(', ')}${musl ? '; it has musl, for which Node has no official build' : ''}`,
  ]);
}

/** Of glibc 2.36: 36. There was never another major version on these platforms. */
export type GlibcVersion = number;

/** The newest glibc that a program or library asks for by its symbol versions; null when it asks for none. */
export function neededGlibc(bytes: Uint8Array): GlibcVersion | null {
  const text = Buffer.from(bytes).toString('latin1');
  const versions = [...text.matchAll(/GLIBC_2\.(\d+)(?![\d])/gu)].map(([, minor]) => Number(minor));
  return versions.length === 0 ? null : Math.max(...versions);
}

async function checkVersion(library: FileEntry, needed: GlibcVersion | null): Promise<void> {
  const text = (await readBytes(library)).toString('latin1');
  const minor = /GNU C Library[^\0]* release version 2\.(\d+)/u.exec(text)?.[1];
  if (minor === undefined) {
    return refuse('ROOTFS_INCOMPLETE', 'libc.so.6', ['the C library of GNU', 'another one']);
  }
  if (needed !== null && Number(minor) < needed) {
    refuse('ROOTFS_GLIBC_TOO_OLD', 'libc.so.6', [
      `glibc 2.${needed} or later, for the holder's Perl and what it needs`,
      `glibc 2.${minor}`,
    ]);
  }
}

/** Offset of e_machine in an ELF header, which is little-endian on both platforms. */
const MACHINE_OFFSET = 18;

/** Null for what is no ELF. */
async function readMachine(file: FileEntry): Promise<number | null> {
  const bytes = await readBytes(file);
  const isElf = bytes.length > MACHINE_OFFSET + 2 && bytes.toString('latin1', 1, 4) === 'ELF';
  return isElf ? bytes.readUInt16LE(MACHINE_OFFSET) : null;
}

/** The beginning of a content: glibc's library has 2 MB, and whoever made the archive names the file. */
async function readBytes(file: FileEntry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of readContent(file.content)) {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > CHECKED_LIMIT_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function refuse(code: RootfsCode, where: string, [expected, actual]: readonly [string, string]): never {
  throw new ImageError('usage', code, 'base', { where, expected, actual });
}
