/** Where a box can be written; these exist already. */
export const WRITABLE: readonly string[] = ['/work', '/home/node', '/tmp'];

/** Whether a path lies below one of them. */
export function isWritable(path: string): boolean {
  return WRITABLE.some((root) => path.startsWith(`${root}/`));
}
