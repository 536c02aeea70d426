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

/**
 * Declarations of one source. A file of 1 MiB has room for a hundred thousand, and their rows would take thirty
 * times the file; nobody is served by a part of them, so that none is listed then.
 */
export const SERVER_LIMIT = 10_000;

/**
 * Marks of a value's beginning (`{ [ :`, in TOML `{ [ = .`) in one document, those inside of its strings too. They
 * are counted before anything is parsed: a file of 1 MiB has room for half a million empty objects, each of which takes a
 * hundred times its two bytes. SERVER_LIMIT full declarations have two thirds of this.
 */
export const MARK_LIMIT = 150_000;

/** Bytes of a document whose values are kept while other sources are read; a larger one is parsed again. */
export const HELD_DOCUMENT_BYTES = 64 * 1024;
