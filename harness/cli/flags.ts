import type { Platform } from '../boundary/boundary.ts';
import { TAG_PREFIX } from '../run/select.ts';
import { GLOB_FORM, isGlob } from '../suite/case-glob.ts';
import { UsageError } from './errors.ts';
import { parseCount, parseDuration, parseList } from './values.ts';

/** Flags of prepare and run as the command line gives them: words, not yet values. */
export interface CheckFlags {
  readonly with?: readonly string[];
  readonly suite?: readonly string[];
  readonly node?: string;
  readonly platform?: Platform;
  readonly base?: string;
  readonly lock?: string;
  readonly frozen?: boolean;
  readonly archives?: string;
  readonly debianMirror?: string;
  readonly refresh?: boolean;
  readonly withScripts?: boolean;
  readonly waive?: string;
  readonly engine: EngineChoice;
  readonly jobs?: string;
  readonly budget?: string;
  readonly caseTimeout?: string;
  readonly only?: readonly string[];
  readonly shard?: string;
  readonly repeat?: string;
  readonly shuffle?: string;
  readonly durations?: string;
  readonly nonce?: string;
  readonly embedArchives?: boolean;
  readonly sign?: string;
  readonly update?: boolean;
  readonly yes?: boolean;
  readonly out?: string;
}

export type EngineChoice = 'auto' | 'docker' | 'runc';

/** Two boxes keep two cores busy; more only make limits and timings worse. */
const DEFAULT_JOBS = 2;
const MAX_JOBS = 64;
const MAX_REPEAT = 100;
const NONCE_LIMIT = 256;

export interface RunValues {
  readonly budgetMs: number;
  readonly caseTimeoutMs: number;
  readonly jobs: number;
  readonly repeat: number;
  readonly only: readonly string[];
  readonly shard: { readonly index: number; readonly count: number } | null;
  readonly shuffle: string | null;
  readonly nonce: string | null;
}

/** @throws {UsageError} FLAG_VALUE with the flag's name */
export function parseRunFlags(flags: CheckFlags): RunValues {
  return {
    budgetMs: parseDuration('--budget', flags.budget ?? '180s'),
    caseTimeoutMs: parseDuration('--case-timeout', flags.caseTimeout ?? '20s'),
    jobs: flags.jobs === undefined ? DEFAULT_JOBS : parseCount('--jobs', flags.jobs, MAX_JOBS),
    repeat: flags.repeat === undefined ? 1 : parseCount('--repeat', flags.repeat, MAX_REPEAT),
    only: (flags.only ?? []).map(parsePattern),
    shard: parseShardFlags(flags),
    shuffle: flags.shuffle === undefined ? null : parseSeed(flags.shuffle),
    nonce: flags.nonce === undefined ? null : parseNonce(flags.nonce),
  };
}

export function parseNodeList(flags: CheckFlags): readonly string[] {
  return flags.node === undefined ? [] : parseList('--node', flags.node);
}

function parseShardFlags({ shard, durations }: CheckFlags): RunValues['shard'] {
  if (shard !== undefined) return parseShard(shard);
  if (durations === undefined) return null;
  throw new UsageError('FLAG_MISSING', 'flag', {
    where: '--durations',
    expected: '--shard I/N',
    actual: 'none',
  });
}

function parseShard(text: string): { readonly index: number; readonly count: number } {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(text);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (match === null || index < 1 || count < 1 || index > count) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: '--shard',
      expected: 'I/N with 1 ≤ I ≤ N',
      actual: text,
    });
  }
  return { index, count };
}

/** A glob over case ids, or over tags after `tag:`. Results name executions, `id@version`: said, and not taken. */
function parsePattern(text: string): string {
  const at = text.indexOf('@');
  if (at > 0) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: '--only',
      expected: `${text.slice(0, at)}, and --node ${text.slice(at + 1)} of check or prepare for that version alone`,
      actual: text,
    });
  }
  if (isGlob(text.startsWith(TAG_PREFIX) ? text.slice(TAG_PREFIX.length) : text)) return text;
  throw new UsageError('FLAG_VALUE', 'flag', {
    where: '--only',
    expected: `a glob over case ids, or tag: and one over tags: ${GLOB_FORM}`,
    actual: text,
  });
}

function parseSeed(text: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return text;
  throw new UsageError('FLAG_VALUE', 'flag', {
    where: '--shuffle',
    expected: '1 to 64 of A-Z a-z 0-9 . _ -',
    actual: text,
  });
}

function parseNonce(text: string): string {
  if (text.length === 0 || text.length > NONCE_LIMIT || !/^[\x20-\x7e]+$/.test(text)) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: '--nonce',
      expected: `1 to ${NONCE_LIMIT} printable ASCII characters`,
      actual: text,
    });
  }
  return text;
}
