import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import type { Platform } from './boundary.ts';
import { defaultBoundary } from './default-boundary.ts';
import { nameErrno } from './linux-names.ts';
import { encodeOrders } from './probe-orders.ts';
import type { Trial } from './trial.ts';
import { toTrials } from './trials.ts';

const PLATFORM: Platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';

/** A refusal that only a policy gives; a kernel without the call or the family gives it too. */
const REFUSALS = ['refused EPERM', 'refused ENOSYS'];

/**
 * Trials that are the policy's alone and harmless on a host even as root: see probe-calls.ts. Of the socket
 * families only those are tried that matter, since asking for a family makes a host load its module.
 */
const CONTROLLED = toTrials(defaultBoundary(PLATFORM, { exec: false })).filter(
  ({ id, operation, field }) =>
    field === 'seccompSha256' &&
    ['call', 'lone', 'clone', 'machine'].includes(operation) &&
    !/^socket\.(family-\d+|family-xdp|inet-sctp|netlink-crypto)$/.test(id),
);

const WORKS_EVERYWHERE = ['call.personality.query', 'socket.unix', 'socket.inet', 'socket.inet-udp'];

/**
 * Runs the same probe outside of any boundary: no policy, no box. In a session of its own, so that vhangup
 * meets no terminal, and in a mount namespace of its own, so that a mount is gone with it.
 */
function runOutside(command: readonly string[]): ReadonlyMap<string, string> {
  const probe = join(packageRoot(), 'harness/boundary/probe.pl');
  const [program = '', ...rest] = [...command, '/usr/bin/perl', probe];
  const result = spawnSync(
    'setsid',
    ['--wait', 'unshare', '--mount', '--propagation', 'private', program, ...rest],
    {
      input: encodeOrders(PLATFORM, CONTROLLED),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  assert.deepEqual([result.status, result.stderr], [0, '']);
  const lines = result.stdout.split('\n').filter((line) => line.startsWith('{"id"'));
  return new Map(
    lines.map((line): [string, string] => {
      const { id, outcome, errno, signal } = JSON.parse(line);
      const detail = errno === undefined ? (signal ?? '') : nameErrno(errno);
      return [id, `${outcome} ${detail}`.trim()];
    }),
  );
}

const AS_USER = [
  'setpriv',
  '--reuid=1000',
  '--regid=1000',
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--no-new-privs',
];

test('outside, an ordinary user without any capability is refused few of the calls that a box refuses', () => {
  const user = runOutside(AS_USER);
  const refusedAnyway = CONTROLLED.filter(({ id }) => REFUSALS.includes(user.get(id) ?? ''));
  // Those that the kernel keeps for root before it looks at anything else.
  assert.equal(
    refusedAnyway.length < CONTROLLED.length / 3,
    true,
    refusedAnyway.map(({ id }) => id).join(' '),
  );
  for (const id of WORKS_EVERYWHERE) assert.equal(user.get(id), 'allowed', id);
  const granted = CONTROLLED.filter(({ id }) => user.get(id) === 'allowed').map(({ id }) => id);
  for (const id of ['call.add_key', 'call.open_tree', 'call.memfd_create', 'call.seccomp', 'call.adjtimex']) {
    assert.equal(granted.includes(id), true, id);
  }
  for (const id of ['call.unshare', 'clone.user', 'clone.network', 'call.personality.no-randomize']) {
    assert.equal(granted.includes(id), true, id);
  }
});

test('outside, as root or as a user, every call that a box refuses is answered otherwise', () => {
  const root = runOutside([]);
  const user = runOutside(AS_USER);
  const isRefusedAlike = ({ id }: Trial) =>
    REFUSALS.includes(root.get(id) ?? '') && REFUSALS.includes(user.get(id) ?? '');
  const alike = CONTROLLED.filter((trial) => !WORKS_EVERYWHERE.includes(trial.id)).filter(isRefusedAlike);
  // Only what the kernel itself does not have may look the same.
  assert.deepEqual(
    alike.filter(({ id }) => root.get(id) !== 'refused ENOSYS').map(({ id }) => id),
    [],
  );
  const removed = ['call.lookup_dcookie', 'foreign.x32'];
  const lacking = alike.map(({ id }) => id).filter((id) => !removed.includes(id));
  assert.equal(lacking.length <= 8, true, lacking.join(' '));
  assert.equal(root.get('call.mount.tmpfs'), 'allowed');
});

test('the probe refuses orders that were written for another architecture', () => {
  const other: Platform = PLATFORM === 'linux/amd64' ? 'linux/arm64' : 'linux/amd64';
  const probe = join(packageRoot(), 'harness/boundary/probe.pl');
  const run = (input: Buffer) => spawnSync('/usr/bin/perl', [probe], { input, encoding: 'utf8' });
  const wrong = run(encodeOrders(other, []));
  assert.equal(wrong.stderr, 'probe: orders are for another architecture\n');
  assert.equal(wrong.stdout, '');
  const none = run(Buffer.alloc(0));
  assert.equal(none.stderr, 'probe: no orders\n');
});

test('the probe outlives the orders that kill it, and says which did', () => {
  const probe = join(packageRoot(), 'harness/boundary/probe.pl');
  const exit = PLATFORM === 'linux/amd64' ? 231 : 94;
  const kill = PLATFORM === 'linux/amd64' ? 62 : 129;
  const orders = [
    { id: 'before', operation: 'call', arguments: ['-1'] },
    // kill(0, 0) asks only; the machine code is an undefined instruction.
    { id: 'asked', operation: 'call', arguments: [String(kill), 'i0', 'i0'] },
    { id: 'ended', operation: 'call', arguments: [String(exit), 'i7'] },
    { id: 'unknown', operation: 'nothing', arguments: [] },
    { id: 'after', operation: 'call', arguments: ['-1'] },
  ];
  const result = spawnSync('/usr/bin/perl', [probe], {
    input: encodeOrders(PLATFORM, orders),
    encoding: 'utf8',
  });
  assert.deepEqual(
    result.stdout.split('\n').map((line) => line.replace(/"architecture":"\w+"/, '')),
    [
      '{"id":"before","outcome":"refused","errno":38}',
      '{"id":"asked","outcome":"allowed"}',
      '{"id":"ended","outcome":"killed","signal":0}',
      '{"id":"unknown","outcome":"refused","errno":22}',
      '{"id":"after","outcome":"refused","errno":38}',
      '{"done":5,}',
      '',
    ],
  );
});
