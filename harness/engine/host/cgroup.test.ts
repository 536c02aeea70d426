import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { locateCgroup, NO_LIMIT, readCgroupVersion, readLimits, readMemoryEvents } from './cgroup.ts';

const V1 = [
  '31 23 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
  '32 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '33 23 0:30 /outer /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '34 23 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n');
const V2 = '34 23 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw';

test('a cgroup of version 1 is found by controller, through a mount of a part as well', () => {
  const membership = '8:pids:/box:1\n4:memory:/outer/box:1\n1:cpu,cpuacct:/box:1\n0::/box:1\n';
  assert.equal(readCgroupVersion(V1), 1);
  assert.deepEqual(locateCgroup(membership, V1), {
    version: 1,
    pids: '/sys/fs/cgroup/pids/box:1',
    memory: '/sys/fs/cgroup/memory/box:1',
    cpu: '/sys/fs/cgroup/cpu,cpuacct/box:1',
  });
});

test('a cgroup of version 2 is one folder', () => {
  assert.equal(readCgroupVersion(V2), 2);
  const folder = '/sys/fs/cgroup/packproof';
  assert.deepEqual(locateCgroup('0::/packproof\n', V2), {
    version: 2,
    pids: folder,
    memory: folder,
    cpu: folder,
  });
});

test('a cgroup that is not seen here is not guessed', () => {
  assert.equal(locateCgroup('4:memory:/elsewhere\n8:pids:/a\n1:cpu,cpuacct:/a\n', V1), null);
  assert.equal(locateCgroup('8:pids:/a\n1:cpu,cpuacct:/a\n0::/a\n', V1), null);
  assert.equal(locateCgroup('', V2), null);
});

function withFiles(files: Readonly<Record<string, string>>, check: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
    check(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const FILES_V2 = {
  'pids.max': '256',
  'memory.max': '2147483648',
  'memory.swap.max': '0',
  'cpu.max': '200000 100000',
  'memory.events': 'low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 0',
};

test('limits and counters of version 2 are read in our units', () => {
  withFiles(FILES_V2, (folder) => {
    const cgroup = { version: 2, pids: folder, memory: folder, cpu: folder } as const;
    assert.deepEqual(readLimits(cgroup), {
      pids: 256,
      memoryBytes: 2 ** 31,
      memorySwapBytes: 2 ** 31,
      cpuMillis: 2000,
    });
    assert.deepEqual(readMemoryEvents(cgroup), { oomKills: 2, limitHits: 7, peakBytes: null });
  });
  withFiles(
    { ...FILES_V2, 'pids.max': 'max', 'memory.swap.max': 'max', 'cpu.max': 'max 100000' },
    (folder) => {
      assert.deepEqual(readLimits({ version: 2, pids: folder, memory: folder, cpu: folder }), {
        pids: NO_LIMIT,
        memoryBytes: 2 ** 31,
        memorySwapBytes: NO_LIMIT,
        cpuMillis: NO_LIMIT,
      });
    },
  );
});

test('limits and counters of version 1 are read in our units', () => {
  const files = {
    'pids.max': '64',
    'memory.limit_in_bytes': '9223372036854771712',
    'memory.memsw.limit_in_bytes': '9223372036854771712',
    'cpu.cfs_quota_us': '-1',
    'cpu.cfs_period_us': '100000',
    'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3',
    'memory.failcnt': '12',
    'memory.max_usage_in_bytes': '4096',
  };
  withFiles(files, (folder) => {
    const cgroup = { version: 1, pids: folder, memory: folder, cpu: folder } as const;
    assert.deepEqual(readLimits(cgroup), {
      pids: 64,
      memoryBytes: NO_LIMIT,
      memorySwapBytes: NO_LIMIT,
      cpuMillis: NO_LIMIT,
    });
    assert.deepEqual(readMemoryEvents(cgroup), { oomKills: 3, limitHits: 12, peakBytes: 4096 });
  });
});

test('what cannot be read is null and not zero', () => {
  withFiles({ 'memory.events': 'low 0', 'pids.max': '1' }, (folder) => {
    const cgroup = { version: 2, pids: folder, memory: folder, cpu: folder } as const;
    assert.equal(readLimits(cgroup), null);
    assert.equal(readMemoryEvents(cgroup), null);
  });
});
