import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

export type JobErrorCode =
  | 'NO_ENGINE'
  | 'BASE_IMAGE_UNAVAILABLE'
  | 'IMAGE_DIFFERS'
  | 'IMAGE_CHANGED'
  | 'PLATFORM_NOT_RUNNABLE'
  | 'SUITE_UNREADABLE'
  | 'SUITE_SOURCES_TOO_LARGE'
  | 'SUITE_SOURCE_NAME'
  | 'WAIVERS_UNREADABLE';

const KINDS: Readonly<Record<JobErrorCode, FaultKind>> = {
  NO_ENGINE: 'infrastructure',
  BASE_IMAGE_UNAVAILABLE: 'infrastructure',
  IMAGE_DIFFERS: 'infrastructure',
  IMAGE_CHANGED: 'infrastructure',
  PLATFORM_NOT_RUNNABLE: 'infrastructure',
  SUITE_UNREADABLE: 'usage',
  SUITE_SOURCES_TOO_LARGE: 'usage',
  SUITE_SOURCE_NAME: 'usage',
  WAIVERS_UNREADABLE: 'usage',
};

/** The main job cannot go on as asked. */
export class JobError extends Fault {
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, what: string, details: FaultDetails) {
    super(KINDS[code], what, details);
    this.code = code;
  }
}
