import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

export type ReplayErrorCode =
  | 'EVIDENCE_REJECTED'
  | 'EVIDENCE_UNREADABLE'
  | 'EVIDENCE_CHANGED'
  | 'NOTHING_RAN'
  | 'PLATFORM_DIFFERS'
  | 'EXEC_NOT_ALLOWED'
  | 'SCRIPTS_NOT_ALLOWED'
  | 'ARCHIVE_MISSING'
  | 'BASE_UNKNOWN'
  | 'IDENTITY_DIFFERS'
  | 'REPLAY_REJECTED'
  | 'CASE_UNKNOWN'
  | 'ATTEMPT_UNKNOWN'
  | 'NODE_UNKNOWN'
  | 'NOT_STARTED'
  | 'BOX_LOST';

const KINDS: Readonly<Record<ReplayErrorCode, FaultKind>> = {
  EVIDENCE_REJECTED: 'evidence',
  EVIDENCE_UNREADABLE: 'evidence',
  EVIDENCE_CHANGED: 'evidence',
  NOTHING_RAN: 'usage',
  PLATFORM_DIFFERS: 'infrastructure',
  EXEC_NOT_ALLOWED: 'usage',
  SCRIPTS_NOT_ALLOWED: 'usage',
  ARCHIVE_MISSING: 'infrastructure',
  BASE_UNKNOWN: 'infrastructure',
  IDENTITY_DIFFERS: 'infrastructure',
  REPLAY_REJECTED: 'evidence',
  CASE_UNKNOWN: 'usage',
  ATTEMPT_UNKNOWN: 'usage',
  NODE_UNKNOWN: 'usage',
  NOT_STARTED: 'usage',
  BOX_LOST: 'infrastructure',
};

/** The evidence cannot be replayed, or a box of it be opened, here. A replay that shows something else is no error but a result. */
export class ReplayError extends Fault {
  readonly code: ReplayErrorCode;

  constructor(code: ReplayErrorCode, what: string, details: FaultDetails) {
    super(KINDS[code], what, details);
    this.code = code;
  }
}
