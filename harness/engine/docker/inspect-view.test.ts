import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import { toExpectedInspect } from '../../boundary/engine-view.ts';
import { digestDocument } from '../../document/canonical.ts';
import { Answer } from './answer.ts';
import { toContainerOptions } from './container-options.ts';
import { readTmpfs, readVolumes, toInspectView } from './inspect-view.ts';

const BOUNDARY = defaultBoundary('linux/amd64', { exec: false });
const PATHS = BOUNDARY.mounts.map(({ path }) => path);

type Fields = Record<string, unknown>;

/** An inspect that repeats what was asked for, as an honest engine does. */
function inspectOf(hostChanges: Fields = {}, configChanges: Fields = {}): Answer {
  const { HostConfig, ...Config } = toContainerOptions({
    imageId: 'sha256:0',
    boundary: BOUNDARY,
    seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
    labels: {},
    holderArgv: ['/holder'],
    evidenceWay: 'host',
    cgroupVersion: 2,
  });
  return new Answer(
    {
      Id: 'box',
      Mounts: hostChanges.MountPoints ?? [],
      Config: { ...Config, ...configChanges },
      HostConfig: { NanoCpus: 0, ...HostConfig, ...hostChanges },
    },
    'inspect',
  );
}

function differences(container: Answer): readonly string[] {
  const view = toInspectView(container, readTmpfs(container, PATHS));
  const expected = { ...toExpectedInspect(BOUNDARY), seccompFormSha256: SECCOMP };
  assert.deepEqual(Object.keys(view).sort(), Object.keys(expected).sort());
  return Object.entries(expected)
    .filter(([key, value]) => JSON.stringify(view[key]) !== JSON.stringify(value))
    .map(([key]) => key);
}

const SECCOMP = digestDocument({ defaultAction: 'SCMP_ACT_ERRNO' });

describe('the inspect of a box', () => {
  it('gives back the whole boundary in its own names', () => {
    assert.deepEqual(differences(inspectOf()), []);
  });

  it('reads a CPU limit in either of its forms', () => {
    assert.deepEqual(differences(inspectOf({ NanoCpus: 2e9, CpuQuota: 0, CpuPeriod: 0 })), []);
  });

  for (const [field, hostChanges, configChanges] of [
    ['user', {}, { User: '' }],
    ['supplementaryGids', { GroupAdd: ['0'] }],
    ['capabilities', { CapAdd: ['NET_ADMIN'] }],
    ['capabilities', { CapDrop: ['NET_RAW'] }],
    ['capabilities', { CapDrop: null }],
    ['privileged', { Privileged: true }],
    [
      'noNewPrivileges',
      { SecurityOpt: ['seccomp={"defaultAction":"SCMP_ACT_ERRNO"}', 'no-new-privileges=false'] },
    ],
    ['seccompFormSha256', { SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }],
    ['seccompFormSha256', { SecurityOpt: ['no-new-privileges'] }],
    ['networkMode', { NetworkMode: 'bridge' }],
    ['ipcMode', { IpcMode: 'shareable' }],
    ['pidMode', { PidMode: 'host' }],
    ['utsMode', { UTSMode: 'host' }],
    ['cgroupNamespaceMode', { CgroupnsMode: 'host' }],
    ['rootReadOnly', { ReadonlyRootfs: false }],
    ['writableMounts', { Tmpfs: { '/work': 'rw,size=1' } }],
    ['writableMounts', { Tmpfs: null }],
    ['hostBinds', { Binds: ['/var/run/docker.sock:/s'] }],
    ['hostBinds', { MountPoints: [{ Type: 'bind', Destination: '/h' }] }],
    ['hostBinds', { VolumesFrom: ['other'] }],
    ['devices', { Devices: [{ PathInContainer: '/dev/kvm' }] }],
    ['devices', { DeviceRequests: [{ Driver: 'nvidia' }] }],
    ['devices', { DeviceCgroupRules: ['c 1:1 rwm'] }],
    ['pidsLimit', { PidsLimit: null }],
    ['memoryBytes', { Memory: 0 }],
    ['memorySwapBytes', { MemorySwap: -1 }],
    ['cpuMillis', { CpuQuota: 0 }],
    ['hostname', {}, { Hostname: 'build-machine-7' }],
    ['resourceLimits', { Ulimits: [] }],
    ['resourceLimits', { Ulimits: [{ Name: 'core', Soft: 0, Hard: -1 }] }],
    ['maskedPaths', { MaskedPaths: ['/proc/kcore'] }],
    ['readonlyPaths', { ReadonlyPaths: null }],
  ] as readonly (readonly [string, Fields, Fields?])[]) {
    it(`shows ${field} when it is ${JSON.stringify({ ...hostChanges, ...configChanges })}`, () => {
      assert.deepEqual(differences(inspectOf(hostChanges, configChanges)), [field]);
    });
  }

  it('reads writable places from volumes of type tmpfs and of no other', () => {
    const container = new Answer(
      {
        Mounts: PATHS.map((path, index) => ({
          Type: 'volume',
          Driver: 'local',
          Name: `v${index}`,
          Destination: path,
        })),
      },
      'inspect',
    );
    const [first, second] = [
      { type: 'tmpfs', o: 'size=1' },
      { type: 'ext4', o: 'size=1', device: '/dev/sda1' },
    ];
    const volumes = new Answer(
      {
        Volumes: [
          { Name: 'v0', Options: first },
          { Name: 'v1', Options: second },
        ],
      },
      'list',
    );
    assert.deepEqual(
      [...readVolumes(container, volumes, PATHS).values()],
      ['size=1', 'no tmpfs', 'no volume of ours'],
    );
  });
});
