import { Guard } from './guard.ts';
import { parseCommand, type WatchdogMessage } from './watchdog-protocol.ts';

/**
 * The watchdog process. It owns the deadline of one run and evaluates nothing: no candidate byte, suite or
 * pattern ever reaches it, so nothing that a candidate does can make it late.
 *
 * It ends when the runner says that the run is over, or when the runner is gone, whose boxes it then ends.
 */
const guard = new Guard();
let finishing = false;

function tell(message: WatchdogMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function onDeadline(): void {
  tell({ kind: 'deadline', atMs: guard.fire() });
  void guard.killAll();
}

async function finish(): Promise<void> {
  finishing = true;
  guard.noteEnd();
  await guard.removeAll();
  tell({ kind: 'finished', record: guard.record() });
}

// A terminal's Ctrl-C or a CI system's stop reaches the whole group; the runner decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});

process.on('message', (value) => {
  const command = parseCommand(value);
  switch (command?.kind) {
    case 'arm':
      guard.arm(command.startedAtMs, command.limitMs);
      // A timer drops the fraction of a millisecond, and would come before the deadline.
      setTimeout(onDeadline, Math.ceil(guard.leftMs()));
      tell({ kind: 'armed' });
      return;
    case 'register':
      guard.register(command.boxName, command.recipe);
      return;
    case 'unregister':
      guard.unregister(command.boxName);
      return;
    case 'finish':
      void finish();
      return;
    case undefined:
      return;
  }
});

process.on('disconnect', () => {
  const rest = finishing ? Promise.resolve() : guard.removeAll();
  void rest.then(() => process.exit(0));
});
