import { type Header, pack } from 'tar-stream';

/** An entry as a tar writes it, name and all. */
export type RootfsEntry = Partial<Header> & { readonly name: string; readonly content?: string | Buffer };

/** The smallest root file system that passes: contents are stand-ins, names and kinds are real. */
export function completeRoot(change: { readonly libc?: Buffer } = {}): readonly RootfsEntry[] {
  const libraries = ['libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6'];
  const folder = 'usr/lib/x86_64-linux-gnu';
  return [
    { name: './', type: 'directory', mode: 0o755 },
    { name: './bin', type: 'symlink', linkname: 'usr/bin' },
    { name: './lib64', type: 'symlink', linkname: 'usr/lib64' },
    { name: './usr/bin/dash', mode: 0o755, content: 'dash' },
    { name: './usr/bin/sh', type: 'symlink', linkname: 'dash' },
    { name: './usr/bin/env', mode: 0o755, content: 'env' },
    { name: './usr/lib64/', type: 'directory', mode: 0o755 },
    { name: './usr/lib64/ld-linux-x86-64.so.2', type: 'symlink', linkname: `/${folder}/ld.so` },
    { name: `./${folder}/ld.so`, mode: 0o755, content: 'ld' },
    { name: `./${folder}/libc.so.6`, mode: 0o755, content: change.libc ?? fakeLibc({}) },
    ...libraries.map((name) => ({ name: `./${folder}/${name}`, content: name })),
  ];
}

/** Bytes that say of themselves what the C library of a machine and version says. */
export function fakeLibc({ machine = 62, minor = 36 }: { machine?: number; minor?: number }): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 0, 'latin1');
  header.writeUInt16LE(machine, 18);
  const words = `GNU C Library (made for a test) stable release version 2.${minor}.\n\0`;
  return Buffer.concat([header, Buffer.from(words)]);
}

/** Packs entries in this order, whatever they are. */
export async function packRootfs(entries: readonly RootfsEntry[]): Promise<Buffer> {
  const stream = pack();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk as Uint8Array)));
  const ended = new Promise<void>((resolve) => stream.on('end', () => resolve()));
  for (const { content = '', ...header } of entries) {
    // The library fills the header in.
    stream.entry(
      { mode: 0o644, uid: 1000, gid: 1000, mtime: new Date(1e12), ...header },
      Buffer.from(content),
    );
  }
  stream.finalize();
  await ended;
  return Buffer.concat(chunks);
}
