import { Fault, type FaultDetails } from '../document/fault.ts';

export type UsageErrorCode =
  | 'FLAG_UNKNOWN'
  | 'FLAG_VALUE'
  | 'FLAG_MISSING'
  | 'ARGUMENT_MISSING'
  | 'ARGUMENT_EXTRA'
  | 'COMMAND_UNKNOWN'
  | 'CANDIDATE_UNREADABLE'
  | 'EVIDENCE_MISSING'
  | 'CANDIDATE_HAS_NO_BIN'
  | 'SUITE_EXISTS'
  | 'CI_FILE_EXISTS'
  | 'NO_TERMINAL'
  | 'OUT_UNUSABLE'
  | 'SUITE_NOT_WRITTEN'
  | 'SUITE_CHANGED'
  | 'DOCUMENT_EXISTS'
  | 'DURATIONS_UNREADABLE'
  | 'SCHEMA_UNKNOWN'
  | 'LOCK_AMBIGUOUS';

/** The command line or a file it names is wrong; nothing was started. */
export class UsageError extends Fault {
  readonly code: UsageErrorCode;

  constructor(code: UsageErrorCode, what: string, details: FaultDetails) {
    super('usage', what, details);
    this.code = code;
  }
}

export type CliErrorCode =
  | 'FOLDER_NOT_OURS'
  | 'FOLDER_UNUSABLE'
  | 'VERIFIER_FAILED'
  | 'ENGINE_RELEASED'
  | 'INTERRUPTED'
  | 'DISK_FULL'
  | 'SYSTEM';

/** The machine lacks something that the command needs, or somebody ended it. */
export class CliError extends Fault {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, what: string, details: FaultDetails) {
    super('infrastructure', what, details);
    this.code = code;
  }
}
