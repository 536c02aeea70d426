import { accessSync, constants } from 'node:fs';
import { type ProbeState, stateOfError } from './file-state.ts';
import { walkToFile } from './path-walk.ts';

/** Asks for the metadata of one instruction file. */
export type ProbeFile = (path: string) => ProbeState;

/** Says whether a regular file is there and could be read. It is never opened: its text is nobody's business. */
export function probeFile(path: string): ProbeState {
  const walked = walkToFile(path);
  if (walked.kind === 'stopped') return walked.state;
  try {
    accessSync(path, constants.R_OK);
    return 'present';
  } catch (error) {
    return stateOfError(error);
  }
}
