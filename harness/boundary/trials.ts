import type { Boundary, Platform, WritableMount } from './boundary.ts';
import type { BoundaryFindingCode } from './finding.ts';
import { refusedCalls, TRIAL_NUMBERS } from './probe-calls.ts';

/** One thing that the probe does in the box, and the outcomes that the boundary promises. */
export interface Trial {
  /** Unique; the name under which the outcome is stored. */
  readonly id: string;
  readonly operation: string;
  readonly arguments: readonly string[];
  /** Field of the boundary that it tests. */
  readonly field: keyof Boundary;
  /** What it means when the outcome is another. */
  readonly code: BoundaryFindingCode;
  /** Outcomes in the form of `Outcome`; every other one, and none at all, is a finding. */
  readonly accepts: readonly string[];
}

/** A policy's refusal: ENOSYS comes from engines that answer so for calls newer than a profile's newest. */
const REFUSED_BY_POLICY = ['refused EPERM', 'refused ENOSYS'];
const READ_ONLY = ['refused EROFS'];

/** Not one of a mount's own files: a path of the image that must never take a write. */
const IMAGE_FOLDERS = ['/', '/usr', '/etc', '/.packproof', '/opt/candidate'];
const IMAGE_FILES = ['/usr/local/bin/node', '/.packproof/perl', '/.packproof/holder.pl'];

/** Everything that is tried in a box of this boundary, in the order in which it is tried. */
export function toTrials(boundary: Boundary): readonly Trial[] {
  return [
    ...callTrials(boundary.platform),
    ...socketTrials(boundary.platform),
    ...namespaceTrials(),
    ...foreignTrials(boundary.platform),
    ...networkTrials(),
    ...rootTrials(),
    ...boundary.mounts.flatMap((mount) => mountTrials(mount, fileSizeLimit(boundary))),
    ...pathTrials(boundary),
    ...holderTrials(),
    {
      id: 'crash',
      operation: 'crash',
      arguments: [],
      field: 'resourceLimits',
      code: 'CORE_DUMPED',
      accepts: ['no-effect'],
    },
    {
      id: 'tasks',
      operation: 'tasks',
      arguments: [String(boundary.pidsLimit + 16)],
      field: 'pidsLimit',
      code: 'TASKS_NOT_LIMITED',
      accepts: [`counted ${boundary.pidsLimit} EAGAIN`],
    },
  ];
}

/** Where nothing refuses it, it gives the caller rights that would change the answers to what follows. */
const LONE_CALLS = ['unshare'];

function callTrials(platform: Platform): readonly Trial[] {
  const refused = refusedCalls(platform).map(
    (call): Trial => ({
      id: `call.${call.id}`,
      operation: LONE_CALLS.includes(call.id) ? 'lone' : 'call',
      arguments: [String(call.numbers[platform]), ...call.arguments],
      field: 'seccompSha256',
      code: 'CALL_NOT_REFUSED',
      accepts: REFUSED_BY_POLICY,
    }),
  );
  const answered: Trial = {
    id: 'call.clone3',
    operation: 'call',
    // Of a size that no version has, so that it makes no child where it is allowed.
    arguments: [String(TRIAL_NUMBERS.clone3[platform]), 'z64', 'i8'],
    field: 'seccompSha256',
    code: 'CLONE3_ANSWER',
    accepts: ['refused ENOSYS'],
  };
  const query: Trial = {
    id: 'call.personality.query',
    operation: 'call',
    arguments: [String(TRIAL_NUMBERS.personality[platform]), `i${0xffff_ffff}`],
    field: 'seccompSha256',
    code: 'CALL_NOT_ALLOWED',
    accepts: ['allowed'],
  };
  return [...refused, answered, query];
}

/** Highest protocol family that Linux knows (AF_MCTP is 45); one beyond is tried as well. */
const LAST_FAMILY = 46;
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK have trials of their own. */
const SOME_ALLOWED = [1, 2, 10, 16];
const FAMILY_NAMES: Readonly<Record<number, string>> = { 17: 'packet', 38: 'alg', 40: 'vsock', 44: 'xdp' };
/** SOCK_DGRAM, which most families know and none reserves for a privileged user. */
const DATAGRAM = 2;
/** The others: raw packets, transforms (SOCK_SEQPACKET), and streams to the machine that hosts this one. */
const FAMILY_TYPES: Readonly<Record<number, number>> = { 17: 3, 38: 5, 40: 1, 44: 3 };

