const MEBIBYTE = 1024 * 1024;

/** NAME_MAX of every Linux file system npm installs to, in bytes; a longer link cannot exist. */
export const MOST_LINK_NAME = 255;

/** Bytes of a suite document: 10 000 cases of the smoke suite's size are below it. */
export const SUITE_BYTES_LIMIT = 64 * MEBIBYTE;

/** Nesting of a suite document; an expectation of `all` in `any` in `not` is 12 deep, an attacker's is not bounded. */
export const SUITE_DEPTH_LIMIT = 64;

/** Cases of one suite: the bench runs 10 000. */
export const CASES_LIMIT = 20_000;

/** Exceptions of one suite in either list; each is matched with every case. */
export const EXCEPTIONS_LIMIT = 200;

/** Archives of one suite: each is bytes that somebody must have. */
export const ARCHIVES_LIMIT = 100;

/** Characters of an archive's name: it becomes a folder of the image. */
export const ARCHIVE_NAME_LIMIT = 64;

/** Bytes of one archive, as the archive store has it: native programs reach gigabytes. */
export const ARCHIVE_BYTES_LIMIT = 4 * 1024 ** 3;

/** Leading parts of paths that a tar may lose; real ones have one or two. */
export const STRIP_LIMIT = 20;

/** Reference steps of one case. */
export const REFERENCES_LIMIT = 20;
/** Ranges of Node versions of one case; each is held against every version of the run. */
export const NODE_RANGES_LIMIT = 32;

/** Steps and checks of one case; a case is one box, and its receipt must stay readable. */
export const STEPS_LIMIT = 200;
export const CHECKS_LIMIT = 500;

/** Files laid for one case, and their decoded bytes together: they travel through the holder's pipe. */
export const FILES_LIMIT = 10_000;
export const FILE_BYTES_LIMIT = 64 * MEBIBYTE;

/** Bytes of one stream of one step beyond which it is ended, unless a case says less; and the least it may say. */
export const OUTPUT_BYTES_LIMIT = 256 * MEBIBYTE;
export const OUTPUT_BYTES_LEAST = 4096;

/** Statements of one case about what may differ in a replay; each is tried on what does. */
export const VOLATILE_LIMIT = 100;

/** Canaries of one case, and the characters of each: what is shorter is met by accident. */
export const CANARIES_LIMIT = 100;
export const CANARY_LEAST = 6;
export const CANARY_MOST = 1000;

/** A sparse file costs nothing to lay, but those who look at it read all its zeros. */
export const SPARSE_BYTES_LIMIT = 64 * MEBIBYTE;

/** Largest user and group id of a laid file: those of a machine without mapped users. */
export const OWNER_LIMIT = 65_535;

/** Characters of an id (of design, so that it becomes a folder name), a pattern, an explanation. */
export const ID_LIMIT = 120;
export const PATTERN_LIMIT = 4096;
export const TEXT_LIMIT = 64 * 1024;

/** Wrong paths reported for one document; the first hundred say enough, a hostile one has millions. */
export const PROBLEMS_LIMIT = 100;

/** Time of one step or wait, in milliseconds: an hour; the budget of a run is minutes. */
export const TIME_LIMIT_MS = 3_600_000;

/** Bytes of a stream over which patterns are matched: 25 ms of an idle machine for the worst smoke pattern. */
export const PATTERN_TEXT_BYTES = MEBIBYTE;

/** Lines of a stream that are read as JSON: a line that is none costs microseconds, and there may be millions. */
export const JSON_LINES_LIMIT = 20_000;

/** Patterns kept compiled by one evaluator process. */
export const PATTERN_CACHE_LIMIT = 500;

/** Characters of candidate text in a check's message. */
export const MESSAGE_TEXT_LIMIT = 120;
