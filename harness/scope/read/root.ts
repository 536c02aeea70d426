import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { ScopeError } from '../errors.ts';

export type RootState = 'present' | 'missing' | 'not-directory' | 'unreadable';

/** The selected directory: `spelledPath` is absolute and as the user wrote it, `canonicalPath` without links. */
export interface ScopeRoot {
  readonly state: RootState;
  readonly spelledPath: string;
  /** Null unless the state is `present`. */
  readonly canonicalPath: string | null;
}

/**
 * Canonicalises the one path that may lead through links, because the user chose it.
 *
 * The canonical path is the operating system's answer for the argument as given: after a link, `..` is the
 * parent of the link's target. The spelling is kept only when it names that same directory. `cwd` is null when
 * the current directory is gone.
 * @throws {ScopeError} ROOT_EMPTY, before anything is read
 */
export function resolveRoot(argument: string, cwd: string | null): ScopeRoot {
  if (argument === '') {
    throw new ScopeError('ROOT_EMPTY', 'the root is empty; use . for the current directory', 'ROOT');
  }
  if (cwd === null) return { state: 'missing', spelledPath: argument, canonicalPath: null };
  const spelledPath = resolve(cwd, argument);
  if (argument.includes('\0')) return { state: 'missing', spelledPath, canonicalPath: null };
  const asGiven = isAbsolute(argument) ? argument : `${cwd}${sep}${argument}`;
  try {
    const canonicalPath = canonical(asGiven);
    if (canonicalPath === null) return { state: 'unreadable', spelledPath, canonicalPath };
    if (!statSync(canonicalPath).isDirectory()) {
      return { state: 'not-directory', spelledPath, canonicalPath: null };
    }
    return {
      state: 'present',
      spelledPath: canonicalOrNull(spelledPath) === canonicalPath ? spelledPath : canonicalPath,
      canonicalPath,
    };
  } catch (error) {
    return { state: stateOf(error), spelledPath, canonicalPath: null };
  }
}

/** Null for a name that is no UTF-8: as text it would be another directory's. */
function canonical(path: string): string | null {
  const bytes = realpathSync.native(path, 'buffer');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

function canonicalOrNull(path: string): string | null {
  try {
    return canonical(path);
  } catch {
    return null;
  }
}

function stateOf(error: unknown): RootState {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTDIR') return 'not-directory';
  return code === 'ENOENT' || code === 'ENAMETOOLONG' ? 'missing' : 'unreadable';
}
