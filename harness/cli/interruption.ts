/** Listens for Ctrl-C and SIGTERM while a command works. */
export interface Interruption {
  readonly signal: AbortSignal;
  readonly by: () => 'SIGINT' | 'SIGTERM' | null;
  readonly stop: () => void;
}

/**
 * The first signal asks the run to end in order, with its evidence; a second one ends the process at once,
 * and the boxes end by themselves because their control channel closes.
 */
export function listenForInterruption(onFirst: (signal: string) => void): Interruption {
  const controller = new AbortController();
  let by: 'SIGINT' | 'SIGTERM' | null = null;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (by !== null) process.exit(signal === 'SIGTERM' ? 143 : 130);
    by = signal;
    onFirst(signal);
    controller.abort();
  };
  const onInterrupt = (): void => onSignal('SIGINT');
  const onTerminate = (): void => onSignal('SIGTERM');
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    by: () => by,
    stop: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
