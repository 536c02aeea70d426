import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { BoxProcess } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { type ProcessPin, parseProcessStat } from './process-pin.ts';

/** Bytes of one command line that are kept; a candidate can make its own megabytes long. */
const COMMAND_LINE_BYTES = 16 * 1024;

/**
 * Processes of the box but its holder, in order of pid, zombies included.
 *
 * They are read through the box's own procfs as the holder has it mounted: that instance shows exactly the
 * box's pid namespace, in its numbers, and no program inside can change it. A process that ends between
 * the list and the look is left out.
 * @throws {EngineError} EVIDENCE_UNREADABLE when the holder is gone.
 */
export function listProcesses(holder: ProcessPin): readonly BoxProcess[] {
  const procfs = `${holder.folder}/root/proc`;
  let names: string[];
  try {
    names = readdirSync(procfs);
  } catch (cause) {
    throw new EngineError('EVIDENCE_UNREADABLE', {
      where: 'processes of the box',
      expected: 'its procfs',
      actual: 'none',
      cause,
    });
  }
  const pids = names
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== 1);
  return pids
    .sort((one, other) => one - other)
    .map((pid) => readProcess(`${procfs}/${pid}`, pid))
    .filter((found) => found !== null);
}

function readProcess(folder: string, pid: number): BoxProcess | null {
  try {
    const stat = parseProcessStat(readFileSync(`${folder}/stat`, 'latin1'));
    return stat === null
      ? null
      : { pid, parentPid: stat.parentPid, argv: readCommandLine(`${folder}/cmdline`), state: stat.state };
  } catch {
    return null;
  }
}

/** Empty for a zombie, which has no memory left to hold one. */
function readCommandLine(file: string): readonly string[] {
  const buffer = Buffer.alloc(COMMAND_LINE_BYTES);
  const descriptor = openSync(file, 'r');
  let size: number;
  try {
    size = readSync(descriptor, buffer, 0, buffer.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const text = buffer.toString('utf8', 0, size);
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}
