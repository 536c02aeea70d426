/** Files of a base. More would make an inventory that the verifier refuses to read; Debian's desktop has fewer. */
export const ROOTFS_ENTRY_LIMIT = 200_000;
/** Bytes of all contents together, unpacked. Full language images are near 1 GiB. */
export const ROOTFS_UNPACKED_LIMIT_BYTES = 4 * 1024 ** 3;
/** Bytes of the archive as handed in, packed or not. */
export const ROOTFS_ARCHIVE_LIMIT_BYTES = 4 * 1024 ** 3;
/** Linux PATH_MAX without its ending zero. */
export const ROOTFS_PATH_LIMIT_BYTES = 4095;
/** Linux NAME_MAX. */
export const ROOTFS_NAME_LIMIT_BYTES = 255;
/**
 * Bytes between the end of one content and the next entry: pax records, long names, padding. The reader holds
 * them in memory, so that whoever made the archive must not choose how much.
 */
export const ROOTFS_HEADER_LIMIT_BYTES = 1024 ** 2;
