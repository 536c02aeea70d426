import type { Platform } from './boundary.ts';

/**
 * An argument as the probe takes it: `i` and a number, `s` and the text of a C string, `z` and a count of
 * zero bytes to point at, `h` and bytes in hex to point at.
 */
export type CallArgument = `i${string}` | `s${string}` | `z${number}` | `h${string}`;

/**
 * A call that the policy must refuse, with arguments that do no harm where nothing refuses it: not even to
 * a host on which the control runs it as root. Where the kernel would answer EPERM to an ordinary user
 * anyway, the arguments are such that it finds another fault first, so that the answer tells who gave it.
 */
export interface ProbeCall {
  /** Name of the trial; the call's own name unless one call is tried in several ways. */
  readonly id: string;
  readonly syscall: string;
  readonly numbers: CallNumbers;
  readonly arguments: readonly CallArgument[];
}

/** Null where the architecture has no such call. */
export interface CallNumbers {
  readonly 'linux/amd64': number | null;
  readonly 'linux/arm64': number | null;
}

const CURRENT_FOLDER_FD = 'i-100';
const NO_FD = 'i-1';
/** A pointer that no process can read: the kernel answers EFAULT as soon as it looks. */
const BAD_POINTER = 'i1';
/** Flags that no version of a call knows. */
const UNKNOWN_FLAGS = 'i1073741824';
const NOWHERE = 's/packproof-nowhere';
/** In a folder that is not there, so that nothing is ever made. */
const NO_FOLDER = 's/packproof-nowhere/node';
const NEW_USER_NAMESPACE = 0x1000_0000;

/** Trial, call, number on amd64 and arm64, arguments. */
type Row = readonly [string, string, number | null, number | null, readonly CallArgument[]];

