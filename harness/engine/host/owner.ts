import { readFile, readlink } from 'node:fs/promises';

/**
 * The process that an engine's object belongs to, in a form that another process can check.
 *
 * A pid alone says nothing: it is used again, means another process in another pid namespace, and nothing on
 * another machine. So the machine's boot, the namespace and the process's start go with it.
 */
export interface Owner {
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, in clock ticks after the boot. */
  readonly startTicks: string;
}

export type OwnerState = 'alive' | 'dead' | 'elsewhere';

/** This process as an owner. */
export async function readOwner(): Promise<Owner> {
  const startTicks = await readStartTicks(process.pid);
  return {
    ...(await readPlace()),
    pid: process.pid,
    startTicks: startTicks ?? '0',
  };
}

/** One label value: `boot/namespace/pid/start`. */
export function formatOwner(owner: Owner): string {
  return [owner.bootId, owner.pidNamespace, owner.pid, owner.startTicks].join('/');
}

/** Null for anything that `formatOwner` does not write. */
export function parseOwner(text: string): Owner | null {
  const match = /^([0-9a-f-]{36})\/(\d+)\/(\d+)\/(\d+)$/.exec(text);
  const [bootId, pidNamespace, pid, startTicks] = match?.slice(1) ?? [];
  return bootId === undefined || pidNamespace === undefined || pid === undefined || startTicks === undefined
    ? null
    : { bootId, pidNamespace, pid: Number(pid), startTicks };
}

/** `elsewhere`: of another machine, boot or pid namespace, where nothing can be said from here. */
export async function readOwnerState(owner: Owner): Promise<OwnerState> {
  const place = await readPlace();
  if (place.bootId !== owner.bootId || place.pidNamespace !== owner.pidNamespace) {
    return 'elsewhere';
  }
  return (await readStartTicks(owner.pid)) === owner.startTicks ? 'alive' : 'dead';
}

async function readPlace(): Promise<Pick<Owner, 'bootId' | 'pidNamespace'>> {
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const namespace = await readlink('/proc/self/ns/pid');
  return { bootId, pidNamespace: /\d+/.exec(namespace)?.[0] ?? '0' };
}

/** Null when there is no such process, or only its zombie. */
async function readStartTicks(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  // The name in parentheses is free text; fields are counted after its last parenthesis.
  const fields = stat === null ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}
