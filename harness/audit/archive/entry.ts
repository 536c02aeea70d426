/** What an entry of the archive is. `other` is a type no installer should meet. */
export type EntryKind =
  | 'file'
  | 'directory'
  | 'symlink'
  | 'hardlink'
  | 'character-device'
  | 'block-device'
  | 'fifo'
  | 'other';

/** One entry as the walk met it, in archive order. */
export interface ArchiveEntry {
  /** As spelled in the archive, root folder included; bytes that are not UTF-8 are replaced. */
  readonly path: string;
  /** Base64 of the raw name when it is not UTF-8, else null. */
  readonly rawPath: string | null;
  readonly kind: EntryKind;
  readonly typeFlag: string;
  /** All twelve mode bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Content only. */
  readonly sizeBytes: number;
  /** Where the content starts in the unpacked tar. */
  readonly offset: number;
  /** Of a file's content; null for every other kind. */
  readonly sha256: string | null;
  /** Where a link points, as spelled; null for every other kind. */
  readonly linkName: string | null;
}

const KINDS: Readonly<Record<string, EntryKind>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
};

/** A file whose name ends in a slash is a folder: readers have agreed on it since before POSIX. */
export function toEntryKind(typeFlag: string, name: Buffer): EntryKind {
  const kind = KINDS[typeFlag] ?? 'other';
  return kind === 'file' && name.at(-1) === 0x2f ? 'directory' : kind;
}
