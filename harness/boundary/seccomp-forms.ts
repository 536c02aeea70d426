import type { Platform } from './boundary.ts';
import {
  type ArgumentCondition,
  type ConditionalCall,
  conditionalCalls,
  type PolicyErrno,
  type SeccompPolicy,
  unconditionalCalls,
} from './seccomp-policy.ts';

/** One argument comparison; with `SCMP_CMP_MASKED_EQ` the mask is `value` and the datum `valueTwo`. */
export interface SeccompArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: 'SCMP_CMP_MASKED_EQ';
}

export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly SeccompArgument[];
}

type SeccompArchitecture = 'SCMP_ARCH_X86_64' | 'SCMP_ARCH_AARCH64';

/** What `--security-opt seccomp=` of Docker takes, as its JSON text. */
export interface DockerSeccomp {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly architectures: readonly [SeccompArchitecture];
  readonly syscalls: readonly SeccompRule[];
}

/** `linux.seccomp` of an OCI runtime's config.json. */
export interface OciSeccomp extends DockerSeccomp {
  readonly defaultErrnoRet: number;
}

/** Numbers of the two answers; the same on both platforms. */
const ERRNO_NUMBERS: Readonly<Record<PolicyErrno, number>> = { EPERM: 1, ENOSYS: 38 };

const ARCHITECTURES: Readonly<Record<Platform, SeccompArchitecture>> = {
  'linux/amd64': 'SCMP_ARCH_X86_64',
  'linux/arm64': 'SCMP_ARCH_AARCH64',
};

/**
 * The policy as an OCI runtime takes it. Only the native architecture is named: libseccomp answers every
 * other one, x32 included, on its own, before any rule.
 *
 * Source: OCI runtime specification, config-linux, "seccomp".
 */
export function toOciSeccomp(policy: SeccompPolicy, platform: Platform): OciSeccomp {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ERRNO_NUMBERS[policy.defaultErrno],
    architectures: [ARCHITECTURES[platform]],
    syscalls: toRules(policy, platform),
  };
}

/**
 * The policy as Docker takes it. Engines of API 1.41 know no `defaultErrnoRet`; their default answer is
 * EPERM, which is why the policy's must be.
 */
export function toDockerSeccomp(policy: SeccompPolicy, platform: Platform): DockerSeccomp {
  const { defaultAction, architectures, syscalls } = toOciSeccomp(policy, platform);
  return { defaultAction, architectures, syscalls };
}

function toRules(policy: SeccompPolicy, platform: Platform): readonly SeccompRule[] {
  return [
    { names: unconditionalCalls(policy, platform), action: 'SCMP_ACT_ALLOW' },
    ...conditionalCalls(policy, platform).flatMap(toConditionalRules),
    ...policy.answers.map(
      ({ syscall, errno }): SeccompRule => ({
        names: [syscall],
        action: 'SCMP_ACT_ERRNO',
        errnoRet: ERRNO_NUMBERS[errno],
      }),
    ),
  ];
}

/** One rule for each combination of values: a runtime joins a rule's comparisons with "and", rules with "or". */
function toConditionalRules(call: ConditionalCall): readonly SeccompRule[] {
  const combinations = call.arguments.reduce<readonly (readonly SeccompArgument[])[]>(
    (rules, condition) =>
      rules.flatMap((rule) => toArguments(condition).map((argument) => [...rule, argument])),
    [[]],
  );
  return combinations.map((args) => ({ names: [call.syscall], action: 'SCMP_ACT_ALLOW', args }));
}

function toArguments(condition: ArgumentCondition): readonly SeccompArgument[] {
  return condition.oneOf.map((value) => ({
    index: condition.index,
    value: Number.parseInt(condition.mask, 16),
    valueTwo: Number.parseInt(value, 16),
    op: 'SCMP_CMP_MASKED_EQ',
  }));
}
