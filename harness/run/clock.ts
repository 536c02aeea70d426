/**
 * Milliseconds of the kernel's monotonic clock: the same in every process of this host, so that runner and
 * watchdog can speak of one deadline. Never goes back, says nothing about the time of day.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds rounded to a tenth: finer digits are noise and cost bytes in every receipt. */
export function roundMs(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
