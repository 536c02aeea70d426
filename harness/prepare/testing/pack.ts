import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** An entry of a hand-made archive; regular file, mode 0644 unless given. */
export interface PackedEntry {
  readonly name: string;
  readonly content?: string;
  readonly type?: NonNullable<Header['type']>;
  readonly mode?: number;
  readonly linkname?: string;
}

/** Writes a gzipped tar with exactly these entries, names as given. */
export async function packEntries(entries: readonly PackedEntry[]): Promise<Buffer> {
  const stream = pack();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk as Uint8Array)));
  const ended = new Promise<void>((resolve) => stream.on('end', () => resolve()));
  for (const { name, content = '', type = 'file', mode = 0o644, linkname } of entries) {
    const link = linkname === undefined ? {} : { linkname };
    stream.entry({ name, type, mode, mtime: new Date(0), ...link }, content);
  }
  stream.finalize();
  await ended;
  return gzipSync(Buffer.concat(chunks));
}

/** Packs a package for tests: `package.json` from `manifest`, and other files by their path below it. */
export async function packPackage(
  manifest: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const all = Object.entries({ 'package.json': JSON.stringify(manifest), ...files });
  return packEntries(all.map(([path, content]) => ({ name: `package/${path}`, content })));
}

/** Collects a stream of bytes. */
export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Chunks as a stream. */
export async function* streamOf(...chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
