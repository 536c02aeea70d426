import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The largest document that is read whole, in bytes; the verifier has the same limit. */
const DOCUMENT_LIMIT_BYTES = 64 * 1024 ** 2;

/**
 * The bytes of a document in a folder that may be a stranger's: no link in its place is followed, no FIFO waited for.
 *
 * @throws {Error} what the file system says, or that it is no regular file of at most `DOCUMENT_LIMIT_BYTES`
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new Error('no regular file');
    if (status.size > DOCUMENT_LIMIT_BYTES) throw new Error(`${status.size} bytes, above the limit`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
