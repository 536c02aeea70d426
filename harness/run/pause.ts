/** Resolves after `milliseconds`, or at once when `signal` aborts; never rejects. True when the time passed. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    return await unlessStopped(passed, signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * True when `work` fulfils first, false when `signal` aborts first. Rejects as `work` does, if that is first.
 *
 * The listener is removed in every case: a step can offer thousands of pieces of input under one signal.
 */
export async function unlessStopped(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  let onAbort: () => void = () => {};
  const stopped = new Promise<false>((resolve) => {
    onAbort = () => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
