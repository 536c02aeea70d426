import { Fault, type FaultDetails } from '../document/fault.ts';

export type UsageErrorCode =
  | 'FLAG_UNKNOWN'
  | 'FLAG_VALUE'
  | 'ARGUMENT_MISSING'
  | 'COMMAND_UNKNOWN'
  | 'ENGINE_UNKNOWN'
  | 'CANDIDATE_UNREADABLE';

/** The command line or a file it names is wrong; nothing was started. */
export class UsageError extends Fault {
  readonly code: UsageErrorCode;

  constructor(code: UsageErrorCode, what: string, details: FaultDetails) {
    super('usage', what, details);
    this.code = code;
  }
}

export type CliErrorCode = 'NO_ENGINE' | 'FOLDER_NOT_OURS' | 'VERIFIER_FAILED';

/** The machine lacks something that the command needs. */
export class CliError extends Fault {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, what: string, details: FaultDetails) {
    super('infrastructure', what, details);
    this.code = code;
  }
}
