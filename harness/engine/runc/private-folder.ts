import { lstat, mkdir } from 'node:fs/promises';
import { EngineError } from '../errors.ts';

/**
 * Makes a folder that only its owner can enter, or makes sure that an existing one is so.
 *
 * What is run as root from a folder that somebody else can write to is theirs.
 * @throws {EngineError} STATE_UNSAFE
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  const mode = (stats.mode & 0o777).toString(8);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) {
    throw new EngineError('STATE_UNSAFE', {
      where: path,
      expected: 'a folder of this user with mode 700',
      actual: `uid ${stats.uid}, mode ${mode}`,
    });
  }
}
