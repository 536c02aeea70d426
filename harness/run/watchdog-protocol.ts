import type { KillRecipe } from '../engine/engine.ts';
import type { WatchdogRecord } from './result.ts';

/** What the runner tells its watchdog process. Times are of the monotonic clock, which both share. */
export type WatchdogCommand =
  | { readonly kind: 'arm'; readonly startedAtMs: number; readonly limitMs: number }
  | { readonly kind: 'register'; readonly boxName: string; readonly recipe: KillRecipe }
  | { readonly kind: 'unregister'; readonly boxName: string }
  /** The run is over: whatever is still registered is killed and removed, then the record is told. */
  | { readonly kind: 'finish' };

/** What the watchdog tells. `deadline` is sent before the first kill, so that the runner knows why boxes go. */
export type WatchdogMessage =
  | { readonly kind: 'armed' }
  | { readonly kind: 'deadline'; readonly atMs: number }
  | { readonly kind: 'finished'; readonly record: WatchdogRecord };

/**
 * A message of the other process, null when it is none. Both ends are this package's own code and IPC is
 * reachable for nobody else, so only the kind is looked at.
 */
export function parseCommand(value: unknown): WatchdogCommand | null {
  return hasKind(value, ['arm', 'register', 'unregister', 'finish']) ? (value as WatchdogCommand) : null;
}

/** See {@link parseCommand}. */
export function parseMessage(value: unknown): WatchdogMessage | null {
  return hasKind(value, ['armed', 'deadline', 'finished']) ? (value as WatchdogMessage) : null;
}

function hasKind(value: unknown, kinds: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  return typeof value.kind === 'string' && kinds.includes(value.kind);
}
