import { PATTERN_TEXT_BYTES } from '../limits.ts';

/**
 * Time for which the steps of a case together may run: a little less than the time a run gives a case unless
 * told otherwise. A test holds every case to it, so that a slow step never takes a later one's time away.
 */
export const CASE_MS = 19_000;

/** Time for help and version; the slowest known compilers need half a second, three times that under load. */
export const ANSWER_MS = 5_500;

/** Time for starts whose end nothing depends on. */
export const GLANCE_MS = 3_500;

/** Time for each of four and of five equal steps. */
export const QUARTER_MS = 4_500;
export const FIFTH_MS = 3_700;

/** The same where a program that waits for input costs all of it. */
export const IDLE_MS = 5_000;

/** Help and version of a server that ignores its arguments and serves on. */
export const SERVER_ANSWER_MS = 5_000;

/**
 * Wait for the answer to `initialize` of a program that nothing says is an MCP server. It is also the time in
 * which a program that reads nothing must have ended by itself, on a loaded machine, to be seen as such.
 */
export const GUESS_MS = 5_000;

/** The same for one that calls itself an MCP server: measured servers need 0.2 to 0.8 s on an idle machine. */
export const HINTED_MS = 8_000;

/** After end of file, and after SIGTERM, of a classification. */
export const CLASSIFY_LADDER = { afterEofMs: 1_500, afterTermMs: 2_000 } as const;

/** The ladder of MCP clients, with a longer last wait, since needing SIGKILL is a gate. */
export const MCP_LADDER = { afterEofMs: 2_000, afterTermMs: 5_000 } as const;

/** Wait for the answer to a request that an initialized server gets. */
export const REQUEST_MS = 5_000;

/** Wait for the answer to a question of newer clients: measured servers need at most 0.6 s. */
export const PROBE_MS = 3_000;

/** Start of a server before it is asked to stop, and how long the stop may take. */
export const SIGNAL_DELAY_MS = 2_000;
export const SIGNAL_PROMPT_MS = 2_000;
export const SIGNAL_END_MS = 9_000;

/** From the last output to the end of a program that has answered. */
export const EXIT_LAG_MS = 2_000;

/** A helper that notices its parent's end by a closed channel needs milliseconds; a daemon stays. */
export const SETTLE_MS = 1_500;

/** Entry points: a process each. Eight that all hang are more than a case's time; those left are not exercised. */
export const LOAD_MS = 4_500;

/** Offered to programs that need not read it; far more than a pipe holds. */
export const LARGE_INPUT_BYTES = 5 * 1024 * 1024;

/** What a pipe holds on Linux: output beyond it is what an early exit loses. Source: pipe(7). */
export const PIPE_BYTES = 64 * 1024;

/** The help of the largest programs known is below 100 kB. No more than patterns look at, so none is unknown. */
export const ANSWER_BYTES = PATTERN_TEXT_BYTES;

/** Bins that get every case, bins that get classification and arguments, and entry points tried. */
export const FULL_BINS = 5;
export const SHORT_BINS = 20;
export const ENTRY_POINTS = 24;
export const ENTRY_POINTS_PER_CASE = 4;
