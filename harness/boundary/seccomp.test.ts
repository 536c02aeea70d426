import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Platform } from './boundary.ts';
import { BoundaryError } from './errors.ts';
import { refusedCalls } from './probe-calls.ts';
import { type SeccompRule, toDockerSeccomp, toOciSeccomp } from './seccomp-forms.ts';
import {
  conditionalCalls,
  digestSeccompPolicy,
  parseSeccompPolicy,
  readSeccompPolicy,
  unconditionalCalls,
} from './seccomp-policy.ts';

const PLATFORMS: readonly Platform[] = ['linux/amd64', 'linux/arm64'];
const POLICY = readSeccompPolicy();

/** What a runtime makes of a profile: a rule matches when all its comparisons hold, the default else. */
function answer(platform: Platform, name: string, given: readonly bigint[]): string {
  const { syscalls } = toOciSeccomp(POLICY, platform);
  const rule = syscalls.find((candidate) => candidate.names.includes(name) && matches(candidate, given));
  if (rule === undefined) return 'refused 1';
  return rule.action === 'SCMP_ACT_ALLOW' ? 'allowed' : `refused ${rule.errnoRet}`;
}

function matches(rule: SeccompRule, given: readonly bigint[]): boolean {
  return (rule.args ?? []).every(
    ({ index, value, valueTwo }) => ((given[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo),
  );
}

test('a call is named in one list only, and every refused one is tried by the probe', () => {
  for (const platform of PLATFORMS) {
    const tried = new Set(refusedCalls(platform).map((call) => call.syscall));
    const named = POLICY.refused.flatMap((group) => group.syscalls);
    const absent = platform === 'linux/arm64' ? ['iopl', 'ioperm', 'modify_ldt'] : [];
    assert.deepEqual(
      named.filter((name) => !tried.has(name)),
      absent,
    );
    const allowed = new Set(unconditionalCalls(POLICY, platform));
    assert.deepEqual(
      named.filter((name) => allowed.has(name)),
      [],
    );
  }
});

test('the calls that must never be had are refused on both platforms', () => {
  const never = [
    'io_uring_setup io_uring_enter io_uring_register add_key request_key keyctl bpf perf_event_open',
    'userfaultfd mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick',
    'mount_setattr unshare setns ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd',
    'open_by_handle_at name_to_handle_at kexec_load kexec_file_load init_module finit_module',
    'delete_module reboot swapon swapoff acct quotactl settimeofday clock_settime adjtimex',
    'clock_adjtime syslog iopl ioperm modify_ldt seccomp memfd_create',
  ].flatMap((line) => line.split(' '));
  for (const platform of PLATFORMS) {
    for (const name of never) assert.equal(answer(platform, name, []), 'refused 1', `${platform} ${name}`);
    assert.equal(answer(platform, 'clone3', []), 'refused 38');
  }
});

test('clone is allowed exactly without a new namespace, whatever else its flags are', () => {
  const namespaces = [
    0x0002_0000n,
    0x0200_0000n,
    0x0400_0000n,
    0x0800_0000n,
    0x1000_0000n,
    0x2000_0000n,
    0x4000_0000n,
  ];
  const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  fc.assert(
    fc.property(word, fc.constantFrom(...PLATFORMS), (flags, platform) => {
      const expected = namespaces.some((flag) => (flags & flag) !== 0n) ? 'refused 1' : 'allowed';
      assert.equal(answer(platform, 'clone', [flags]), expected);
    }),
    { numRuns: 2000 },
  );
  // CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID | CHILD_CLEARTID: a thread of libc.
  assert.equal(answer('linux/amd64', 'clone', [0x3d0f00n]), 'allowed');
});

test('an argument is judged by the half that the kernel reads', () => {
  const wide = 0xdead_beef_0000_0000n;
  for (const high of [0n, wide]) {
    assert.equal(answer('linux/amd64', 'ioctl', [0n, high | 0x5412n]), 'refused 1');
    assert.equal(answer('linux/amd64', 'ioctl', [0n, high | 0x541cn]), 'refused 1');
    assert.equal(answer('linux/amd64', 'ioctl', [0n, high | 0x5401n]), 'allowed');
    assert.equal(answer('linux/amd64', 'prctl', [high | 22n]), 'refused 1');
    assert.equal(answer('linux/amd64', 'prctl', [high | 15n]), 'allowed');
    assert.equal(answer('linux/amd64', 'personality', [high | 0x0004_0000n]), 'refused 1');
    assert.equal(answer('linux/amd64', 'personality', [high | 0xffff_ffffn]), 'allowed');
    assert.equal(answer('linux/amd64', 'socket', [high | 40n, 1n, 0n]), 'refused 1');
  }
});

test('sockets are had of four families and their plain protocols only', () => {
  const socket = (...given: readonly number[]) => answer('linux/amd64', 'socket', given.map(BigInt));
  for (let family = 0; family < 64; family += 1) {
    for (let type = 0; type < 12; type += 1) {
      for (const protocol of [0, 1, 2, 4, 6, 15, 16, 17, 132, 255, 262, 768]) {
        const inet = [2, 10].includes(family) && [1, 2].includes(type) && [0, 6, 17].includes(protocol);
        const unix = family === 1 && [1, 2, 5].includes(type);
        const netlink = family === 16 && protocol === 0;
        const expected = inet || unix || netlink ? 'allowed' : 'refused 1';
        assert.equal(socket(family, type, protocol), expected, `${family} ${type} ${protocol}`);
        // With SOCK_NONBLOCK and SOCK_CLOEXEC, as Node asks for them.
        assert.equal(socket(family, type | 0o2004000, protocol), expected);
      }
    }
  }
});

test('no device can be made, an overlay whiteout least of all', () => {
  for (const [mode, expected] of [
    [0o020600n, 'refused 1'],
    [0o060600n, 'refused 1'],
    [0o010644n, 'allowed'],
    [0o140644n, 'allowed'],
    [0o100644n, 'allowed'],
    [0o000644n, 'allowed'],
  ] as const) {
    assert.equal(answer('linux/amd64', 'mknodat', [0n, 0n, mode, 0n]), expected);
    assert.equal(answer('linux/amd64', 'mknod', [0n, mode, 0n]), expected);
  }
});

test('both forms are of the native architecture only and never kill', () => {
  const architectures = { 'linux/amd64': 'SCMP_ARCH_X86_64', 'linux/arm64': 'SCMP_ARCH_AARCH64' };
  for (const platform of PLATFORMS) {
    const oci = toOciSeccomp(POLICY, platform);
    assert.deepEqual(oci.architectures, [architectures[platform]]);
    assert.equal(oci.defaultAction, 'SCMP_ACT_ERRNO');
    assert.equal(oci.defaultErrnoRet, 1);
    assert.deepEqual([...new Set(oci.syscalls.map((rule) => rule.action))].sort(), [
      'SCMP_ACT_ALLOW',
      'SCMP_ACT_ERRNO',
    ]);
    const { defaultErrnoRet: _, ...rest } = oci;
    assert.deepEqual(toDockerSeccomp(POLICY, platform), rest);
  }
});

test('no rule compares one argument twice, which runtimes would read as "or"', () => {
  for (const platform of PLATFORMS) {
    for (const rule of toOciSeccomp(POLICY, platform).syscalls) {
      const indexes = (rule.args ?? []).map((argument) => argument.index);
      assert.deepEqual([...new Set(indexes)], indexes, rule.names.join());
    }
  }
});

test('arm64 gets no call of the old table', () => {
  for (const name of ['open', 'fork', 'vfork', 'mknod', 'poll', 'arch_prctl']) {
    assert.equal(answer('linux/amd64', name, [0n, 0n]), 'allowed');
    assert.equal(answer('linux/arm64', name, [0n, 0n]), 'refused 1');
  }
});

test('a policy that contradicts itself is refused with the name of the call', () => {
  for (const name of ['ptrace', 'clone', 'clone3', 'open']) {
    assert.throws(
      () => parseSeccompPolicy({ ...POLICY, allow: [...POLICY.allow, name] }),
      (error) =>
        error instanceof BoundaryError && error.code === 'POLICY_CONTRADICTS_ITSELF' && error.where === name,
    );
  }
});

test('a malformed policy is refused with every wrong path at once', () => {
  const clone = conditionalCalls(POLICY, 'linux/amd64')[0];
  const broken = {
    ...POLICY,
    formatVersion: 2,
    defaultErrno: 'EINVAL',
    allow: ['read', 'rm -rf'],
    allowWhen: [{ ...clone, arguments: [{ index: -1, mask: '0x1ffffffff', oneOf: ['7'] }] }],
    kill: ['ptrace'],
  };
  assert.throws(
    () => parseSeccompPolicy(broken),
    (error) =>
      error instanceof BoundaryError &&
      error.code === 'POLICY_MALFORMED' &&
      error.where ===
        'kill formatVersion defaultErrno allow.1 allowWhen.0.arguments.0.index allowWhen.0.arguments.0.mask allowWhen.0.arguments.0.oneOf.0',
  );
  assert.throws(
    () => parseSeccompPolicy(null),
    (error) =>
      error instanceof BoundaryError && error.code === 'POLICY_MALFORMED' && error.where.startsWith(' '),
  );
});

test('the digest is that of the canonical form, so that layout does not count and content does', () => {
  const reordered = parseSeccompPolicy(Object.fromEntries(Object.entries(POLICY).reverse()));
  assert.equal(digestSeccompPolicy(reordered), digestSeccompPolicy(POLICY));
  const wider = parseSeccompPolicy({ ...POLICY, allow: [...POLICY.allow, 'mbind'] });
  assert.notEqual(digestSeccompPolicy(wider), digestSeccompPolicy(POLICY));
});
