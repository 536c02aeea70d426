/**
 * Names of the kernel's error numbers that a trial can meet; the same numbers on both platforms. The
 * table of the machine that compares is not used: it may run another system than the box.
 * Source: Linux, include/uapi/asm-generic/errno-base.h and errno.h.
 */
const ERRNO_NAMES: Readonly<Record<number, string>> = {
  1: 'EPERM',
  2: 'ENOENT',
  3: 'ESRCH',
  4: 'EINTR',
  5: 'EIO',
  6: 'ENXIO',
  7: 'E2BIG',
  8: 'ENOEXEC',
  9: 'EBADF',
  10: 'ECHILD',
  11: 'EAGAIN',
  12: 'ENOMEM',
  13: 'EACCES',
  14: 'EFAULT',
  16: 'EBUSY',
  17: 'EEXIST',
  19: 'ENODEV',
  20: 'ENOTDIR',
  21: 'EISDIR',
  22: 'EINVAL',
  24: 'EMFILE',
  25: 'ENOTTY',
  26: 'ETXTBSY',
  27: 'EFBIG',
  28: 'ENOSPC',
  30: 'EROFS',
  38: 'ENOSYS',
  40: 'ELOOP',
  75: 'EOVERFLOW',
  89: 'EDESTADDRREQ',
  92: 'ENOPROTOOPT',
  93: 'EPROTONOSUPPORT',
  94: 'ESOCKTNOSUPPORT',
  95: 'EOPNOTSUPP',
  97: 'EAFNOSUPPORT',
  98: 'EADDRINUSE',
  99: 'EADDRNOTAVAIL',
  100: 'ENETDOWN',
  101: 'ENETUNREACH',
  110: 'ETIMEDOUT',
  111: 'ECONNREFUSED',
  113: 'EHOSTUNREACH',
  126: 'ENOKEY',
};

/** Source: Linux, include/uapi/asm-generic/signal.h. */
const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
  31: 'SIGSYS',
};

/** The name of an error number, or the number itself when no trial is known to meet it. */
export function nameErrno(number: number): string {
  return ERRNO_NAMES[number] ?? `errno-${number}`;
}

/** The name of a signal number, or the number itself. */
export function nameSignal(number: number): string {
  return SIGNAL_NAMES[number] ?? `signal-${number}`;
}
