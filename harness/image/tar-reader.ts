import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';

/**
 * Calls `visit` for every entry of an uncompressed tar, in order; contents are streamed and must be read.
 *
 * Reads what we or Debian wrote. The reader is tar-stream, which shares nothing with our writer.
 * @throws what the source, the reader or `visit` throws, whichever comes first.
 */
export async function walkTar(
  source: AsyncIterable<Uint8Array>,
  visit: (header: Header, content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const reader = extract();
  const feeding = pipeline(Readable.from(source), toWritable(reader));
  // Awaited below; without a handler here a failure while we iterate would end the process first.
  feeding.catch((error: unknown) => reader.destroy(error instanceof Error ? error : undefined));
  for await (const entry of reader) await visit(entry.header, bytesOf(entry));
  await feeding;
}

/** tar-stream's streams are not Node's own: this is one that waits for theirs, and ends when they do. */
function toWritable(reader: ReturnType<typeof extract>): Writable {
  return new Writable({
    write(chunk: unknown, _encoding, done) {
      const settle = (): void => {
        reader.off('drain', settle);
        reader.off('close', settle);
        done(reader.destroyed ? new Error('tar: the reader ended before its source') : null);
      };
      if (reader.destroyed || reader.write(chunk)) return settle();
      reader.on('drain', settle);
      reader.on('close', settle);
    },
    final(done) {
      reader.end(null);
      done();
    },
    destroy(error, done) {
      if (error !== null) reader.destroy(error);
      done(error);
    },
  });
}

async function* bytesOf(stream: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
}
