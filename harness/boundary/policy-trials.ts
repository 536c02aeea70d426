import type { Platform } from './boundary.ts';
import type { BoundaryFindingCode } from './finding.ts';
import { refusedCalls, TRIAL_NUMBERS } from './probe-calls.ts';
import type { Trial } from './trial.ts';

/** A policy's refusal: ENOSYS comes from engines that answer so for calls newer than a profile's newest. */
const REFUSED_BY_POLICY = ['refused EPERM', 'refused ENOSYS'];

/** What the seccomp policy of a platform refuses, and the little that it must not. */
export function policyTrials(platform: Platform): readonly Trial[] {
  return [
    ...callTrials(platform),
    ...socketTrials(platform),
    ...namespaceTrials(),
    ...foreignTrials(platform),
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
