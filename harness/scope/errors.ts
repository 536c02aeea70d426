export type ScopeErrorCode = 'ROOT_EMPTY' | 'CLIENT_UNKNOWN';

/**
 * The call itself is wrong and nothing was read.
 *
 * Stands alone instead of extending the harness's base error: this folder imports nothing of the harness.
 */
export class ScopeError extends Error {
  readonly code: ScopeErrorCode;
  /** The argument at fault, as given. */
  readonly where: string;

  constructor(code: ScopeErrorCode, message: string, where: string) {
    super(message);
    this.name = 'ScopeError';
    this.code = code;
    this.where = where;
  }
}
