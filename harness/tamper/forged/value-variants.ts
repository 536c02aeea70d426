import { isRecord } from '../places.ts';

/** Closed lists of the format: a forger knows the other words. By the name of the member. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  outcome: ['pass', 'fail', 'error', 'unrun', 'excluded', 'unsupported', 'flaky'],
  result: ['pass', 'fail', 'not-exercised', 'error', 'passed', 'failed', 'PASSED', 'WARNED', 'FAILED'],
  reason: [
    null,
    'budget',
    'interrupted',
    'selection',
    'audit',
    'no-node-version',
    'not-of-this-class',
    'no-check-exercised',
  ],
  severity: ['gate', 'warn', 'info'],
  killedBy: [null, 'candidate', 'packproof', 'engine', 'oom'],
  stream: ['stdout', 'stderr'],
  when: ['before', 'after'],
  scripts: ['off', 'on'],
  interruptedBy: [null, 'SIGINT', 'SIGTERM', 'SIGHUP'],
  evidenceWay: ['host', 'engine-archive'],
  platform: ['linux/amd64', 'linux/arm64'],
  cgroupVersion: [1, 2],
  network: ['none', 'host', 'bridge'],
  networkMode: ['none', 'host', 'bridge'],
  stage: ['audit', 'resolve', 'install'],
  kind: ['file', 'directory', 'symlink', 'output', 'signal', 'stdin', 'stdin-closed', 'output-closed'],
  action: ['freeze', 'list', 'kill-all', 'drain', 'snapshot', 'kill-box', 'close'],
  mode: ['0644', '0755', '0777', '1777', '4755'],
  role: ['candidate', 'sibling', 'dependency', 'npm', 'runtime', 'base'],
  node: ['each', 'first'],
};

export function wordsOf(place: readonly (string | number)[], value: unknown): readonly unknown[] {
  const key = place.findLast((one) => typeof one === 'string');
  const words = typeof key === 'string' && Object.hasOwn(WORDS, key) ? (WORDS[key] ?? []) : [];
  return words.includes(value) ? words.filter((word) => word !== value) : [];
}

/** A value of the same form that differs as little as may be; undefined when there is none. */
export function nudge(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return Number.isInteger(value) ? value + 1 : Math.round(value * 10 + 1) / 10;
  return typeof value === 'string' ? nudgeText(value) : undefined;
}

function nudgeText(value: string): string {
  if (value === '') return 'x';
  if (isTime(value)) return new Date(Date.parse(value) + 1000).toISOString();
  const digit = value.search(/[0-9](?=[^0-9]*$)/);
  if (/^[0-9a-f]{12,}$/.test(value))
    return replaceCharacter(value, value.length - 1, nextOf(value.at(-1) ?? '0'));
  if (digit !== -1) return replaceCharacter(value, digit, String((Number(value[digit]) + 1) % 10));
  const letter = value.search(/[A-Za-z](?=[^A-Za-z]*$)/);
  return letter === -1 ? `${value}x` : replaceCharacter(value, letter, nextOf(value[letter] ?? 'a'));
}

/** A value of the same form that lies far from the other; undefined when there is none. */
export function leap(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(Math.abs(value)) * 100 + 987_654;
  if (typeof value !== 'string') return undefined;
  if (isTime(value)) return new Date(Date.parse(value) - 86_400_000).toISOString();
  if (/^[0-9a-f]{12,}$/.test(value)) return value.replace(/./g, '0');
  return value.startsWith('/') ? '/work/elsewhere' : 'something else';
}

/** A value of another kind. */
export function retype(value: unknown): unknown {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return {};
  return isRecord(value) ? [] : {};
}

function isTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
}

function nextOf(character: string): string {
  return character === 'a' || character === 'A' ? 'b' : 'a';
}

function replaceCharacter(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}
