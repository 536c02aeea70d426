import { type Json, toCanonicalText } from '../canonical.ts';
import type { Findings } from '../finding.ts';
import type { Boundary, Measured } from '../shape/boundary.ts';
import { checkMounts } from './mounts.ts';
import { checkLimits } from './outside-view.ts';
import { checkStatus } from './status.ts';
import { promisedOutcomes } from './trials.ts';

/**
 * Interfaces that the kernel puts, down, into every new network namespace while a tunnel module is loaded.
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

/** Numbers as in Documentation/admin-guide/devices.txt of Linux. */
const NEEDED_DEVICES = [
  '1:3 /dev/null',
  '1:5 /dev/zero',
  '1:7 /dev/full',
  '1:8 /dev/random',
  '1:9 /dev/urandom',
  '5:0 /dev/tty',
].map((device) => `character-device ${device}`);
const OTHER_DEVICES = [
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

/** Holds what was measured inside against the boundary: every fact, and the outcome of everything tried. */
export function checkMeasurement(
  measured: Measured,
  boundary: Boundary,
  at: string,
  findings: Findings,
): void {
  const facts: Readonly<Record<string, readonly [Json, Json]>> = {
    platform: [boundary.platform, measured.platform],
    spaces: [
      boundary.mounts.map(({ path, sizeBytes, inodes }) => ({ path, sizeBytes, inodes })),
      measured.spaces.map((space) => ({ ...space })),
    ],
    resourceLimits: [
      boundary.resourceLimits.map(({ name, value }) => ({ name, soft: value, hard: value })),
      measured.resourceLimits.map((limit) => ({ ...limit })),
    ],
    interfaces: [['lo'], measured.interfaces.filter((name) => !FALLBACK_TUNNELS.includes(name))],
    unixSockets: [[], measured.unixSockets],
    setIdFiles: [[], measured.setIdFiles],
    cgroupPaths: [['/'], measured.cgroupPaths],
    hostname: [boundary.hostname, measured.hostname],
    domainname: ['(none)', measured.domainname],
    descriptors: [['0 pipe', '1 pipe', '2 pipe'], measured.descriptors],
    workingFolder: ['/work', measured.workingFolder],
    environment: [{ LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC' }, measured.environment],
    localTimeIsUtc: [true, measured.localTimeIsUtc],
    holder: [['/.packproof/perl', '/.packproof/holder.pl'], measured.holder],
  };
  for (const [name, [expected, actual]] of Object.entries(facts)) {
    findings.same('BOUNDARY_MEASURED', `${at}.${name}`, toCanonicalText(expected), toCanonicalText(actual));
  }
  const absentPaths = absentIn(measured, boundary);
  checkStatus(measured.status, boundary, `${at}.status`, findings);
  checkMounts(measured.mounts, { boundary, absentPaths }, `${at}.mounts`, findings);
  checkLimits(measured.limits, boundary, `${at}.limits`, findings);
  checkDevices(measured.devices, `${at}.devices`, findings);
  checkOutcomes(measured.outcomes, boundary, `${at}.outcomes`, findings);
}

/** Masked and read-only paths that the kernel of the measured box does not have, so that nothing covers them. */
export function absentIn({ outcomes }: Measured, boundary: Boundary): ReadonlySet<string> {
  const absent = (trial: string): boolean => outcomes[trial] === 'refused ENOENT';
  return new Set([
    ...boundary.maskedPaths.filter((path) => absent(`read.${path}`)),
    ...boundary.readonlyPaths.filter((path) => absent(`chmod.${path}`)),
  ]);
}

function checkDevices(devices: readonly string[], at: string, findings: Findings): void {
  for (const device of NEEDED_DEVICES) {
    if (!devices.includes(device)) findings.add('BOUNDARY_DEVICES', at, device, 'nothing');
  }
  for (const device of devices) {
    if (![...NEEDED_DEVICES, ...OTHER_DEVICES].includes(device)) {
      findings.add('BOUNDARY_DEVICES', at, 'no such device', device);
    }
  }
}

function checkOutcomes(
  outcomes: Measured['outcomes'],
  boundary: Boundary,
  at: string,
  findings: Findings,
): void {
  const promised = promisedOutcomes(boundary);
  for (const [trial, accepts] of promised) {
    const actual = Object.hasOwn(outcomes, trial) ? outcomes[trial] : undefined;
    if (actual === undefined)
      findings.add('BOUNDARY_TRIAL_MISSING', `${at}.${trial}`, accepts.join(' or '), 'nothing');
    else if (!accepts.includes(actual))
      findings.add('BOUNDARY_TRIAL', `${at}.${trial}`, accepts.join(' or '), actual);
  }
  for (const trial of Object.keys(outcomes)) {
    if (!promised.has(trial))
      findings.add('BOUNDARY_TRIAL', `${at}.${trial}`, 'no such trial', outcomes[trial]);
  }
}
