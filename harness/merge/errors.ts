import { Fault, type FaultDetails } from '../document/fault.ts';

export type MergeErrorCode =
  | 'SHARD_REJECTED'
  | 'SHARD_UNREADABLE'
  | 'NOT_A_SHARD'
  | 'SHARD_BLOCKED'
  | 'SHARD_COUNT'
  | 'SHARD_TWICE'
  | 'SHARD_MISSING'
  | 'SHARD_CANDIDATE'
  | 'SHARD_SUITES'
  | 'SHARD_INPUTS'
  | 'SHARD_IMAGE'
  | 'SHARD_BOUNDARY'
  | 'SHARD_SELECTION'
  | 'SHARD_SETTINGS'
  | 'SHARD_DISAGREES'
  | 'MERGE_REJECTED';

/** Evidence that is no set of shards of one run. Nothing was written. */
export class MergeError extends Fault {
  readonly code: MergeErrorCode;

  constructor(code: MergeErrorCode, what: string, details: FaultDetails) {
    super('evidence', what, details);
    this.code = code;
  }
}
