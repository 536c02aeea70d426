import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Platform } from './boundary.ts';
import { compareMeasured } from './compare-measured.ts';
import { defaultBoundary } from './default-boundary.ts';
import type { MeasuredBoundary } from './measured.ts';
import { parseMeasured } from './parse-measured.ts';
import { toProbeStep } from './probe-orders.ts';
import { buildHostRootfs } from './testing/host-rootfs.ts';
import { type BundleConfig, runBundle, toBundleConfig } from './testing/runc-bundle.ts';

const PLATFORM: Platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
const BOUNDARY = defaultBoundary(PLATFORM, { exec: false });
const folder = mkdtempSync(join(tmpdir(), 'packproof-boundary-'));
const rootfs = join(folder, 'rootfs');
const hostFolder = join(folder, 'host');
let listener: Server;

before(async () => {
  buildHostRootfs(rootfs);
  mkdirSync(hostFolder);
  listener = createServer();
  await new Promise<void>((resolve) => listener.listen(join(hostFolder, 'engine.sock'), resolve));
});

after(async () => {
  await new Promise((resolve) => listener.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

interface Change {
  readonly config?: (config: BundleConfig) => BundleConfig;
  readonly env?: readonly string[];
  readonly readableHolder?: boolean;
  readonly boundary?: typeof BOUNDARY;
}

/** Measures a box of the boundary, from which one restriction was taken. */
function measure(change: Change = {}): MeasuredBoundary {
  const boundary = change.boundary ?? BOUNDARY;
  const step = toProbeStep(boundary);
  const env = [...Object.entries(step.env).map(([name, value]) => `${name}=${value}`), ...(change.env ?? [])];
  const readableHolder = change.readableHolder ?? false;
  const config = toBundleConfig(boundary, rootfs, { argv: step.argv, env, readableHolder });
  const result = runBundle(folder, change.config?.(config) ?? config, step.stdin);
  assert.deepEqual([result.status, result.stderr], [0, '']);
  return parseMeasured(result.stdout);
}

function codesOf(change: Change): readonly string[] {
  const findings = compareMeasured(BOUNDARY, measure(change));
  return [...new Set(findings.map((finding) => finding.code))].sort();
}

test('a box of the boundary measures as declared, field by field', () => {
  assert.deepEqual(compareMeasured(BOUNDARY, measure()), []);
});

test('a box with exec mounts runs programs from them, and is found when it was declared without', () => {
  const boundary = defaultBoundary(PLATFORM, { exec: true });
  const measured = measure({ boundary });
  assert.deepEqual(compareMeasured(boundary, measured), []);
  assert.deepEqual([...new Set(compareMeasured(BOUNDARY, measured).map((finding) => finding.code))].sort(), [
    'MEASURED_MOUNT_OPTIONS',
    'MOUNT_EXECUTABLE',
  ]);
});

test('a box with limits of its own measures as declared, and is found when it has the ordinary ones', () => {
  const boundary = defaultBoundary(PLATFORM, {
    exec: false,
    limits: [
      { name: 'cpuMillis', value: 500 },
      { name: 'fileSizeBytes', value: 4096 },
      { name: 'homeBytes', value: 65_536 },
      { name: 'memoryBytes', value: 64 * 1024 * 1024 },
      { name: 'openFiles', value: 32 },
      { name: 'pids', value: 8 },
      { name: 'tmpBytes', value: 65_536 },
      { name: 'workBytes', value: 65_536 },
    ],
  });
  assert.deepEqual(compareMeasured(boundary, measure({ boundary })), []);
  const codes = compareMeasured(boundary, measure()).map((finding) => finding.code);
  assert.deepEqual([...new Set(codes)].sort(), [
    'MEASURED_CPU',
    'MEASURED_MEMORY',
    'MEASURED_MEMORY_SWAP',
    'MEASURED_MOUNT_OPTIONS',
    'MEASURED_MOUNT_SPACE',
    'MEASURED_PIDS',
    'MEASURED_RESOURCE_LIMITS',
    'MOUNT_SIZE_NOT_LIMITED',
    'TASKS_NOT_LIMITED',
  ]);
});

test('an extra mount is filled to its last inode and its last page, as statfs says', () => {
  const extra = {
    path: '/srv',
    sizeBytes: 65536,
    inodes: 8,
    uid: 1000,
    gid: 1000,
    mode: '0700',
    exec: false,
  };
  const boundary = defaultBoundary(PLATFORM, { exec: false, extra: [extra] });
  assert.deepEqual(compareMeasured(boundary, measure({ boundary })), []);
  const script =
    'i=0; while true > /srv/$i; do i=$((i+1)); done; echo $i; rm /srv/*; while echo 0123456789abcdef; do :; done > /srv/f';
  const config = toBundleConfig(boundary, rootfs, {
    argv: ['/bin/sh', '-c', script],
    env: ['PATH=/usr/bin'],
  });
  const result = runBundle(folder, config, Buffer.alloc(0));
  // The mount's own folder is one of the eight.
  assert.equal(result.stdout.toString(), '7\n');
  assert.match(result.stderr, /cannot create \/srv\/7: No space left on device/);
  assert.match(result.stderr, /No space left on device\n$/);
});

const withLinux = (change: object) => (config: BundleConfig) => ({
  ...config,
  linux: { ...config.linux, ...change },
});
const withProcess = (change: object) => (config: BundleConfig) => ({
  ...config,
  process: { ...config.process, ...change },
});
const withResources = (change: object) => (config: BundleConfig) =>
  withLinux({ resources: { ...config.linux.resources, ...change } })(config);
const withOption = (path: string, from: string, to: readonly string[]) => (config: BundleConfig) => ({
  ...config,
  mounts: config.mounts.map((mount) =>
    mount.destination === path
      ? { ...mount, options: mount.options.flatMap((option) => (option === from ? to : [option])) }
      : mount,
  ),
});
const withoutNamespace = (type: string) => (config: BundleConfig) =>
  withLinux({ namespaces: config.linux.namespaces.filter((namespace) => namespace['type'] !== type) })(
    config,
  );
const withLimit = (type: string, value: number) => (config: BundleConfig) =>
  withProcess({
    rlimits: config.process.rlimits.map((limit) =>
      limit['type'] === type ? { type, soft: value, hard: value } : limit,
    ),
  })(config);
const withMount = (mount: BundleConfig['mounts'][number]) => (config: BundleConfig) => ({
  ...config,
  mounts: [...config.mounts, mount],
});

/** Each restriction taken away alone, and what the measurement then says. */
const TAKEN_AWAY: Readonly<Record<string, readonly [Change, readonly string[]]>> = {
  'the seccomp policy': [
    { config: withLinux({ seccomp: undefined }) },
    [
      'CALL_NOT_REFUSED',
      'CLONE3_ANSWER',
      ...(PLATFORM === 'linux/amd64' ? ['FOREIGN_CALL_NOT_REFUSED'] : []),
      'MEASURED_SECCOMP',
      'NAMESPACE_NOT_REFUSED',
      'SOCKET_NOT_REFUSED',
    ],
  ],
  'an empty bounding set': [
    {
      config: (config) =>
        withProcess({ capabilities: { ...config.process.capabilities, bounding: ['CAP_CHOWN'] } })(config),
    },
    ['MEASURED_CAPABILITIES'],
  ],
  'no new privileges': [
    // runc then applies a policy before it gives up root, which ours forbids; so here with one that is open.
    {
      config: (config) =>
        withLinux({ seccomp: { defaultAction: 'SCMP_ACT_ALLOW' } })(
          withProcess({ noNewPrivileges: false })(config),
        ),
    },
    [
      'CALL_NOT_REFUSED',
      'CLONE3_ANSWER',
      'MEASURED_NO_NEW_PRIVILEGES',
      'NAMESPACE_NOT_REFUSED',
      'SOCKET_NOT_REFUSED',
    ],
  ],
  'the supplementary groups': [
    { config: withProcess({ user: { uid: 1000, gid: 1000, additionalGids: [4] } }) },
    ['MEASURED_GROUPS'],
  ],
  'the group': [{ config: withProcess({ user: { uid: 1000, gid: 1001 } }) }, ['MEASURED_GROUP']],
  'the read-only root': [
    { config: (config) => ({ ...config, root: { ...config.root, readonly: false } }) },
    ['MEASURED_MOUNT_OPTIONS', 'ROOT_WRITABLE'],
  ],
  'noexec of a mount': [
    { config: withOption('/tmp', 'noexec', []) },
    ['MEASURED_MOUNT_OPTIONS', 'MOUNT_EXECUTABLE'],
  ],
  'nosuid of a mount': [{ config: withOption('/tmp', 'nosuid', []) }, ['MEASURED_MOUNT_OPTIONS']],
  'the size of a mount': [
    { config: withOption('/tmp', 'size=134217728', ['size=268435456']) },
    ['MEASURED_MOUNT_OPTIONS', 'MEASURED_MOUNT_SPACE', 'MOUNT_SIZE_NOT_LIMITED'],
  ],
  'the inodes of a mount': [
    { config: withOption('/tmp', 'nr_inodes=32768', []) },
    ['MEASURED_MOUNT_OPTIONS', 'MEASURED_MOUNT_SPACE'],
  ],
  'a writable mount': [
    {
      config: (config) => ({
        ...config,
        mounts: config.mounts.filter((mount) => mount.destination !== '/tmp'),
      }),
    },
    [
      'FILE_SIZE_NOT_LIMITED',
      'MEASURED_MOUNT_MISSING',
      'MEASURED_MOUNT_SPACE',
      'MOUNT_EXECUTABLE',
      'MOUNT_NOT_WRITABLE',
      'MOUNT_SIZE_NOT_LIMITED',
    ],
  ],
  'a masked path': [
    {
      config: (config) =>
        withLinux({ maskedPaths: config.linux.maskedPaths.filter((path) => path !== '/proc/interrupts') })(
          config,
        ),
    },
    ['MASKED_PATH_READABLE', 'MEASURED_MOUNT_MISSING'],
  ],
  'a read-only path': [
    {
      config: (config) =>
        withLinux({ readonlyPaths: config.linux.readonlyPaths.filter((path) => path !== '/proc/sys') })(
          config,
        ),
    },
    ['MEASURED_MOUNT_MISSING', 'READONLY_PATH_WRITABLE'],
  ],
  'the limit of tasks': [
    { config: withResources({ pids: { limit: 512 } }) },
    ['MEASURED_PIDS', 'TASKS_NOT_LIMITED'],
  ],
  'the limit of memory': [
    { config: withResources({ memory: { limit: 4 * 1024 ** 3, swap: 4 * 1024 ** 3 } }) },
    ['MEASURED_MEMORY', 'MEASURED_MEMORY_SWAP'],
  ],
  'the limit of processors': [
    { config: withResources({ cpu: { quota: 300_000, period: 100_000 } }) },
    ['MEASURED_CPU'],
  ],
  'the limit of open files': [{ config: withLimit('RLIMIT_NOFILE', 1024) }, ['MEASURED_RESOURCE_LIMITS']],
  'the limit of file size': [
    { config: withLimit('RLIMIT_FSIZE', 2 ** 40) },
    ['FILE_SIZE_NOT_LIMITED', 'MEASURED_RESOURCE_LIMITS'],
  ],
  'the private cgroup namespace': [{ config: withoutNamespace('cgroup') }, ['MEASURED_CGROUP_NAMESPACE']],
  'the neutral hostname': [
    { config: (config) => ({ ...config, hostname: 'build-7' }) },
    ['MEASURED_HOSTNAME'],
  ],
  'the closed list of mounts, with a socket of the host behind one': [
    {
      config: withMount({
        destination: '/srv',
        type: 'bind',
        source: hostFolder,
        options: ['bind', 'ro', 'nosuid', 'nodev', 'noexec'],
      }),
    },
    ['MEASURED_MOUNT_UNEXPECTED', 'MEASURED_UNIX_SOCKETS'],
  ],
  'the absence of shared memory': [
    {
      config: (config) =>
        withLinux({ maskedPaths: config.linux.maskedPaths.filter((path) => path !== '/dev/shm') })(
          withMount({ destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['mode=1777'] })(
            config,
          ),
        ),
    },
    ['MEASURED_MOUNT_OPTIONS', 'UNDECLARED_PLACE_WRITABLE'],
  ],
  'the standard set of devices': [
    {
      config: withLinux({ devices: [{ path: '/dev/mem', type: 'c', major: 1, minor: 1, fileMode: 0o600 }] }),
    },
    ['MEASURED_DEVICES'],
  ],
  'the unreadable holder': [{ readableHolder: true }, ['HOLDER_READABLE', 'KERNEL_FILE_WRITABLE']],
  'the empty environment': [{ env: ['NPM_TOKEN=secret'] }, ['MEASURED_ENVIRONMENT']],
  'the fixed time zone': [{ env: ['TZ=EST5EDT'] }, ['MEASURED_ENVIRONMENT', 'MEASURED_TIME_ZONE']],
  'the three descriptors': [{ env: ['LEAK=1'] }, ['MEASURED_DESCRIPTORS']],
};

for (const [name, [change, expected]] of Object.entries(TAKEN_AWAY)) {
  test(`a box without ${name} is found`, () => {
    assert.deepEqual(codesOf(change), expected);
  });
}

test('a box with a crash that leaves a core file is found', () => {
  const codes = codesOf({ config: withLimit('RLIMIT_CORE', 2 ** 30) });
  assert.deepEqual(codes, ['CORE_DUMPED', 'MEASURED_RESOURCE_LIMITS']);
});

test('a program with a set-id bit in the image is found, and gives no rights in a box', () => {
  const program = join(rootfs, 'srv', 'set-id');
  copyFileSync('/usr/bin/perl', program);
  chmodSync(program, 0o6755);
  try {
    assert.deepEqual(codesOf({}), ['MEASURED_SET_ID_FILES']);
    const argv = ['/srv/set-id', '-e', 'print "$> $)"'];
    const config = toBundleConfig(BOUNDARY, rootfs, { argv, env: ['LC_ALL=C'] });
    assert.equal(runBundle(folder, config, Buffer.alloc(0)).stdout.toString(), '1000 1000');
    // The control: without the restriction it does.
    const open = withLinux({ seccomp: undefined })(withProcess({ noNewPrivileges: false })(config));
    assert.equal(runBundle(folder, open, Buffer.alloc(0)).stdout.toString(), '0 0');
  } finally {
    rmSync(program);
  }
});

/** Gives the loopback of its own network an address in the network of nobody, so that it answers from there. */
const REACHABLE_NETWORK = `
socket(my $socket, 2, 2, 0);
my $address = pack('a16 S n C4 x8', 'lo', 2, 0, 192, 0, 2, 10);
my $up = pack('a16 s x22', 'lo', 1);
ioctl($socket, 0x8916, $address) && ioctl($socket, 0x8914, $up) or exit 1;
syswrite(STDOUT, 'ready');
sleep 60;
`;

test('a box in a network that leads somewhere is found, though it shows nothing but its loopback', async () => {
  const keeper = spawn('unshare', ['--net', '/usr/bin/perl', '-e', REACHABLE_NETWORK]);
  const ended = once(keeper, 'exit');
  try {
    const [first] = await Promise.race([once(keeper.stdout, 'data'), ended]);
    assert.equal(String(first), 'ready');
    const joined = { type: 'network', path: `/proc/${keeper.pid}/ns/net` };
    const config = (given: BundleConfig) =>
      withLinux({
        namespaces: given.linux.namespaces.map((entry) => (entry['type'] === 'network' ? joined : entry)),
      })(given);
    assert.deepEqual(codesOf({ config }), ['NETWORK_REACHABLE']);
  } finally {
    keeper.kill('SIGKILL');
    await ended;
  }
});
