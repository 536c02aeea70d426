/** Bytes of one configuration file. Real ones are a few KiB; the file is somebody else's and may be anything. */
export const CONFIG_LIMIT_BYTES = 1024 * 1024;

/**
 * Levels of nesting in one document. The deepest container of any profile lies four levels down; the parsers
 * recurse, so a file of nothing but brackets would otherwise end the process.
 */
export const DEPTH_LIMIT = 64;

/** Characters of one name or path on a terminal; the JSON document keeps them whole. */
export const TERMINAL_TEXT_LIMIT = 200;

/** Folders from the root up to the file system's own root that are asked for instruction files. */
export const ANCESTOR_LIMIT = 256;
