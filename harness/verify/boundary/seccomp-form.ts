import { createHash } from 'node:crypto';
import { type Json, toCanonicalText } from '../canonical.ts';
import { once } from '../files/once.ts';
import type { Boundary, SeccompPolicy } from '../shape/boundary.ts';

type Platform = Boundary['platform'];
type Conditional = SeccompPolicy['allowWhen'][number];

const ERRNO = { EPERM: 1, ENOSYS: 38 } as const;
const ARCHITECTURE = { 'linux/amd64': 'SCMP_ARCH_X86_64', 'linux/arm64': 'SCMP_ARCH_AARCH64' } as const;

/** sha256 of a value's RFC 8785 bytes. */
export function digestOf(value: Json): string {
  return createHash('sha256')
    .update(toCanonicalText(value) ?? '', 'utf8')
    .digest('hex');
}

/**
 * Digests of the two forms in which an engine holds the policy: Docker's, and that of an OCI runtime, which
 * names the default answer as well. Source: OCI runtime specification, config-linux, "seccomp".
 */
export function seccompForms(policy: SeccompPolicy, platform: Platform): readonly string[] {
  return once(policy, platform, () => buildForms(policy, platform));
}

function buildForms(policy: SeccompPolicy, platform: Platform): readonly string[] {
  const docker = {
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: [ARCHITECTURE[platform]],
    syscalls: rulesOf(policy, platform),
  };
  return [digestOf(docker), digestOf({ ...docker, defaultErrnoRet: ERRNO[policy.defaultErrno] })];
}

function rulesOf(policy: SeccompPolicy, platform: Platform): readonly Json[] {
  const allowed = { names: [...policy.allow, ...policy.allowOnly[platform]], action: 'SCMP_ACT_ALLOW' };
  const conditional = [...policy.allowWhen, ...policy.allowWhenOnly[platform]].flatMap(conditionalRules);
  const answered = policy.answers.map(({ syscall, errno }) => ({
    names: [syscall],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: ERRNO[errno],
  }));
  return [allowed, ...conditional, ...answered];
}

/** Conditions of one rule are joined by "and", rules by "or": one rule for every choice of values. */
function conditionalRules({ syscall, arguments: conditions }: Conditional): readonly Json[] {
  let choices: readonly (readonly Json[])[] = [[]];
  for (const { index, mask, oneOf } of conditions) {
    choices = choices.flatMap((chosen) =>
      oneOf.map((value) => [
        ...chosen,
        { index, value: Number(mask), valueTwo: Number(value), op: 'SCMP_CMP_MASKED_EQ' },
      ]),
    );
  }
  return choices.map((args) => ({ names: [syscall], action: 'SCMP_ACT_ALLOW', args }));
}
