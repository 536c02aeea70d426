import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

/** Every way in which prepare can refuse. One code per defect: two inputs that need different fixes differ. */
export type PrepareCode =
  // what was asked for
  | 'CANDIDATE_MISSING'
  | 'CANDIDATE_IS_FOLDER'
  | 'CANDIDATE_NOT_REGULAR'
  | 'CANDIDATE_SPEC_INVALID'
  | 'CANDIDATE_TOO_LARGE'
  | 'CANDIDATE_NOT_PUBLISHED'
  | 'CANDIDATE_RENAMED'
  | 'SIBLING_UNREADABLE'
  | 'SIBLING_UNSAFE'
  | 'SIBLING_DUPLICATE'
  | 'OUT_NOT_EMPTY'
  | 'OUT_NOT_WRITABLE'
  | 'NODE_SELECTION_INVALID'
  | 'NODE_VERSION_UNKNOWN'
  | 'SUITE_ID_INVALID'
  | 'ARCHIVES_FOLDER_MISSING'
  // archives that a suite pins
  | 'SUITE_ARCHIVE_MISSING'
  | 'SUITE_ARCHIVE_SIZE'
  | 'SUITE_ARCHIVE_DIGEST'
  | 'SUITE_ARCHIVE_CONFLICT'
  // integrity strings
  | 'INTEGRITY_MISSING'
  | 'INTEGRITY_MD5'
  | 'INTEGRITY_SHA1'
  | 'INTEGRITY_WEAK'
  | 'INTEGRITY_ALTERNATIVES'
  | 'INTEGRITY_TRUNCATED'
  | 'INTEGRITY_OPTIONS'
  | 'INTEGRITY_INVALID'
  // archives and the store
  | 'ARCHIVE_MISMATCH'
  | 'ARCHIVE_TOO_LARGE'
  | 'ARCHIVE_NOT_FOUND'
  | 'STORE_NOT_OWNED'
  | 'STORE_NOT_PRIVATE'
  | 'STORE_UNUSABLE'
  | 'DISK_FULL'
  // registry and resolution
  | 'NPM_CONFIG_INVALID'
  | 'REGISTRY_UNREACHABLE'
  | 'REGISTRY_DENIED'
  | 'REGISTRY_REFUSED'
  | 'REGISTRY_ANSWER_INVALID'
  | 'OFFLINE'
  | 'NPM_FAILED'
  | 'NPM_TIMED_OUT'
  | 'TREE_INVALID'
  | 'TREE_TOO_LARGE'
  | 'TREE_UNPINNED'
  | 'DEPENDENCY_NOT_FOUND'
  | 'DEPENDENCY_NO_VERSION'
  | 'DEPENDENCY_PROTOCOL'
  | 'DEPENDENCY_CONFLICT'
  | 'DEPENDENCY_REFUSED'
  // the base that was asked for
  | 'BASE_SELECTION_INVALID'
  | 'BASE_DIGEST_MISSING'
  | 'BASE_FILE_MISSING'
  | 'BASE_FILE_NOT_REGULAR'
  | 'BASE_FILE_TOO_LARGE'
  // base packages
  | 'BASE_LOCK_INVALID'
  | 'BASE_MIRROR_UNKNOWN'
  | 'BASE_NOT_SERVED'
  | 'BASE_UNREACHABLE'
  | 'BASE_DRIFT_UNSIGNED'
  // packproof's own lock files and packproof.lock.json
  | 'TOOLS_LOCK_INVALID'
  | 'NODE_LOCK_INVALID'
  | 'LOCK_MISSING'
  | 'LOCK_UNREADABLE'
  | 'LOCK_INVALID'
  | 'LOCK_NOT_CANONICAL'
  | 'LOCK_VERSION'
  | 'LOCK_PLATFORM'
  | 'LOCK_DEPENDENCY'
  | 'LOCK_NPM'
  | 'LOCK_NODE'
  | 'LOCK_BASE'
  | 'LOCK_ARCHIVE'
  // reading a context back
  | 'CONTEXT_MISSING'
  | 'CONTEXT_VERSION'
  | 'CONTEXT_INVALID'
  | 'CONTEXT_NOT_CANONICAL'
  | 'CONTEXT_FILE_MISSING'
  | 'CONTEXT_FILE_EXTRA'
  | 'CONTEXT_FILE_TYPE'
  | 'CONTEXT_FILE_SIZE'
  | 'CONTEXT_FILE_DIGEST'
  | 'CONTEXT_CONTRADICTS'
  | 'CONTEXT_BLOCKED';

/** The one error of this folder; `kind` decides the exit code, `code` the fix. */
export class PrepareError extends Fault {
  override readonly code: PrepareCode;

  constructor(kind: FaultKind, code: PrepareCode, what: string, details: FaultDetails) {
    super(kind, what, details);
    this.code = code;
  }
}

/** The errno name of a system error, or null for anything else. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
