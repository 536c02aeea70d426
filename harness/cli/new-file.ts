import { writeFile } from 'node:fs/promises';
import { UsageError } from './errors.ts';

/**
 * Writes a file that is not there: exclusive creation, so that not even a file made meanwhile is lost, nor
 * written through a link.
 *
 * @throws {UsageError} the code given
 */
export async function writeNew(
  file: string,
  text: string,
  code: 'SUITE_EXISTS' | 'CI_FILE_EXISTS',
): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new UsageError(code, code === 'SUITE_EXISTS' ? 'suite' : 'file', {
      where: file,
      expected: 'no file of this name',
      actual: 'one; remove it, or name another with --out',
      cause,
    });
  });
}
