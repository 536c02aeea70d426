import { Fault, type FaultDetails, type FaultKind } from '../../document/fault.ts';

export type DockerErrorCode =
  /** DOCKER_HOST or the context names a transport that we do not speak. */
  | 'ENDPOINT_UNSUPPORTED'
  /** Nothing answers at the endpoint, or not any more. */
  | 'ENGINE_ABSENT'
  /** The engine refused a call. */
  | 'ENGINE_FAILED'
  /** The engine answered with something that its API does not allow. */
  | 'ANSWER_INVALID'
  /** Another program behind a Docker-like API (podman): it drops settings without a word. */
  | 'NOT_DOCKER'
  | 'ENGINE_TOO_OLD'
  | 'API_VERSION_UNSUPPORTED'
  | 'PLATFORM_UNSUPPORTED'
  /** The engine says itself that it cannot enforce a limit (rootless without delegation). */
  | 'LIMIT_NOT_ENFORCEABLE'
  /** A boundary value that has no Docker form. */
  | 'BOUNDARY_UNSUPPORTED'
  | 'LAYER_CHANGED'
  | 'IMAGE_LOAD_FAILED'
  | 'IMAGE_PULL_FAILED'
  | 'IMAGE_OTHER_PLATFORM'
  | 'IMAGE_MISMATCH'
  | 'IMAGE_ENTRY_UNREADABLE'
  | 'BOX_NOT_READY'
  | 'BOX_LOST'
  | 'EVIDENCE_UNREADABLE';

const USAGE_CODES: ReadonlySet<DockerErrorCode> = new Set(['ENDPOINT_UNSUPPORTED', 'IMAGE_OTHER_PLATFORM']);

/** A fault of the Docker adapter: usage when what was asked for is wrong, else infrastructure. */
export class DockerError extends Fault {
  readonly code: DockerErrorCode;

  constructor(code: DockerErrorCode, what: string, details: FaultDetails) {
    const kind: FaultKind = USAGE_CODES.has(code) ? 'usage' : 'infrastructure';
    super(kind, what, details);
    this.code = code;
  }
}
