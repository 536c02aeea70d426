import type { Boundary } from './boundary.ts';
import { placeTrials } from './place-trials.ts';
import { policyTrials } from './policy-trials.ts';
import type { Trial } from './trial.ts';

/** Everything that is tried in a box of this boundary, in the order in which it is tried. */
export function toTrials(boundary: Boundary): readonly Trial[] {
  return [
    ...policyTrials(boundary.platform),
    ...networkTrials(),
    ...placeTrials(boundary),
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
