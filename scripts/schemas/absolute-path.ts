import { join } from 'node:path';
import { packageRoot } from '../../harness/document/assets.ts';

/** A path of the repository. */
export function absolutePath(path: string): string {
  return join(packageRoot(), path);
}