/** Family, type, protocol. */
type SocketRequest = readonly [number, number, number];

const REFUSED_SOCKETS: Readonly<Record<string, SocketRequest>> = {
  'inet-raw': [2, 3, 255],
  'inet-packet': [2, 10, 0x0300],
  'inet-icmp': [2, 2, 1],
  'inet-sctp': [2, 1, 132],
  'inet-mptcp': [2, 1, 262],
  'inet6-raw': [10, 3, 58],
  'unix-raw': [1, 3, 0],
  'netlink-usersock': [16, 3, 2],
  'netlink-sock-diag': [16, 3, 4],
  'netlink-audit': [16, 3, 9],
  'netlink-netfilter': [16, 3, 12],
  'netlink-uevent': [16, 3, 15],
  'netlink-generic': [16, 3, 16],
  'netlink-crypto': [16, 3, 21],
};

const ALLOWED_SOCKETS: Readonly<Record<string, SocketRequest>> = {
  unix: [1, 1, 0],
  inet: [2, 1, 6],
  'inet-udp': [2, 2, 17],
  'netlink-route': [16, 3, 0],
};

function socketTrials(platform: Platform): readonly Trial[] {
  const families = Array.from({ length: LAST_FAMILY + 1 }, (_, family) => family)
    .filter((family) => !SOME_ALLOWED.includes(family))
    .map((family): [string, SocketRequest] => [
      `family-${FAMILY_NAMES[family] ?? family}`,
      [family, FAMILY_TYPES[family] ?? DATAGRAM, 0],
    ]);
  const refused = [...families, ...Object.entries(REFUSED_SOCKETS)].map(([name, request]) =>
    socketTrial(platform, name, request, 'SOCKET_NOT_REFUSED', REFUSED_BY_POLICY),
  );
  const allowed = Object.entries(ALLOWED_SOCKETS).map(([name, request]) =>
    socketTrial(platform, name, request, 'SOCKET_NOT_ALLOWED', ['allowed']),
  );
  const pair: Trial = {
    id: 'socketpair.inet',
    operation: 'call',
    arguments: [String(TRIAL_NUMBERS.socketpair[platform]), 'i2', 'i1', 'i0', 'z8'],
    field: 'seccompSha256',
    code: 'SOCKET_NOT_REFUSED',
    accepts: REFUSED_BY_POLICY,
  };
  return [...refused, ...allowed, pair];
}

function socketTrial(
  platform: Platform,
  name: string,
  request: SocketRequest,
  ...[code, accepts]: readonly [BoundaryFindingCode, readonly string[]]
): Trial {
  const given = request.map((value) => `i${value}`);
  return {
    id: `socket.${name}`,
    operation: 'call',
    arguments: [String(TRIAL_NUMBERS.socket[platform]), ...given],
    field: 'seccompSha256',
    code,
    accepts,
  };
}

const NEW_USER = 0x1000_0000;
/** Each but the first together with a new user namespace, in which an ordinary user may make the others. */
const NAMESPACE_FLAGS: Readonly<Record<string, number>> = {
  user: NEW_USER,
  mount: NEW_USER | 0x0002_0000,
  cgroup: NEW_USER | 0x0200_0000,
  uts: NEW_USER | 0x0400_0000,
  ipc: NEW_USER | 0x0800_0000,
  pid: NEW_USER | 0x2000_0000,
  network: NEW_USER | 0x4000_0000,
};

function namespaceTrials(): readonly Trial[] {
  return Object.entries(NAMESPACE_FLAGS).map(([name, flags]) => ({
    id: `clone.${name}`,
    operation: 'clone',
    arguments: [String(flags)],
    field: 'seccompSha256',
    code: 'NAMESPACE_NOT_REFUSED',
    accepts: REFUSED_BY_POLICY,
  }));
}

/**
 * sched_yield by `int 0x80`, whose number among the calls of i386 is 158; then exit_group(-result).
 * mov eax,158; int 0x80; mov edi,eax; neg edi; mov eax,231; syscall
 */
