const MEBIBYTE = 1024 * 1024;

/** Bytes of a suite file: thousands of written cases; what is larger is data, and belongs in files beside it. */
export const SUITE_TEXT_LIMIT = 4 * MEBIBYTE;

/** Nesting of a suite file. The YAML reader recurses; 100 000 brackets would end the process. */
export const SUITE_TEXT_DEPTH_LIMIT = 40;

/** Problems of one file that are listed; an author mends these first. */
export const TEXT_PROBLEMS_LIMIT = 100;

/** Bytes of one file beside a suite: as much as a case may lay. */
export const BESIDE_BYTES_LIMIT = 64 * MEBIBYTE;

/** A step's time unless it says otherwise: help and version of slow programs on a loaded machine. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** How long helpers may outlive a case's last step unless it says otherwise; as in the generated suite. */
export const DEFAULT_SETTLE_MS = 1_500;

/** Wait for one answer of a dialogue unless it says otherwise. */
export const DEFAULT_ANSWER_MS = 10_000;

/** After end of file, and after SIGTERM, of a dialogue: what MCP clients grant. */
export const DEFAULT_LADDER = { afterEofMs: 2_000, afterTermMs: 5_000 } as const;
