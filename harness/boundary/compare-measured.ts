import { toCanonicalBytes } from '../document/canonical.ts';
import type { Boundary } from './boundary.ts';
import { compareLimits, compareMounts, compareStatus } from './compare-kernel.ts';
import { showValue } from './field-reader.ts';
import type { BoundaryFinding, BoundaryFindingCode } from './finding.ts';
import type { MeasuredBoundary } from './measured.ts';
import { PROBE_ENVIRONMENT, PROBE_FOLDER } from './probe-orders.ts';
import { toTrials } from './trials.ts';

/** What was measured inside against what was declared, every fact and every trial. */
export function compareMeasured(declared: Boundary, measured: MeasuredBoundary): readonly BoundaryFinding[] {
  const absentPaths = pathsAbsent(declared, measured);
  return [
    ...compareFacts(declared, measured),
    ...compareStatus(declared, measured.status, 'MEASURED'),
    ...compareMounts(declared, measured.mounts, { name: 'MEASURED', absentPaths }),
    ...compareLimits(declared, measured.limits, 'MEASURED'),
    ...compareDevices(measured.devices),
    ...compareOutcomes(declared, measured.outcomes),
  ];
}

/** Masked and read-only paths that the kernel of the measured box does not have, so that nothing covers them. */
export function pathsAbsent(declared: Boundary, measured: MeasuredBoundary): ReadonlySet<string> {
  const isAbsent = (trial: string) => measured.outcomes[trial] === 'refused ENOENT';
  return new Set([
    ...declared.maskedPaths.filter((path) => isAbsent(`read.${path}`)),
    ...declared.readonlyPaths.filter((path) => isAbsent(`chmod.${path}`)),
  ]);
}

/**
 * Interfaces that the kernel puts into every new network namespace while a tunnel module is loaded: down,
 * without address, and only CAP_NET_ADMIN could change that.
 * Source: Linux, Documentation/admin-guide/sysctl/net.rst, fb_tunnels_only_for_init_net.
 */
const FALLBACK_TUNNELS = [
  'erspan0',
  'gre0',
  'gretap0',
  'ip6_vti0',
  'ip6erspan0',
  'ip6gre0',
  'ip6tnl0',
  'ip_vti0',
  'sit0',
  'tunl0',
];

function isFallback(name: string): boolean {
  return FALLBACK_TUNNELS.includes(name);
}

type Fact = readonly [BoundaryFindingCode, string, unknown, unknown];

/** Process 1 must be the holder of the image, started by its interpreter. */
const HOLDER = ['/.packproof/perl', '/.packproof/holder.pl'];
const PIPES = ['0 pipe', '1 pipe', '2 pipe'];

function compareFacts(declared: Boundary, measured: MeasuredBoundary): readonly BoundaryFinding[] {
  const spaces = declared.mounts.map(({ path, sizeBytes, inodes }) => ({ path, sizeBytes, inodes }));
  const limits = declared.resourceLimits.map(({ name, value }) => ({ name, soft: value, hard: value }));
  const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
    one.name < other.name ? -1 : 1;
  const facts: readonly Fact[] = [
    ['MEASURED_PLATFORM', 'platform', declared.platform, measured.platform],
    ['MEASURED_MOUNT_SPACE', 'mounts', spaces, measured.spaces],
    ['MEASURED_RESOURCE_LIMITS', 'resourceLimits', limits.sort(byName), measured.resourceLimits],
    ['MEASURED_INTERFACES', 'network', ['lo'], measured.interfaces.filter((name) => !isFallback(name))],
    ['MEASURED_UNIX_SOCKETS', 'unixSockets', [], measured.unixSockets],
    ['MEASURED_SET_ID_FILES', 'setIdFiles', [], measured.setIdFiles],
    ['MEASURED_CGROUP_NAMESPACE', 'cgroupNamespace', ['/'], measured.cgroupPaths],
    ['MEASURED_HOSTNAME', 'hostname', declared.hostname, measured.hostname],
    ['MEASURED_DOMAINNAME', 'hostname', '(none)', measured.domainname],
    ['MEASURED_DESCRIPTORS', 'descriptors', PIPES, measured.descriptors],
    ['MEASURED_WORKING_FOLDER', 'workingFolder', PROBE_FOLDER, measured.workingFolder],
    ['MEASURED_ENVIRONMENT', 'environment', PROBE_ENVIRONMENT, measured.environment],
    ['MEASURED_TIME_ZONE', 'timeZone', true, measured.localTimeIsUtc],
    ['MEASURED_HOLDER', 'holder', HOLDER, measured.holder],
  ];
  return facts
    .filter(([, , expected, actual]) => !toCanonicalBytes(expected).equals(toCanonicalBytes(actual)))
    .map(([code, field, expected, actual]) => ({
      code,
      path: `boundary.${field}`,
      expected: showValue(expected),
      actual: showValue(actual),
    }));
}

/** Numbers of the memory devices and of the terminal: Documentation/admin-guide/devices.txt of Linux. */
const NEEDED_DEVICES = [
  'character-device 1:3 /dev/null',
  'character-device 1:5 /dev/zero',
  'character-device 1:7 /dev/full',
  'character-device 1:8 /dev/random',
  'character-device 1:9 /dev/urandom',
  'character-device 5:0 /dev/tty',
];
/** What engines lay beside them: links into the process's own /proc, an own pseudo-terminal, covered folders. */
const ALLOWED_DEVICES = [
  'character-device 5:2 /dev/pts/ptmx',
  'directory - /dev/mqueue',
  'directory - /dev/pts',
  'directory - /dev/shm',
  'symlink - /dev/core',
  'symlink - /dev/fd',
  'symlink - /dev/ptmx',
  'symlink - /dev/stderr',
  'symlink - /dev/stdin',
  'symlink - /dev/stdout',
];

function compareDevices(devices: readonly string[]): readonly BoundaryFinding[] {
  const finding = (expected: string, actual: string, name: string): BoundaryFinding => ({
    code: 'MEASURED_DEVICES',
    path: `boundary.devices.${name.split(' ').slice(2).join(' ')}`,
    expected,
    actual,
  });
  const known = [...NEEDED_DEVICES, ...ALLOWED_DEVICES];
  return [
    ...NEEDED_DEVICES.filter((name) => !devices.includes(name)).map((name) => finding(name, 'nothing', name)),
    ...devices.filter((name) => !known.includes(name)).map((name) => finding('no such entry', name, name)),
  ];
}

function compareOutcomes(
  declared: Boundary,
  outcomes: Readonly<Record<string, string>>,
): readonly BoundaryFinding[] {
  const trials = toTrials(declared);
  const tried = trials.flatMap((trial): BoundaryFinding[] => {
    const actual = outcomes[trial.id];
    if (actual !== undefined && trial.accepts.includes(actual)) return [];
    return [
      {
        code: actual === undefined ? 'TRIAL_MISSING' : trial.code,
        path: `boundary.${trial.field}.${trial.id}`,
        expected: trial.accepts.join(' or '),
        actual: actual ?? 'nothing',
      },
    ];
  });
  const ids = new Set(trials.map((trial) => trial.id));
  const unknown = Object.keys(outcomes)
    .filter((id) => !ids.has(id))
    .map(
      (id): BoundaryFinding => ({
        code: 'MEASURED_TRIAL_UNKNOWN',
        path: `boundary.${id}`,
        expected: 'no such trial',
        actual: showValue(outcomes[id]),
      }),
    );
  return [...tried, ...unknown];
}
