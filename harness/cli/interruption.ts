import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './errors.ts';

/** Listens for Ctrl-C and SIGTERM while a command works. */
export interface Interruption {
  /** Its reason is the `INTERRUPTED` error that the command then ends with. */
  readonly signal: AbortSignal;
  readonly by: () => 'SIGINT' | 'SIGTERM' | null;
  readonly stop: () => void;
}

/** What cannot be told to stop gets this long to notice that its boxes are gone and to clean up. */
const GRACE_MS = 5_000;

/**
 * The first signal asks the command to end in order, with its evidence when cases ran; a second one ends the
 * process at once, and the boxes end by themselves because their control channel closes.
 */
export function listenForInterruption(onFirst: (signal: string) => void): Interruption {
  const controller = new AbortController();
  let by: 'SIGINT' | 'SIGTERM' | null = null;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (by !== null) process.exit(signal === 'SIGTERM' ? 143 : 130);
    by = signal;
    onFirst(signal);
    controller.abort(new CliError('INTERRUPTED', 'interrupted', { where: signal }));
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

/**
 * Waits for work that keeps nothing when it is interrupted. `release` takes away what the work may be waiting
 * for; then it has a grace to clean up after itself.
 *
 * @throws the interruption's `INTERRUPTED` whatever the work made of it; else what the work throws
 */
export async function untilInterrupted<T>(
  work: Promise<T>,
  { signal }: Interruption,
  release: () => Promise<void>,
): Promise<T> {
  const settled = work.then(
    (value) => ({ kind: 'done', value }) as const,
    (error: unknown) => ({ kind: 'failed', error }) as const,
  );
  const first = await Promise.race([settled, aborted(signal)]);
  if (signal.aborted) {
    await release();
    await Promise.race([settled, delay(GRACE_MS, undefined, { ref: false })]);
    throw signal.reason;
  }
  if (first.kind === 'done') return first.value;
  throw first.kind === 'failed' ? first.error : signal.reason;
}

function aborted(signal: AbortSignal): Promise<{ readonly kind: 'aborted' }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ kind: 'aborted' });
    signal.addEventListener('abort', () => resolve({ kind: 'aborted' }), { once: true });
  });
}
