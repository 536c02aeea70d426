import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError, type BoundaryErrorCode } from './errors.ts';
import { parseMeasured } from './parse-measured.ts';

const MOUNTS = [
  '184 156 0:89 / / ro,relatime - overlay packproof rw,lowerdir=/secret/of/host,upperdir=/secret,nfs_export=off',
  '185 184 0:93 / /with\\040space rw,nosuid,nodev shared:1 master:2 - tmpfs tmpfs rw,size=64k',
].join('\n');

const LIMITS = [
  'Limit                     Soft Limit           Hard Limit           Units     ',
  'Max file size             1024                 unlimited            bytes     ',
  'Max core file size        1                    1                    bytes     ',
  'Max open files            4096                 4096                 files     ',
  'Max nice priority         0                    0                    ',
  '',
].join('\n');

const NET_DEV = 'Inter-| Receive\n face |bytes\n    lo:       0       0\n  eth0: 1 2\n';
const NET_UNIX = [
  'Num       RefCount Protocol Flags    Type St Inode Path',
  '0000000000000000: 00000002 00000000 00010000 0001 01 12345 @/abstract name',
  '0000000000000000: 00000003 00000000 00000000 0001 03 12346',
  '',
].join('\n');

const FACTS: Readonly<Record<string, string>> = {
  descriptors: '0 pipe:[12]\n1 pipe:[13]\n2 /dev/null\n9 socket:[99]',
  folder: '/work',
  environment: 'A=1\0B=x=y\0C=',
  zone: '0 0',
  status: 'Name:\tperl\nUid:\t1000\t1000\t1000\t1000\nGroups:\t \nSeccomp:\t2\nSeccomp_filters:\t1\n',
  limits: LIMITS,
  mounts: MOUNTS,
  interfaces: NET_DEV,
  'unix-sockets': NET_UNIX,
  cgroup: '7:memory:/\n0::/a:b\n1:name=systemd:/\n',
  hostname: 'box\n',
  domainname: '(none)\n',
  holder: '/.packproof/perl\0/.packproof/holder.pl\0x86_64\0' + '60000\0',
  devices: 'symlink - /dev/fd\ncharacter-device 1:3 /dev/null',
  tree: 'set-id /usr/bin/su\nsocket /run/docker.sock',
  'space./work': '268435456 65536',
  'cgroup.v1.pids': '256\n',
  'cgroup.v1.memory': '2147483648\n',
  'cgroup.v1.quota': '200000\n',
  'cgroup.v1.period': '100000\n',
};

const OUTCOMES: readonly object[] = [
  { id: 'cgroup.v1.swap', outcome: 'refused', errno: 2 },
  { id: 'call.a', outcome: 'refused', errno: 38 },
  { id: 'call.b', outcome: 'allowed' },
  { id: 'read.c', outcome: 'empty' },
  { id: 'd', outcome: 'no-effect' },
  { id: 'e', outcome: 'killed', signal: 31 },
  { id: 'f', outcome: 'counted', count: 256, errno: 11 },
  { id: 'g', outcome: 'counted', count: 272, errno: 0 },
  { id: 'h', outcome: 'not-exercisable', reason: 'kernel-lacks-foreign-architecture' },
  { id: 'i', outcome: 'refused', errno: 4000 },
];

