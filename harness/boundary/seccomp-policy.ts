import { readAsset } from '../document/assets.ts';
import { digestDocument } from '../document/canonical.ts';
import type { Platform } from './boundary.ts';
import { BoundaryError } from './errors.ts';
import { FieldReader } from './field-reader.ts';

export type PolicyErrno = 'EPERM' | 'ENOSYS';

/** One argument of a call: allowed when `argument & mask` is one of the values. */
export interface ArgumentCondition {
  readonly index: number;
  /** Hexadecimal, at most 32 bits: the kernel cuts these arguments to an int, so upper bits must not matter. */
  readonly mask: string;
  readonly oneOf: readonly string[];
}

/** A call that is allowed only when all its conditions hold; several entries of one call are alternatives. */
export interface ConditionalCall {
  readonly syscall: string;
  readonly reason: string;
  readonly arguments: readonly ArgumentCondition[];
}

/** The one source of both engines' seccomp profiles: an allow-list; what it does not name is refused. */
export interface SeccompPolicy {
  readonly formatVersion: 1;
  readonly defaultErrno: PolicyErrno;
  readonly allow: readonly string[];
  readonly allowOnly: Readonly<Record<Platform, readonly string[]>>;
  readonly allowWhen: readonly ConditionalCall[];
  readonly allowWhenOnly: Readonly<Record<Platform, readonly ConditionalCall[]>>;
  readonly answers: readonly {
    readonly syscall: string;
    readonly errno: PolicyErrno;
    readonly reason: string;
  }[];
  /** Adds nothing to the filter: names that must never enter the allow-list, each measured by the probe. */
  readonly refused: readonly { readonly reason: string; readonly syscalls: readonly string[] }[];
}

const NAME = /^[a-z0-9_]{2,40}$/;
const HEX32 = /^0x(?:0|[1-9a-f][0-9a-f]{0,7})$/;
const REASON = /^[\x20-\x7e]{5,1000}$/;

let cached: SeccompPolicy | undefined;
/** A policy is compared with for every box of a run; its canonical bytes take a millisecond. */
const digests = new WeakMap<SeccompPolicy, string>();

/**
 * The policy in force, read once per process from `docker/seccomp.json`.
 *
 * @throws {BoundaryError} POLICY_MALFORMED, POLICY_CONTRADICTS_ITSELF
 */
export function readSeccompPolicy(): SeccompPolicy {
  cached ??= parseSeccompPolicy(parseJson(readAsset('docker/seccomp.json')));
  return cached;
}

/** sha256 of the policy's canonical bytes, as a boundary names it. */
export function digestSeccompPolicy(policy: SeccompPolicy): string {
  const digest = digests.get(policy) ?? digestDocument(policy);
  digests.set(policy, digest);
  return digest;
}

/**
 * Reads a policy and refuses one that names a call in two lists, because libseccomp lets an unconditional
 * rule swallow a conditional one without a word.
 *
 * @throws {BoundaryError} POLICY_MALFORMED with every wrong path, POLICY_CONTRADICTS_ITSELF
 */
export function parseSeccompPolicy(value: unknown): SeccompPolicy {
  const reader = new FieldReader();
  const policy = readPolicy(reader, value);
  if (reader.problems.length > 0) {
    throw new BoundaryError('POLICY_MALFORMED', 'malformed seccomp policy', {
      where: reader.problems.map((problem) => problem.path).join(' '),
      expected: reader.problems.map((problem) => problem.expected).join('; '),
      actual: reader.problems.map((problem) => problem.actual).join('; '),
    });
  }
  for (const platform of ['linux/amd64', 'linux/arm64'] as const) checkDisjoint(policy, platform);
  return policy;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new BoundaryError('POLICY_MALFORMED', 'malformed seccomp policy', {
      where: 'docker/seccomp.json',
      expected: 'JSON',
      cause,
    });
  }
}

const POLICY_KEYS = [
  'formatVersion',
  'defaultErrno',
  'allow',
  'allowOnly',
  'allowWhen',
  'allowWhenOnly',
  'answers',
  'refused',
];
const ERRNOS = ['EPERM', 'ENOSYS'] as const;

