import type { Boundary } from '../shape/boundary.ts';

// Names of what the probe of format version 1 tries, and the answers that the boundary promises. They are part
// of the format and stated here apart from the probe's own orders.

const BY_POLICY = ['refused EPERM', 'refused ENOSYS'];
const READ_ONLY = ['refused EROFS'];
const KEPT_OUT = ['refused EROFS', 'refused EACCES', 'refused EPERM', 'refused ENOENT'];
const NOT_READ = ['refused EACCES', 'refused EPERM'];

/** Calls that the policy refuses on both platforms. */
const CALLS =
  'io_uring_setup io_uring_enter io_uring_register add_key request_key keyctl bpf perf_event_open userfaultfd ' +
  'mount mount.tmpfs umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr ' +
  'unshare unshare.files setns ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd ' +
  'name_to_handle_at open_by_handle_at kexec_load kexec_file_load init_module finit_module delete_module reboot ' +
  'swapon swapoff acct quotactl quotactl_fd syslog sethostname setdomainname vhangup settimeofday clock_settime ' +
  'adjtimex clock_adjtime memfd_create memfd_secret shmget shmat mq_open seccomp prctl.seccomp prctl.ptracer ' +
  'prctl.mm fanotify_init io_setup vmsplice move_pages migrate_pages lookup_dcookie setgroups ' +
  'personality.no-randomize mknodat.device mknodat.whiteout ioctl.tiocsti ioctl.tiocsti-wide ioctl.tioclinux';
/** Calls that only amd64 has. */
const CALLS_AMD64 = 'iopl ioperm modify_ldt mknod.device';
const NAMED_FAMILIES: Readonly<Record<number, string>> = { 17: 'packet', 38: 'alg', 40: 'vsock', 44: 'xdp' };
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, of which some sockets are allowed. */
const OPEN_FAMILIES = [1, 2, 10, 16];
const LAST_FAMILY = 46;
const SOCKETS_REFUSED =
  'inet-raw inet-packet inet-icmp inet-sctp inet-mptcp inet6-raw unix-raw netlink-usersock netlink-sock-diag ' +
  'netlink-audit netlink-netfilter netlink-uevent netlink-generic netlink-crypto';
const SOCKETS_ALLOWED = 'unix inet inet-udp netlink-route';
const NAMESPACES = 'user mount cgroup uts ipc pid network';
const HOLDER_FILES = 'mem environ maps fd fdinfo cwd root exe';
const HOLDER_SIGNALS = 'SIGKILL SIGSTOP SIGTERM SIGSEGV';
const KERNEL_FILES =
  '/proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/1/oom_score_adj';
const SYSTEM_FOLDERS = '/dev /dev/shm /dev/mqueue /dev/pts /proc /sys /sys/fs/cgroup';
const IMAGE_FOLDERS = '/ /usr /etc /.packproof /opt/candidate';
const IMAGE_FILES = '/usr/local/bin/node /.packproof/perl /.packproof/holder.pl';

/** Every trial of a boundary with the outcomes that keep the promise. */
export function promisedOutcomes(boundary: Boundary): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...policyTrials(boundary.platform),
    ...placeTrials(boundary),
    ...networkTrials(),
    ...named(HOLDER_FILES, (name) => `holder.${name}`, NOT_READ),
    ...named(HOLDER_SIGNALS, (name) => `holder.${name}`, ['no-effect', ...NOT_READ]),
    ['crash', ['no-effect']],
    ['tasks', [`counted ${boundary.pidsLimit} EAGAIN`]],
  ]);
}

type Trials = readonly (readonly [string, readonly string[]])[];

function named(names: string, toId: (name: string) => string, accepts: readonly string[]): Trials {
  return names.split(' ').map((name) => [toId(name), accepts]);
}

function policyTrials(platform: Boundary['platform']): Trials {
  const families = Array.from({ length: LAST_FAMILY + 1 }, (_, family) => family)
    .filter((family) => !OPEN_FAMILIES.includes(family))
    .map((family): Trials[number] => [`socket.family-${NAMED_FAMILIES[family] ?? family}`, BY_POLICY]);
  const call = (name: string): string => `call.${name}`;
  const common: Trials = [
    ...named(CALLS, call, BY_POLICY),
    ['call.clone3', ['refused ENOSYS']],
    ['call.personality.query', ['allowed']],
    ...families,
    ...named(SOCKETS_REFUSED, (name) => `socket.${name}`, BY_POLICY),
    ...named(SOCKETS_ALLOWED, (name) => `socket.${name}`, ['allowed']),
    ['socketpair.inet', BY_POLICY],
    ...named(NAMESPACES, (name) => `clone.${name}`, BY_POLICY),
  ];
  if (platform !== 'linux/amd64') return common;
  const foreign = [...BY_POLICY, 'killed SIGSYS'];
  return [
    ...common,
    ...named(CALLS_AMD64, call, BY_POLICY),
    ['foreign.x32', foreign],
    ['foreign.i386', [...foreign, 'not-exercisable kernel-lacks-foreign-architecture']],
  ];
}

function networkTrials(): Trials {
  const withoutIpv6 = ['refused ENETUNREACH', 'refused EADDRNOTAVAIL', 'refused EAFNOSUPPORT'];
  return [
    ['connect.tcp', ['refused ENETUNREACH']],
    ['connect.udp', ['refused ENETUNREACH']],
    ['connect.tcp6', withoutIpv6],
    ['connect.udp6', withoutIpv6],
    ['connect.loopback', ['allowed']],
  ];
}

function placeTrials(boundary: Boundary): Trials {
  const image = IMAGE_FOLDERS.split(' ').flatMap((folder): Trials => {
    // The install's own box has no candidate yet.
    const accepts = folder === '/opt/candidate' ? [...READ_ONLY, 'refused ENOENT'] : READ_ONLY;
    return [
      [`create.${folder}`, accepts],
      [`chmod.${folder}`, accepts],
    ];
  });
  const largestFile = boundary.resourceLimits.find(({ name }) => name === 'RLIMIT_FSIZE')?.value ?? 0;
  const mounts = boundary.mounts.flatMap(
    ({ path, exec, sizeBytes }): Trials => [
      [`write.${path}`, ['allowed']],
      [`exec.${path}`, [exec ? 'allowed' : 'refused EACCES']],
      [`map.${path}`, [exec ? 'allowed' : 'refused EPERM']],
      // Of the limits of a file and of its file system the lesser is met first.
      [`fill.${path}`, [largestFile < sizeBytes + 4096 ? 'refused EFBIG' : 'refused ENOSPC']],
      [`grow.${path}`, ['refused EFBIG']],
    ],
  );
  return [
    ...image,
    ...named(IMAGE_FILES, (file) => `chmod.${file}`, READ_ONLY),
    ...named(IMAGE_FILES, (file) => `open.${file}`, ['refused EROFS', 'refused EACCES', 'refused ETXTBSY']),
    ...mounts,
    ...boundary.maskedPaths.map((path): Trials[number] => [
      `read.${path}`,
      ['empty', 'refused ENOENT', 'refused EACCES', 'refused EPERM'],
    ]),
    ...boundary.readonlyPaths.map((path): Trials[number] => [
      `chmod.${path}`,
      ['refused EROFS', 'refused ENOENT'],
    ]),
    ...named(KERNEL_FILES, (file) => `open.${file}`, KEPT_OUT),
    ...named(SYSTEM_FOLDERS, (folder) => `create.${folder}`, KEPT_OUT),
  ];
}