const I386_CALL = 'b89e000000cd8089c7f7dfb8e70000000f05';
/** sched_yield among the calls of x32. */
const X32_CALL = 0x4000_0000 + 24;

/**
 * Calls of the architectures that share a processor with the native one. libseccomp itself ends a process
 * that makes one; a profile cannot say otherwise without allowing them, so this is the one place where a
 * call is answered by a signal.
 */
function foreignTrials(platform: Platform): readonly Trial[] {
  if (platform !== 'linux/amd64') return [];
  const common = { field: 'seccompSha256', code: 'FOREIGN_CALL_NOT_REFUSED' } as const;
  const refused = [...REFUSED_BY_POLICY, 'killed SIGSYS'];
  return [
    { ...common, id: 'foreign.x32', operation: 'call', arguments: [String(X32_CALL)], accepts: refused },
    {
      ...common,
      id: 'foreign.i386',
      operation: 'machine',
      arguments: [I386_CALL],
      accepts: [...refused, 'not-exercisable kernel-lacks-foreign-architecture'],
    },
  ];
}

/** Addresses that documents may use and nobody has: RFC 5737 (192.0.2.1) and RFC 3849 (2001:db8::1); port 9. */
const IPV4_ADDRESS = '02000009c00002010000000000000000';
const IPV6_ADDRESS = '0a0000090000000020010db800000000000000000000000100000000';

function networkTrials(): readonly Trial[] {
  const unreachable = (id: string, given: readonly string[], accepts: readonly string[]): Trial => ({
    id,
    operation: 'connect',
    arguments: given,
    field: 'network',
    code: 'NETWORK_REACHABLE',
    accepts,
  });
  const withoutIpv6 = ['refused ENETUNREACH', 'refused EADDRNOTAVAIL', 'refused EAFNOSUPPORT'];
  return [
    unreachable('connect.tcp', ['2', '1', IPV4_ADDRESS], ['refused ENETUNREACH']),
    unreachable('connect.udp', ['2', '2', IPV4_ADDRESS], ['refused ENETUNREACH']),
    unreachable('connect.tcp6', ['10', '1', IPV6_ADDRESS], withoutIpv6),
    unreachable('connect.udp6', ['10', '2', IPV6_ADDRESS], withoutIpv6),
    {
      id: 'connect.loopback',
      operation: 'loopback',
      arguments: [],
      field: 'network',
      code: 'LOOPBACK_BROKEN',
      accepts: ['allowed'],
    },
  ];
}

function rootTrials(): readonly Trial[] {
  const common = { field: 'rootReadOnly', code: 'ROOT_WRITABLE' } as const;
  const absent = (path: string) => (path === '/opt/candidate' ? ['refused ENOENT'] : []);
  const folders = IMAGE_FOLDERS.flatMap((folder): Trial[] => {
    const accepts = [...READ_ONLY, ...absent(folder)];
    const file = `${folder === '/' ? '' : folder}/.packproof-probe`;
    return [
      { ...common, id: `create.${folder}`, operation: 'create', arguments: [file], accepts },
      { ...common, id: `chmod.${folder}`, operation: 'chmod', arguments: [folder], accepts },
    ];
  });
  const files = IMAGE_FILES.flatMap((file): Trial[] => [
    { ...common, id: `chmod.${file}`, operation: 'chmod', arguments: [file], accepts: READ_ONLY },
    {
      ...common,
      id: `open.${file}`,
      operation: 'open',
      arguments: [file, 'write'],
      accepts: ['refused EROFS', 'refused EACCES', 'refused ETXTBSY'],
    },
  ]);
  return [...folders, ...files];
}

const ONE_PAGE_BYTES = 4096;

function fileSizeLimit(boundary: Boundary): number {
  return boundary.resourceLimits.find((limit) => limit.name === 'RLIMIT_FSIZE')?.value ?? 0;
}

