/** What a folder has: a `name` is one that is no UTF-8, shown with other characters. */
export interface BesideEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'name' | 'other';
}

/**
 * Bytes of a file beside the suite, by its path from the suite's folder, and whether its owner may run it; null
 * with a reason in words when there are none to be had, and of a folder with what it has, in byte order of name.
 */
export type ReadBeside = (
  path: string,
) =>
  | { readonly bytes: Uint8Array; readonly isExecutable?: boolean }
  | { readonly bytes: null; readonly reason: string; readonly entries?: readonly BesideEntry[] };
