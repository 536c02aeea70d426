import { posix, win32 } from 'node:path';

/**
 * What the command line of an entry looks like, and no more: `launcher` and `node-script` have the form of a
 * guard around another server, `malformed` carries the guard's mark but not its form, `unknown` cannot be
 * told. No file is looked at, so a recognised form says nothing about what would run or be enforced.
 */
export type GuardForm = 'none' | 'launcher' | 'node-script' | 'malformed' | 'unknown';

const MARK = ['guard', 'run', '--inner'] as const;
const LAUNCHER = 'mcpm';
const SCRIPT_ENDING = '/dist/index.js';
const HASH = /^[0-9a-f]{64}$/;

/** Classifies a command line of plain strings. Source: the guard's wrap grammar, version 0.30. */
export function guardFormOf(command: string, args: readonly string[]): GuardForm {
  if (!carriesMark(args)) return 'none';
  if (hasMarkAt(args, 0)) {
    if (!isGuardTail(args.slice(MARK.length))) return 'malformed';
    return command === LAUNCHER ? 'launcher' : 'unknown';
  }
  const script = args[0] ?? '';
  if (hasMarkAt(args, 1) && isAnyAbsolute(script) && script.endsWith(SCRIPT_ENDING)) {
    if (!isGuardTail(args.slice(MARK.length + 1))) return 'malformed';
    return isAnyAbsolute(command) ? 'node-script' : 'unknown';
  }
  return 'malformed';
}

function carriesMark(args: readonly string[]): boolean {
  return args.some((_, index) => hasMarkAt(args, index));
}

function hasMarkAt(args: readonly string[], index: number): boolean {
  return MARK.every((token, offset) => args[index + offset] === token);
}

/** The path belongs to whatever machine the file was written for, which need not be this one. */
function isAnyAbsolute(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

/** `--server-name` first, then known flags in any order, each once, then `--` and the wrapped command. */
function isGuardTail(tokens: readonly string[]): boolean {
  if (tokens[0] !== '--server-name' || !isValue(tokens[1])) return false;
  const seen = new Set<string>();
  for (let index = 2; index < tokens.length; ) {
    const flag = tokens[index] ?? '';
    if (flag === '--') return index + 1 < tokens.length && isClosed(seen);
    if (seen.has(flag)) return false;
    seen.add(flag);
    const width = flagWidth(flag, tokens[index + 1]);
    if (width === 0) return false;
    index += width;
  }
  return false;
}

function flagWidth(flag: string, value: string | undefined): 0 | 1 | 2 {
  switch (flag) {
    case '--declared-env':
      return isValue(value) ? 2 : 0;
    case '--orig-hash':
    case '--confine-profile-hash':
      return value !== undefined && HASH.test(value) ? 2 : 0;
    case '--confine-required':
      return 1;
    default:
      return 0;
  }
}

function isValue(token: string | undefined): boolean {
  return token !== undefined && token !== '' && token !== '--';
}

function isClosed(flags: ReadonlySet<string>): boolean {
  return !flags.has('--confine-required') || flags.has('--confine-profile-hash');
}
