import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from '../../boundary/boundary.ts';
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import { toExpectedInspect } from '../../boundary/engine-view.ts';
import { EngineError } from '../errors.ts';
import { toInspectView } from './inspect-view.ts';
import { toOciConfig } from './oci-config.ts';
import { StoredFields } from './stored-fields.ts';

const boundary = defaultBoundary('linux/amd64', { exec: false });
const toConfig = (changes: Partial<Boundary> = {}): StoredFields =>
  new StoredFields(
    toOciConfig({
      boundary: { ...boundary, ...changes },
      rootfs: '/state/rootfs',
      argv: ['/.packproof/perl'],
      labels: { runId: 'r', boxName: 'b' },
      cgroupsPath: 'b',
      seccomp: { defaultAction: 'SCMP_ACT_ERRNO' },
    }),
  );

test('every value of the boundary is written out', () => {
  const config = toConfig();
  const process = config.object('process');
  assert.deepEqual(process.value('capabilities'), {
    bounding: [],
    effective: [],
    inheritable: [],
    permitted: [],
    ambient: [],
  });
  assert.equal(process.value('noNewPrivileges'), true);
  assert.equal(process.value('oomScoreAdj'), 0);
  assert.deepEqual(config.value('root'), { path: '/state/rootfs', readonly: true });
  assert.deepEqual(config.value('annotations'), { 'packproof.run': 'r', 'packproof.box': 'b' });
  const linux = config.object('linux');
  assert.deepEqual(linux.object('resources').value('memory'), {
    limit: boundary.memoryBytes,
    swap: boundary.memoryBytes,
    disableOOMKiller: false,
  });
  assert.deepEqual(linux.value('seccomp'), { defaultAction: 'SCMP_ACT_ERRNO' });
  assert.deepEqual(
    linux.objects('namespaces').map((namespace) => namespace.text('type')),
    ['pid', 'network', 'ipc', 'uts', 'mount', 'cgroup'],
  );
  const destinations = config.objects('mounts').map((mount) => mount.text('destination'));
  assert.deepEqual(destinations, [
    '/proc',
    '/dev',
    '/dev/pts',
    '/sys',
    '/sys/fs/cgroup',
    '/work',
    '/home/node',
    '/tmp',
  ]);
});

test('a boundary that asks for more than this translation knows is refused', () => {
  assert.throws(
    () => toConfig({ capabilities: ['CAP_CHOWN'] }),
    (error: unknown) =>
      error instanceof EngineError &&
      error.code === 'BOUNDARY_UNSUPPORTED' &&
      /1 capabilities$/.test(error.actual ?? ''),
  );
});

/** What runc stores for that configuration, in its own form. */
function toState(changes: Readonly<Record<string, unknown>> = {}): StoredFields {
  const applied = {
    readonlyfs: true,
    hostname: boundary.hostname,
    no_new_privileges: true,
    namespaces: ['NEWPID', 'NEWNET', 'NEWIPC', 'NEWUTS', 'NEWNS', 'NEWCGROUP'].map((type) => ({
      type,
      path: '',
    })),
    networks: [{ type: 'loopback' }],
    capabilities: { Bounding: [], Effective: [], Inheritable: [], Permitted: [], Ambient: [] },
    mounts: [
      { source: 'tmpfs', destination: '/dev', device: 'tmpfs', flags: 2, data: 'mode=755' },
      ...boundary.mounts.map((mount) => ({
        source: 'tmpfs',
        destination: mount.path,
        device: 'tmpfs',
        flags: 14,
        data: `size=${mount.sizeBytes},nr_inodes=${mount.inodes},uid=1000,gid=1000,mode=0755`,
      })),
    ],
    devices: [{ path: '/dev/null' }, { path: '/dev/tty' }],
    cgroups: {
      pids_limit: boundary.pidsLimit,
      memory: boundary.memoryBytes,
      memory_swap: boundary.memorySwapBytes,
      cpu_quota: 200_000,
      cpu_period: 100_000,
    },
    mask_paths: boundary.maskedPaths,
    readonly_paths: boundary.readonlyPaths,
    seccomp: { syscalls: [{}] },
    ...changes,
  };
  return new StoredFields({ config: applied });
}

test('an honest state reads as the boundary', () => {
  const { seccompFormSha256, ...view } = toInspectView(toState(), toConfig());
  assert.deepEqual(view, toExpectedInspect(boundary));
  assert.match(String(seccompFormSha256), /^[0-9a-f]{64}$/);
});

const LIES: readonly (readonly [string, Readonly<Record<string, unknown>>, string, unknown])[] = [
  ['a writable root', { readonlyfs: false }, 'rootReadOnly', false],
  ['new privileges', { no_new_privileges: undefined }, 'noNewPrivileges', false],
  ['the host network', { namespaces: [] }, 'networkMode', 'host loopback'],
  ['a veth', { networks: [{ type: 'loopback' }, { type: 'veth' }] }, 'networkMode', 'host loopback veth'],
  ['a joined namespace', { namespaces: [{ type: 'NEWPID', path: '/proc/1/ns/pid' }] }, 'pidMode', 'host'],
  ['no filter', { seccomp: null }, 'seccompFormSha256', 'none'],
  [
    'a capability',
    { capabilities: { Bounding: ['CAP_KILL'], Effective: [], Inheritable: [], Permitted: [], Ambient: [] } },
    'capabilities',
    ['CAP_KILL'],
  ],
  [
    'a set left to the default',
    { capabilities: { Bounding: [], Effective: [], Inheritable: [], Permitted: [] } },
    'capabilities',
    ['Ambient not set'],
  ],
  ['a bind', { mounts: [{ device: 'bind', source: '/etc', destination: '/mnt' }] }, 'hostBinds', ['/mnt']],
  ['shared memory', { mounts: [{ device: 'tmpfs', destination: '/dev/shm' }] }, 'ipcMode', 'private'],
  ['a device', { devices: [{ path: '/dev/sda' }] }, 'devices', ['/dev/sda']],
  ['no limit of processes', { cgroups: {} }, 'pidsLimit', null],
];
for (const [name, changes, field, value] of LIES) {
  test(`${name} shows in its field`, () => {
    const view = toInspectView(toState(changes), toConfig());
    assert.deepEqual(view[field], value);
    assert.notDeepEqual(view[field], { ...toExpectedInspect(boundary) }[field as never]);
  });
}

test('a tmpfs without its options reads as what the kernel would do', () => {
  const mounts = [{ device: 'tmpfs', destination: '/work', flags: 0, data: '' }];
  assert.deepEqual(toInspectView(toState({ mounts }), toConfig()).writableMounts, [
    { path: '/work', sizeBytes: 0, inodes: 0, uid: 0, gid: 0, mode: '1777', exec: true },
  ]);
});