function toBytes(facts: Readonly<Record<string, string>>, others: readonly object[], end?: object): Buffer {
  const lines = [...Object.entries(facts).map(([id, text]) => ({ id, text })), ...others];
  const last = end ?? { done: lines.length, architecture: 'x86_64' };
  return Buffer.from([...lines, last].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function rejects(bytes: Uint8Array, code: BoundaryErrorCode, where: string): void {
  assert.throws(
    () => parseMeasured(bytes),
    (error) => error instanceof BoundaryError && error.code === code && error.where === where,
  );
}

test('facts are read as the kernel writes them, without anything of the host', () => {
  const measured = parseMeasured(toBytes(FACTS, OUTCOMES));
  assert.equal(measured.platform, 'linux/amd64');
  assert.deepEqual(measured.mounts, [
    { path: '/', type: 'overlay', options: ['ro', 'relatime', 'rw', 'nfs_export=off'] },
    { path: '/with space', type: 'tmpfs', options: ['rw', 'nosuid', 'nodev', 'size=64k'] },
  ]);
  assert.deepEqual(measured.resourceLimits, [
    { name: 'RLIMIT_CORE', soft: 1, hard: 1 },
    { name: 'RLIMIT_FSIZE', soft: 1024, hard: -1 },
    { name: 'RLIMIT_NOFILE', soft: 4096, hard: 4096 },
  ]);
  assert.deepEqual(measured.interfaces, ['lo', 'eth0']);
  assert.deepEqual(measured.unixSockets, ['@/abstract name', 'unnamed', '/run/docker.sock']);
  assert.deepEqual(measured.cgroupPaths, ['/', '/a:b']);
  assert.deepEqual(measured.setIdFiles, ['/usr/bin/su']);
  assert.deepEqual(measured.descriptors, ['0 pipe', '1 pipe', '2 /dev/null', '9 socket']);
  assert.deepEqual(measured.environment, { A: '1', B: 'x=y', C: '' });
  assert.deepEqual(measured.holder, ['/.packproof/perl', '/.packproof/holder.pl']);
  assert.deepEqual(measured.devices, ['character-device 1:3 /dev/null', 'symlink - /dev/fd']);
  assert.deepEqual(measured.spaces, [{ path: '/work', sizeBytes: 268435456, inodes: 65536 }]);
  assert.equal(measured.status['Groups'], '');
  assert.equal(measured.status['Uid'], '1000 1000 1000 1000');
  assert.equal(measured.status['CapEff'], '');
});

test('outcomes become words; a number without a name stays a number', () => {
  assert.deepEqual(parseMeasured(toBytes(FACTS, OUTCOMES)).outcomes, {
    'call.a': 'refused ENOSYS',
    'call.b': 'allowed',
    'read.c': 'empty',
    d: 'no-effect',
    e: 'killed SIGSYS',
    f: 'counted 256 EAGAIN',
    g: 'counted 272 unlimited',
    h: 'not-exercisable kernel-lacks-foreign-architecture',
    i: 'refused errno-4000',
  });
});

test('limits are read of either cgroup version; what a box does not show is null', () => {
  const { limits } = parseMeasured(toBytes(FACTS, OUTCOMES));
  assert.deepEqual(limits, { pids: 256, memoryBytes: 2147483648, memorySwapBytes: null, cpuMillis: 2000 });
  const isV1 = (id: string) => id.startsWith('cgroup.v1');
  const bare = Object.fromEntries(Object.entries(FACTS).filter(([id]) => !isV1(id)));
  const unshown = { pids: null, memoryBytes: null, memorySwapBytes: null, cpuMillis: null };
  assert.deepEqual(parseMeasured(toBytes(bare, [])).limits, unshown);
  const second = {
    'cgroup.v2.pids': 'max\n',
    'cgroup.v2.memory': '1000\n',
    'cgroup.v2.swap': '0\n',
    'cgroup.v2.cpu': '150000 100000\n',
  };
  const v2 = (change: Readonly<Record<string, string>>) =>
    parseMeasured(toBytes({ ...bare, ...second, ...change }, [])).limits;
  assert.deepEqual(v2({}), { pids: -1, memoryBytes: 1000, memorySwapBytes: 1000, cpuMillis: 1500 });
  assert.deepEqual(v2({ 'cgroup.v2.swap': 'max\n' }).memorySwapBytes, -1);
  assert.deepEqual(v2({ 'cgroup.v2.cpu': 'max 100000\n' }).cpuMillis, -1);
  rejects(
    toBytes({ ...bare, ...second, 'cgroup.v2.memory': '1e9\n' }, []),
    'MEASUREMENT_MALFORMED',
    'cgroup.v2.memory',
  );
});

test('a measurement that is cut anywhere is unfinished or malformed, never a shorter one', () => {
  const whole = toBytes(FACTS, OUTCOMES);
  for (let end = 0; end < whole.length; end += 7) {
    assert.throws(
      () => parseMeasured(whole.subarray(0, end)),
      (error) =>
        error instanceof BoundaryError &&
        ['MEASUREMENT_UNFINISHED', 'MEASUREMENT_MALFORMED'].includes(error.code) &&
        ['stdout of the probe', 'line'].includes(error.where),
      String(end),
    );
  }
});

test('a closing line that is missing, wrong or of no known architecture is refused', () => {
  const where = 'stdout of the probe';
  rejects(toBytes(FACTS, OUTCOMES, { done: 1, architecture: 'x86_64' }), 'MEASUREMENT_UNFINISHED', where);
  rejects(toBytes(FACTS, OUTCOMES, { done: 30, architecture: 'mips' }), 'MEASUREMENT_UNFINISHED', where);
  rejects(Buffer.alloc(0), 'MEASUREMENT_UNFINISHED', where);
  rejects(Buffer.alloc(1024 * 1024 + 1, 32), 'MEASUREMENT_TOO_LARGE', where);
});

test('a fact that could not be read is refused by its name', () => {
  for (const id of Object.keys(FACTS).filter((name) => !/^(cgroup|space)\./.test(name))) {
    const { [id]: _, ...rest } = FACTS;
    rejects(toBytes(rest, []), 'MEASUREMENT_MALFORMED', id);
    rejects(toBytes(rest, [{ id, outcome: 'refused', errno: 13 }]), 'MEASUREMENT_MALFORMED', id);
  }
});

test('lines of another form are refused by the id they have', () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ id: 'x', outcome: 'fine' }, 'x'],
    [{ id: 'x', outcome: 'refused' }, 'x'],
    [{ id: 'x', outcome: 'refused', errno: -1 }, 'x'],
    [{ id: 'x', outcome: 'killed', signal: '9' }, 'x'],
    [{ id: 'x', outcome: 'not-exercisable', reason: 'no mood' }, 'x'],
    [{ id: 'mounts', outcome: 'allowed' }, 'mounts'],
    [{ outcome: 'allowed' }, 'undefined'],
    [[], 'line'],
  ];
  for (const [line, where] of wrong) rejects(toBytes(FACTS, [line]), 'MEASUREMENT_MALFORMED', where);
});
