import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../document/assets.ts';
import { collectDiagnostics } from '../holder/launch.ts';
import { HolderSession } from '../holder/session.ts';

/** A holder in a pid namespace of its own and nothing else of a box: this machine's files and perl. */
export interface UnsharedHolder {
  readonly session: HolderSession;
  /** The helper that waits for the holder; its end ends the holder. */
  readonly child: ChildProcess;
  close(): Promise<void>;
}

/**
 * Starts the real holder as uid 1000 and process 1 of a new pid namespace, for tests of the holder alone.
 * Needs root. Without seccomp, so that a refusal seen here is the holder's own protection.
 */
export async function openUnsharedHolder(deadlineMs: number): Promise<UnsharedHolder> {
  const holder = join(packageRoot(), 'harness/engine/holder/holder.pl');
  const architecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const asUser = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups', '--'];
  const child = spawn(
    'unshare',
    [
      '--pid',
      '--fork',
      '--mount-proc',
      '--kill-child',
      ...asUser,
      'perl',
      holder,
      architecture,
      String(deadlineMs),
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, cwd: '/' },
  );
  const session = new HolderSession({
    control: child.stdin,
    frames: child.stdout,
    diagnostics: collectDiagnostics(child.stderr),
  });
  await session.ready(10_000);
  return {
    session,
    child,
    close: async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      session.quit();
      await ended;
    },
  };
}