function mountTrials(mount: WritableMount, fileSizeBytes: number): readonly Trial[] {
  const { path, exec, sizeBytes } = mount;
  const common = { field: 'mounts' } as const;
  const code = exec ? 'MOUNT_NOT_EXECUTABLE' : 'MOUNT_EXECUTABLE';
  return [
    {
      ...common,
      id: `write.${path}`,
      operation: 'create',
      arguments: [`${path}/.packproof-probe`],
      code: 'MOUNT_NOT_WRITABLE',
      accepts: ['allowed'],
    },
    {
      ...common,
      id: `exec.${path}`,
      operation: 'exec',
      arguments: [path],
      code,
      accepts: [exec ? 'allowed' : 'refused EACCES'],
    },
    {
      ...common,
      id: `map.${path}`,
      operation: 'map',
      arguments: [path],
      code,
      accepts: [exec ? 'allowed' : 'refused EPERM'],
    },
    {
      ...common,
      id: `fill.${path}`,
      operation: 'fill',
      arguments: [path, String(sizeBytes + ONE_PAGE_BYTES)],
      code: 'MOUNT_SIZE_NOT_LIMITED',
      accepts: ['refused ENOSPC'],
    },
    {
      id: `grow.${path}`,
      operation: 'grow',
      arguments: [path, String(fileSizeBytes + 1)],
      field: 'resourceLimits',
      code: 'FILE_SIZE_NOT_LIMITED',
      accepts: ['refused EFBIG'],
    },
  ];
}

/** Kernel files whose writing would reach beyond the box, and places that only root may fill. */
const UNWRITABLE_FILES = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
  '/proc/sysrq-trigger',
  '/proc/1/oom_score_adj',
];
const UNWRITABLE_FOLDERS = ['/dev', '/dev/shm', '/dev/mqueue', '/dev/pts', '/proc', '/sys', '/sys/fs/cgroup'];
const KEPT_OUT = ['EROFS', 'EACCES', 'EPERM', 'ENOENT'].map((errno) => `refused ${errno}`);

function pathTrials(boundary: Boundary): readonly Trial[] {
  const masked = boundary.maskedPaths.map(
    (path): Trial => ({
      id: `read.${path}`,
      operation: 'read',
      arguments: [path],
      field: 'maskedPaths',
      code: 'MASKED_PATH_READABLE',
      accepts: ['empty', 'refused ENOENT', 'refused EACCES', 'refused EPERM'],
    }),
  );
  const readonly = boundary.readonlyPaths.map(
    (path): Trial => ({
      id: `chmod.${path}`,
      operation: 'chmod',
      arguments: [path],
      field: 'readonlyPaths',
      code: 'READONLY_PATH_WRITABLE',
      accepts: ['refused EROFS', 'refused ENOENT'],
    }),
  );
  const files = UNWRITABLE_FILES.map(
    (path): Trial => ({
      id: `open.${path}`,
      operation: 'open',
      arguments: [path, 'write'],
      field: 'readonlyPaths',
      code: 'KERNEL_FILE_WRITABLE',
      accepts: KEPT_OUT,
    }),
  );
  const folders = UNWRITABLE_FOLDERS.map(
    (path): Trial => ({
      id: `create.${path}`,
      operation: 'create',
      arguments: [`${path}/.packproof-probe`],
      field: 'mounts',
      code: 'UNDECLARED_PLACE_WRITABLE',
      accepts: KEPT_OUT,
    }),
  );
  return [...masked, ...readonly, ...files, ...folders];
}

/** What an ordinary process of the same user would let another do with it. */
function holderTrials(): readonly Trial[] {
  const closed = ['mem', 'environ', 'maps', 'fd', 'fdinfo', 'cwd', 'root', 'exe'];
  const reads = closed.map(
    (name): Trial => ({
      id: `holder.${name}`,
      operation: 'open',
      arguments: [`/proc/1/${name}`, 'read'],
      field: 'uid',
      code: 'HOLDER_READABLE',
      accepts: ['refused EACCES', 'refused EPERM'],
    }),
  );
  const signals = ['KILL', 'STOP', 'TERM', 'SEGV'].map(
    (name): Trial => ({
      id: `holder.SIG${name}`,
      operation: 'signal',
      arguments: ['1', name],
      field: 'uid',
      code: 'HOLDER_SIGNALLED',
      // A security module of the host may refuse what the kernel's rule for process 1 lets go to nothing.
      accepts: ['no-effect', 'refused EACCES', 'refused EPERM'],
    }),
  );
  return [...reads, ...signals];
}
