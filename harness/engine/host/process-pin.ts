import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { EngineError } from '../errors.ts';

/** The fields of `/proc/PID/stat` that identify a process and tell whether it lives. */
export interface ProcessStat {
  /** `R S D T t Z X I`, as the kernel writes it. */
  readonly state: string;
  readonly parentPid: number;
  /** Field 22: clock ticks after boot, as digits. With the pid it names one process for ever. */
  readonly startTime: string;
}

/** Parses `/proc/PID/stat`; null when it is not of that form. */
export function parseProcessStat(text: string): ProcessStat | null {
  // The name in parentheses is the program's choice and may hold any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid] = fields;
  const startTime = fields[19];
  if (state === undefined || parentPid === undefined || startTime === undefined) {
    return null;
  }
  return { state, parentPid: Number(parentPid), startTime };
}

/**
 * A hold on one process of the host: its `/proc` folder as an open descriptor.
 *
 * Paths below `folder` go on meaning this process and answer ESRCH once it is gone; a path spelt with the
 * pid would mean whoever got the number next.
 */
export class ProcessPin {
  readonly pid: number;
  readonly startTime: string;
  /** `/proc/self/fd/N`, to be used by this process only. */
  readonly folder: string;
  readonly #descriptor: number;
  #open = true;

  private constructor(pid: number, startTime: string, descriptor: number) {
    this.pid = pid;
    this.startTime = startTime;
    this.#descriptor = descriptor;
    this.folder = `/proc/self/fd/${descriptor}`;
  }

  /** @throws {EngineError} EVIDENCE_UNREADABLE when there is no such process. */
  static open(pid: number): ProcessPin {
    let descriptor: number;
    try {
      descriptor = openSync(`/proc/${pid}`, constants.O_RDONLY | constants.O_DIRECTORY);
    } catch (cause) {
      throw unreadable(pid, cause);
    }
    const stat = readStat(`/proc/self/fd/${descriptor}`);
    if (stat === null) {
      closeSync(descriptor);
      throw unreadable(pid, undefined);
    }
    return new ProcessPin(pid, stat.startTime, descriptor);
  }

  /** A zombie is not alive: it runs nothing and holds nothing but its number. */
  isAlive(): boolean {
    const stat = this.#open ? readStat(this.folder) : null;
    return stat !== null && stat.state !== 'Z' && stat.state !== 'X';
  }

  /** Idempotent. Afterwards `folder` must not be used: the descriptor's number can be given away. */
  close(): void {
    if (this.#open) {
      this.#open = false;
      closeSync(this.#descriptor);
    }
  }
}

function readStat(folder: string): ProcessStat | null {
  try {
    return parseProcessStat(readFileSync(`${folder}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

function unreadable(pid: number, cause: unknown): EngineError {
  return new EngineError('EVIDENCE_UNREADABLE', {
    where: `process ${pid}`,
    expected: 'a live process',
    actual: 'none',
    cause,
  });
}