/** Numbers are those of Linux: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. */
const ROWS: readonly Row[] = [
  ['io_uring_setup', 'io_uring_setup', 425, 425, ['i1', 'z120']],
  ['io_uring_enter', 'io_uring_enter', 426, 426, [NO_FD, 'i0', 'i0', 'i0', 'i0', 'i0']],
  ['io_uring_register', 'io_uring_register', 427, 427, [NO_FD, 'i0', 'i0', 'i0']],
  // -2: the keyring of the process itself, which ends with it.
  ['add_key', 'add_key', 248, 217, ['suser', 'spackproof', 'sx', 'i1', 'i-2']],
  ['request_key', 'request_key', 249, 218, ['suser', 'spackproof-none', 'i0', 'i0']],
  ['keyctl', 'keyctl', 250, 219, ['i0', 'i-2', 'i1']],
  ['bpf', 'bpf', 321, 280, ['i0', 'z8192', 'i8192']],
  ['perf_event_open', 'perf_event_open', 298, 241, ['z128', 'i0', 'i-1', 'i-1', UNKNOWN_FLAGS]],
  ['userfaultfd', 'userfaultfd', 323, 282, ['i1']],
  ['mount', 'mount', 165, 40, ['snone', 's/', BAD_POINTER, 'i0', 'i0']],
  ['mount.tmpfs', 'mount', 165, 40, ['snone', 's/tmp', 'stmpfs', 'i0', 'i0']],
  ['umount2', 'umount2', 166, 39, ['s/tmp', UNKNOWN_FLAGS]],
  ['pivot_root', 'pivot_root', 155, 41, [NOWHERE, NOWHERE]],
  ['chroot', 'chroot', 161, 51, [NOWHERE]],
  ['open_tree', 'open_tree', 428, 428, [CURRENT_FOLDER_FD, 's/', 'i0']],
  ['move_mount', 'move_mount', 429, 429, [NO_FD, 's', NO_FD, 's', UNKNOWN_FLAGS]],
  ['fsopen', 'fsopen', 430, 430, ['stmpfs', UNKNOWN_FLAGS]],
  ['fsconfig', 'fsconfig', 431, 431, [NO_FD, 'i99', 'i0', 'i0', 'i0']],
  ['fsmount', 'fsmount', 432, 432, [NO_FD, UNKNOWN_FLAGS, 'i0']],
  ['fspick', 'fspick', 433, 433, [NO_FD, 's', UNKNOWN_FLAGS]],
  ['mount_setattr', 'mount_setattr', 442, 442, [NO_FD, 's', UNKNOWN_FLAGS, 'z32', 'i32']],
  ['unshare', 'unshare', 272, 97, [`i${NEW_USER_NAMESPACE}`]],
  ['unshare.files', 'unshare', 272, 97, ['i1024']],
  ['setns', 'setns', 308, 268, [NO_FD, 'i0']],
  // PTRACE_ATTACH to a process that cannot exist.
  ['ptrace', 'ptrace', 101, 117, ['i16', 'i2147483646', 'i0', 'i0']],
  ['process_vm_readv', 'process_vm_readv', 310, 270, ['i2147483646', 'z16', 'i1', 'z16', 'i1', 'i0']],
  ['process_vm_writev', 'process_vm_writev', 311, 271, ['i2147483646', 'z16', 'i1', 'z16', 'i1', 'i0']],
  ['process_madvise', 'process_madvise', 440, 440, [NO_FD, 'z16', 'i1', 'i0', UNKNOWN_FLAGS]],
  ['kcmp', 'kcmp', 312, 272, ['i2147483646', 'i2147483646', 'i0', 'i0', 'i0']],
  ['pidfd_getfd', 'pidfd_getfd', 438, 438, [NO_FD, 'i0', 'i0']],
  ['name_to_handle_at', 'name_to_handle_at', 303, 264, [CURRENT_FOLDER_FD, NOWHERE, 'z136', 'z8', 'i0']],
  ['open_by_handle_at', 'open_by_handle_at', 304, 265, [CURRENT_FOLDER_FD, BAD_POINTER, 'i0']],
  ['kexec_load', 'kexec_load', 246, 104, ['i0', 'i0', 'i0', UNKNOWN_FLAGS]],
  ['kexec_file_load', 'kexec_file_load', 320, 294, [NO_FD, NO_FD, 'i0', 's', UNKNOWN_FLAGS]],
  ['init_module', 'init_module', 175, 105, ['z8', 'i8', 's']],
  ['finit_module', 'finit_module', 313, 273, [NO_FD, 's', UNKNOWN_FLAGS]],
  ['delete_module', 'delete_module', 176, 106, ['spackproof_none', 'i0']],
  // Magic numbers that ask for nothing.
  ['reboot', 'reboot', 169, 142, ['i0', 'i0', 'i0', 'i0']],
  ['swapon', 'swapon', 167, 224, [NOWHERE, 'i0']],
  ['swapoff', 'swapoff', 168, 225, [NOWHERE]],
  ['acct', 'acct', 163, 89, [NOWHERE]],
  ['quotactl', 'quotactl', 179, 60, ['i0', 'i0', 'i0', 'i0']],
  ['quotactl_fd', 'quotactl_fd', 443, 443, [NO_FD, 'i0', 'i0', 'i0']],
  // SYSLOG_ACTION_SIZE_BUFFER, which only asks.
  ['syslog', 'syslog', 103, 116, ['i10', 'i0', 'i0']],
  ['sethostname', 'sethostname', 170, 161, ['sx', 'i-1']],
  ['setdomainname', 'setdomainname', 171, 162, ['sx', 'i-1']],
  ['vhangup', 'vhangup', 153, 58, []],
  // A time that is none: -1 microseconds.
  ['settimeofday', 'settimeofday', 164, 170, ['h0000000000000000ffffffffffffffff', 'i0']],
  ['clock_settime', 'clock_settime', 227, 112, ['i9999', 'z16']],
  ['adjtimex', 'adjtimex', 159, 171, ['z208']],
  ['clock_adjtime', 'clock_adjtime', 305, 266, ['i0', 'z208']],
  ['iopl', 'iopl', 172, null, ['i4']],
  ['ioperm', 'ioperm', 173, null, ['i65536', 'i1', 'i1']],
  ['modify_ldt', 'modify_ldt', 154, null, ['i0', 'z16', 'i16']],
  ['memfd_create', 'memfd_create', 319, 279, ['spackproof', 'i0']],
  ['memfd_secret', 'memfd_secret', 447, 447, ['i0']],
  ['shmget', 'shmget', 29, 194, ['i0', 'i4096', 'i384']],
  ['shmat', 'shmat', 30, 196, [NO_FD, 'i0', 'i0']],
  ['mq_open', 'mq_open', 240, 180, ['spackproof-none', 'i0', 'i0', 'i0']],
  // SECCOMP_GET_ACTION_AVAIL of SECCOMP_RET_ALLOW, which only asks.
  ['seccomp', 'seccomp', 317, 277, ['i2', 'i0', 'h0000ff7f']],
  ['prctl.seccomp', 'prctl', 157, 167, ['i22', 'i99', 'i0', 'i0', 'i0']],
  // PR_SET_PTRACER, and PR_SET_MM with nothing to set.
  ['prctl.ptracer', 'prctl', 157, 167, ['i1499557217', 'i0', 'i0', 'i0', 'i0']],
  ['prctl.mm', 'prctl', 157, 167, ['i35', 'i99', 'i0', 'i0', 'i1']],
  ['fanotify_init', 'fanotify_init', 300, 262, ['i512', 'i0']],
  ['io_setup', 'io_setup', 206, 0, ['i1', BAD_POINTER]],
  ['vmsplice', 'vmsplice', 278, 75, [NO_FD, 'i0', 'i0', 'i0']],
  ['move_pages', 'move_pages', 279, 239, ['i0', 'i0', 'i0', 'i0', 'i0', 'i0']],
  ['migrate_pages', 'migrate_pages', 256, 238, ['i2147483646', 'i0', 'i0', 'i0']],
  ['lookup_dcookie', 'lookup_dcookie', 212, 18, ['i0', 'i0', 'i0']],
  ['setgroups', 'setgroups', 116, 159, ['i0', 'i0']],
  // ADDR_NO_RANDOMIZE.
  ['personality.no-randomize', 'personality', 135, 92, ['i262144']],
  // A character device (1:1, the memory of the machine) and the whiteout of an overlay.
  ['mknodat.device', 'mknodat', 259, 33, [CURRENT_FOLDER_FD, NO_FOLDER, 'i8576', 'i257']],
  ['mknodat.whiteout', 'mknodat', 259, 33, [CURRENT_FOLDER_FD, NO_FOLDER, 'i8576', 'i0']],
  ['mknod.device', 'mknod', 133, null, [NO_FOLDER, 'i8576', 'i257']],
  // TIOCSTI and TIOCLINUX, also with the upper half of the register in use, which the kernel cuts off.
  ['ioctl.tiocsti', 'ioctl', 16, 29, ['i0', 'i21522', 'sx']],
  ['ioctl.tiocsti-wide', 'ioctl', 16, 29, ['i0', 'i4294988818', 'sx']],
  ['ioctl.tioclinux', 'ioctl', 16, 29, ['i0', 'i21532', 'sx']],
];

const CALLS: readonly ProbeCall[] = ROWS.map(([id, syscall, amd64, arm64, given]) => ({
  id,
  syscall,
  numbers: { 'linux/amd64': amd64, 'linux/arm64': arm64 },
  arguments: given,
}));

/** Every call of the platform that the policy must refuse. */
export function refusedCalls(platform: Platform): readonly ProbeCall[] {
  return CALLS.filter((entry) => entry.numbers[platform] !== null);
}

/** Numbers of the calls that the trials of other kinds make. */
export const TRIAL_NUMBERS = {
  socket: { 'linux/amd64': 41, 'linux/arm64': 198 },
  socketpair: { 'linux/amd64': 53, 'linux/arm64': 199 },
  clone3: { 'linux/amd64': 435, 'linux/arm64': 435 },
  personality: { 'linux/amd64': 135, 'linux/arm64': 92 },
} as const;
