/**
 * Linux numbers of signals and errors: a box is always Linux, whatever the host of packproof is, so the
 * tables of `node:os` do not serve. Source: asm-generic/signal.h and errno.h, the same on x86_64 and arm64.
 */
const SIGNALS = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGSTKFLT',
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
] as const;

const ERRORS: Readonly<Record<number, string>> = {
  1: 'EPERM',
  2: 'ENOENT',
  5: 'EIO',
  6: 'ENXIO',
  7: 'E2BIG',
  8: 'ENOEXEC',
  9: 'EBADF',
  11: 'EAGAIN',
  12: 'ENOMEM',
  13: 'EACCES',
  14: 'EFAULT',
  16: 'EBUSY',
  17: 'EEXIST',
  20: 'ENOTDIR',
  21: 'EISDIR',
  22: 'EINVAL',
  23: 'ENFILE',
  24: 'EMFILE',
  26: 'ETXTBSY',
  27: 'EFBIG',
  28: 'ENOSPC',
  30: 'EROFS',
  31: 'EMLINK',
  32: 'EPIPE',
  36: 'ENAMETOOLONG',
  38: 'ENOSYS',
  40: 'ELOOP',
  80: 'ELIBBAD',
  122: 'EDQUOT',
};

/** The name of a signal; real-time signals are `SIG34` and so on. */
export function toSignalName(number: number): string {
  return SIGNALS[number - 1] ?? `SIG${number}`;
}

/** The number of a signal, or null when Linux knows no such name. */
export function toSignalNumber(name: string): number | null {
  const names: readonly string[] = SIGNALS;
  const index = names.indexOf(name);
  return index < 0 ? null : index + 1;
}

/** The name of an error number; `E` and the number where the table has none. */
export function toErrnoName(number: number): string {
  return ERRORS[number] ?? `E${number}`;
}