function readPolicy(reader: FieldReader, value: unknown): SeccompPolicy {
  const fields = reader.object(value, '', POLICY_KEYS);
  const names = (item: unknown, path: string) =>
    reader.list(item, path, (name, at) => reader.text(name, at, NAME));
  const conditionals = (item: unknown, path: string) =>
    reader.list(item, path, (entry, at) => readConditional(reader, entry, at));
  return {
    formatVersion: reader.oneOf(fields['formatVersion'], 'formatVersion', [1]),
    defaultErrno: reader.oneOf(fields['defaultErrno'], 'defaultErrno', ERRNOS),
    allow: names(fields['allow'], 'allow'),
    allowOnly: perPlatform(reader, fields['allowOnly'], 'allowOnly', names),
    allowWhen: conditionals(fields['allowWhen'], 'allowWhen'),
    allowWhenOnly: perPlatform(reader, fields['allowWhenOnly'], 'allowWhenOnly', conditionals),
    answers: reader.list(fields['answers'], 'answers', (item, at) => {
      const entry = reader.object(item, at, ['syscall', 'errno', 'reason']);
      return {
        syscall: reader.text(entry['syscall'], `${at}.syscall`, NAME),
        errno: reader.oneOf(entry['errno'], `${at}.errno`, ERRNOS),
        reason: reader.text(entry['reason'], `${at}.reason`, REASON),
      };
    }),
    refused: reader.list(fields['refused'], 'refused', (item, at) => {
      const entry = reader.object(item, at, ['reason', 'syscalls']);
      return {
        reason: reader.text(entry['reason'], `${at}.reason`, REASON),
        syscalls: names(entry['syscalls'], `${at}.syscalls`),
      };
    }),
  };
}

function perPlatform<T>(
  reader: FieldReader,
  value: unknown,
  path: string,
  read: (item: unknown, path: string) => T,
): Readonly<Record<Platform, T>> {
  const fields = reader.object(value, path, ['linux/amd64', 'linux/arm64']);
  return {
    'linux/amd64': read(fields['linux/amd64'], `${path}.linux/amd64`),
    'linux/arm64': read(fields['linux/arm64'], `${path}.linux/arm64`),
  };
}

function readConditional(reader: FieldReader, value: unknown, path: string): ConditionalCall {
  const entry = reader.object(value, path, ['syscall', 'reason', 'arguments']);
  return {
    syscall: reader.text(entry['syscall'], `${path}.syscall`, NAME),
    reason: reader.text(entry['reason'], `${path}.reason`, REASON),
    arguments: reader.list(entry['arguments'], `${path}.arguments`, (item, at) => {
      const condition = reader.object(item, at, ['index', 'mask', 'oneOf']);
      return {
        index: reader.integer(condition['index'], `${at}.index`),
        mask: reader.text(condition['mask'], `${at}.mask`, HEX32),
        oneOf: reader.list(condition['oneOf'], `${at}.oneOf`, (text, where) =>
          reader.text(text, where, HEX32),
        ),
      };
    }),
  };
}

function checkDisjoint(policy: SeccompPolicy, platform: Platform): void {
  const lists: readonly (readonly string[])[] = [
    policy.allow,
    policy.allowOnly[platform],
    [...new Set(conditionalCalls(policy, platform).map((call) => call.syscall))],
    policy.answers.map((answer) => answer.syscall),
    policy.refused.flatMap((group) => group.syscalls),
  ];
  const seen = new Set<string>();
  for (const name of lists.flat()) {
    if (seen.has(name)) {
      throw new BoundaryError('POLICY_CONTRADICTS_ITSELF', 'seccomp policy names a call twice', {
        where: name,
        expected: 'one list',
        actual: 'two',
      });
    }
    seen.add(name);
  }
}

/** The conditional calls of a platform, the common ones first. */
export function conditionalCalls(policy: SeccompPolicy, platform: Platform): readonly ConditionalCall[] {
  return [...policy.allowWhen, ...policy.allowWhenOnly[platform]];
}

/** The calls a platform allows without a condition. */
export function unconditionalCalls(policy: SeccompPolicy, platform: Platform): readonly string[] {
  return [...policy.allow, ...policy.allowOnly[platform]];
}
