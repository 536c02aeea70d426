import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

/** What a root file system that somebody brings can have wrong. */
export type RootfsCode =
  // the archive
  | 'ROOTFS_UNREADABLE'
  | 'ROOTFS_COMPRESSION'
  | 'ROOTFS_EMPTY'
  | 'ROOTFS_TOO_LARGE'
  | 'ROOTFS_HEADER_TOO_LARGE'
  // its entries
  | 'ROOTFS_PATH'
  | 'ROOTFS_PATH_TOO_LONG'
  | 'ROOTFS_NAME_NOT_UTF8'
  | 'ROOTFS_DUPLICATE'
  | 'ROOTFS_DEVICE'
  | 'ROOTFS_KIND'
  | 'ROOTFS_HARD_LINK'
  | 'ROOTFS_THROUGH_LINK'
  | 'ROOTFS_MOUNT_POINT'
  | 'ROOTFS_RESERVED'
  // what a box needs of it
  | 'ROOTFS_INCOMPLETE'
  | 'ROOTFS_PLATFORM'
  | 'ROOTFS_GLIBC_TOO_OLD';

/** Every way in which an image cannot be made. One code per defect. */
export type ImageCode =
  | RootfsCode
  // entries of a layer
  | 'PATH_INVALID'
  | 'PATH_DUPLICATE'
  | 'PATH_OUTSIDE_PREFIX'
  | 'PARENT_NOT_DIRECTORY'
  | 'MOUNT_POINT_NOT_DIRECTORY'
  | 'ENTRY_KIND_FORBIDDEN'
  | 'MODE_FORBIDDEN'
  | 'NAME_NOT_UTF8'
  | 'LINK_TARGET_INVALID'
  | 'LINK_ESCAPES_PREFIX'
  | 'FILE_TOO_LARGE'
  | 'CONTENT_SIZE_DIFFERS'
  | 'LAYER_EMPTY'
  | 'LAYER_UNREADABLE'
  | 'LAYER_SHADOWS'
  // the cache
  | 'CACHE_NOT_OWNED'
  | 'CACHE_NOT_PRIVATE'
  | 'CACHE_NOT_FOLDER'
  | 'DISK_FULL'
  // pinned archives
  | 'ARCHIVE_DIGEST_DIFFERS'
  | 'ARCHIVE_INCOMPLETE'
  | 'ARCHIVE_UNREADABLE'
  | 'ARCHIVE_TOO_LARGE'
  | 'BASE_LOCK_MALFORMED'
  | 'BASE_ARCHIVE_MISSING'
  | 'DEB_MALFORMED'
  | 'DEB_COMPRESSION_UNSUPPORTED'
  | 'DEB_PATH_MISSING'
  // the install
  | 'LOCK_MALFORMED'
  | 'LOCK_ARCHIVE_MISSING'
  | 'LOCK_INTEGRITY_DIFFERS'
  | 'SCRIPTS_NEED_NATIVE_PLATFORM'
  | 'INSTALL_FAILED'
  | 'INSTALL_KILLED'
  | 'INSTALL_TIMED_OUT'
  | 'INSTALL_BOX_LOST'
  | 'CANDIDATE_NOT_INSTALLED'
  | 'TREE_UNEXPLAINED';

/** The one error of this folder. `where` names the path, archive or package that is at fault. */
export class ImageError extends Fault {
  override readonly code: ImageCode;

  constructor(kind: FaultKind, code: ImageCode, what: string, details: FaultDetails) {
    super(kind, what, details);
    this.code = code;
  }
}

/** The `code` of a system error (`ENOENT` …), or null for anything else. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
