const MEBIBYTE = 1024 * 1024;

/** Kept bytes of one stream of one step: what a person or a check can still use; the rest is counted and hashed. */
export const KEPT_BYTES_LIMIT = 16 * MEBIBYTE;

/** Runs of the arrival order that a step records; a candidate chooses their number, so it is bounded. */
export const ARRIVAL_RUNS_LIMIT = 4096;

/** Bytes of one stream that arrive within this time of a run's first byte belong to that run. */
export const ARRIVAL_RESOLUTION_MS = 10;

/** From "nothing but the holder lives" to the end of both streams; their pipes hold at most 64 KiB each. */
export const DRAIN_LIMIT_MS = 5_000;

/** A request to the holder of a live box takes milliseconds; later than this it counts as not answering. */
export const HOLDER_LIMIT_MS = 3_000;

/** The engine's own kill; after the budget nothing waits for it longer, the watchdog has killed already. */
export const KILL_BOX_LIMIT_MS = 5_000;

/** Reading the writable files of one box, hashing up to their mounts' sizes on a loaded machine. */
export const SNAPSHOT_LIMIT_MS = 30_000;

/** Reading the end of a box and removing it. */
export const CLOSE_LIMIT_MS = 15_000;

/** Opening a box on a loaded machine, where the mean is a quarter of a second. */
export const OPEN_LIMIT_MS = 30_000;

/** A box ends by itself this long after the budget, when runner and watchdog are both gone. */
export const BOX_GRACE_MS = 15_000;

/** Bytes of changed files kept of one case for its canaries: as much as of one stream. What is beyond is not looked into, and the check is no pass. */
export const KEPT_FILES_BYTES_LIMIT = 16 * MEBIBYTE;

/** Changed files kept of one case: each is a file of the bundle. */
export const KEPT_FILES_LIMIT = 1000;

/** One case's checks over at most 32 MiB a step with linear-time patterns. */
export const EVALUATION_LIMIT_MS = 10_000;

/** The probe answers in well under a second; it makes every refused call once. */
export const PROBE_LIMIT_MS = 20_000;

/** The probe's document is a few kilobytes. */
export const PROBE_BYTES_LIMIT = MEBIBYTE;

/** Bytes that one write to a candidate's stdin carries; small enough that a stop is noticed between two. */
export const STDIN_CHUNK_BYTES = 64 * 1024;

/** A dialogue looks for answers in lines up to this size; a longer line is recorded but answers nothing. */
export const DIALOGUE_LINE_LIMIT = 4 * MEBIBYTE;

/** Characters of a JSON-RPC id that a dialogue heeds; real ids are numbers or UUIDs. */
export const DIALOGUE_ID_LIMIT = 1024;

/** Requests of a candidate that one dialogue answers; one that floods us with them gets no more. */
export const DIALOGUE_REPLIES_LIMIT = 100;

/** Between two looks at whether the left-over processes of a step have ended by themselves. */
export const SETTLE_POLL_MS = 10;

/** The watchdog process answers its first message in tens of milliseconds. */
export const WATCHDOG_START_LIMIT_MS = 10_000;

/** All that is still done for the boxes in flight once a run stops; what an engine has not done then, the watchdog does. */
export const STOP_GRACE_MS = 1_500;

/** The watchdog's own killing and removing of what is left at the end of a run. */
export const WATCHDOG_FINISH_LIMIT_MS = 15_000;
