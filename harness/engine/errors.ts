import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

/**
 * What an engine cannot do.
 *
 * - `ENGINE_ABSENT`: no binary or no daemon answers. `ENGINE_TOO_OLD`: below the floor of safe versions.
 * - `ENGINE_NOT_PERMITTED`: the user may not use it (runc needs root).
 * - `ENGINE_FAILED`: a call of the engine failed; `actual` holds what it said.
 * - `ENGINE_CLOSED`: it was asked for something while or after it was disposed of.
 * - `DISK_FULL`: a layer could not be unpacked for want of space.
 * - `BOUNDARY_UNSUPPORTED`: the engine cannot express a value of the boundary.
 * - `IMAGE_MISMATCH`: what the engine or the cache holds is not what was built.
 * - `LAYER_FORBIDDEN`: a layer holds an entry that no layer of ours may hold.
 * - `BOX_NOT_READY`: the box did not come up in time. `BOX_LOST`: the holder went away under a command.
 * - `HOLDER_FAULT`: the holder refused a command or sent bytes that are no frame.
 * - `HOLDER_TIMEOUT`: the holder did not answer in time.
 * - `FILE_NOT_LAID`: an entry of the file tree could not be made in the box.
 * - `OWNER_NOT_LAID`: an entry could not be given to its owner, or the engine has no way to do so.
 * - `STEP_REFUSED`: the request itself cannot be started (a NUL byte, no argv, too large, one still running).
 * - `BOX_NOT_QUIET`: files were asked for while a candidate's process may be alive.
 * - `PROCESSES_SURVIVED`: SIGKILL left processes alive.
 * - `EVIDENCE_UNREADABLE`: the host side of the box could not be read.
 * - `STATE_UNSAFE`: a state or cache folder is not ours alone.
 */
export type EngineErrorCode =
  | 'ENGINE_ABSENT'
  | 'ENGINE_TOO_OLD'
  | 'ENGINE_NOT_PERMITTED'
  | 'ENGINE_FAILED'
  | 'ENGINE_CLOSED'
  | 'DISK_FULL'
  | 'BOUNDARY_UNSUPPORTED'
  | 'IMAGE_MISMATCH'
  | 'LAYER_FORBIDDEN'
  | 'BOX_NOT_READY'
  | 'BOX_LOST'
  | 'HOLDER_FAULT'
  | 'HOLDER_TIMEOUT'
  | 'FILE_NOT_LAID'
  | 'OWNER_NOT_LAID'
  | 'STEP_REFUSED'
  | 'BOX_NOT_QUIET'
  | 'PROCESSES_SURVIVED'
  | 'EVIDENCE_UNREADABLE'
  | 'STATE_UNSAFE';

const SENTENCES: Readonly<Record<EngineErrorCode, string>> = {
  ENGINE_ABSENT: 'engine is not there',
  ENGINE_TOO_OLD: 'engine is below the floor of safe versions',
  ENGINE_NOT_PERMITTED: 'engine may not be used by this user',
  ENGINE_FAILED: 'engine call failed',
  ENGINE_CLOSED: 'engine was closed',
  DISK_FULL: 'no space left',
  BOUNDARY_UNSUPPORTED: 'boundary cannot be expressed',
  IMAGE_MISMATCH: 'image differs from what was built',
  LAYER_FORBIDDEN: 'layer entry is forbidden',
  BOX_NOT_READY: 'box did not come up',
  BOX_LOST: 'box was lost',
  HOLDER_FAULT: 'holder answered wrongly',
  HOLDER_TIMEOUT: 'holder did not answer',
  FILE_NOT_LAID: 'file could not be laid into the box',
  OWNER_NOT_LAID: 'file could not be given to its owner',
  STEP_REFUSED: 'step cannot be started',
  BOX_NOT_QUIET: 'box is not quiet',
  PROCESSES_SURVIVED: 'processes survived the kill',
  EVIDENCE_UNREADABLE: 'evidence cannot be read from outside',
  STATE_UNSAFE: 'folder is not safe to use',
};

/** The engine folder's one error class. An engine never fails through a candidate's fault. */
export class EngineError extends Fault {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, details: FaultDetails, kind: FaultKind = 'infrastructure') {
    super(kind, SENTENCES[code], details);
    this.code = code;
  }
}
