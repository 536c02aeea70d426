import { setTimeout as delay } from 'node:timers/promises';
import { INTERRUPTED_EXITS, type InterruptingSignal, isInterruptingSignal } from '../job/outcome.ts';
import { CliError } from './errors.ts';
import { exitOfSignal } from './exit-code.ts';

/** Listens for Ctrl-C, SIGTERM and the end of the terminal while a command works. */
export interface Interruption {
  /** Its reason is the `INTERRUPTED` error that the command then ends with. */
  readonly signal: AbortSignal;
  readonly by: () => InterruptingSignal | null;
  readonly stop: () => void;
}

const SIGNALS = Object.keys(INTERRUPTED_EXITS).filter(isInterruptingSignal);

/** What cannot be told to stop gets this long to notice that its boxes are gone and to clean up. */
const GRACE_MS = 5_000;

/** One process runs one command; its last act, telling an error, has to know of the signal too. */
let received: InterruptingSignal | null = null;

/** The signal that ended this process's command early; null: none has. */
export function interruptedBy(): InterruptingSignal | null {
  return received;
}

/**
 * The first signal asks the command to end in order, with its evidence when cases ran; a second one ends the
 * process at once, and the boxes end by themselves because their control channel closes.
 *
 * A terminal that goes away sends SIGHUP from the kernel and from its shell: that one may come twice.
 */
export function listenForInterruption(onFirst: (signal: string) => void): Interruption {
  const controller = new AbortController();
  let by: InterruptingSignal | null = null;
  received = null;
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      if (by === 'SIGHUP' && signal === 'SIGHUP') return;
      if (by !== null) process.exit(exitOfSignal(signal));
      by = signal;
      received = signal;
      onFirst(signal);
      controller.abort(new CliError('INTERRUPTED', 'interrupted', { where: signal }));
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    signal: controller.signal,
    by: () => by,
    stop: () => {
      for (const { signal, listener } of listeners) process.off(signal, listener);
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
