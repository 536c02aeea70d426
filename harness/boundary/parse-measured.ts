import type { Platform } from './boundary.ts';
import { BoundaryError } from './errors.ts';
import { nameErrno, nameSignal } from './linux-names.ts';
import { type MeasuredBoundary, type MeasuredLimits, STATUS_FIELDS, UNLIMITED } from './measured.ts';
import { CGROUP_FILES } from './probe-orders.ts';
import {
  parseCgroupPaths,
  parseDescriptors,
  parseDevices,
  parseEnvironment,
  parseInterfaces,
  parseMountInfo,
  parseResourceLimits,
  parseSpace,
  parseStatus,
  parseUnixSockets,
} from './proc-files.ts';

/** A mount table of 60 lines and 300 outcomes have 30 KiB. */
const MAX_BYTES = 1024 * 1024;
const MAX_LINES = 4096;

const PLATFORMS: ReadonlyMap<unknown, Platform> = new Map<unknown, Platform>([
  ['x86_64', 'linux/amd64'],
  ['aarch64', 'linux/arm64'],
]);

/** Reasons for which a trial may not be possible; every other one is a malformed measurement. */
const NOT_EXERCISABLE_REASONS = ['kernel-lacks-foreign-architecture', 'root'];

/** Facts that a box need not show; the outside view must then have them. */
const OPTIONAL_FACTS: readonly string[] = Object.keys(CGROUP_FILES);

interface Lines {
  readonly platform: Platform;
  readonly facts: ReadonlyMap<string, string>;
  readonly outcomes: ReadonlyMap<string, string>;
}

/**
 * Reads what the probe wrote to its stdout, in a box that held no candidate.
 *
 * It must be complete: the closing line with the number of orders is what tells a whole measurement from
 * one that something in the box cut short.
 * @throws {BoundaryError} MEASUREMENT_TOO_LARGE, MEASUREMENT_MALFORMED, MEASUREMENT_UNFINISHED
 */
export function parseMeasured(bytes: Uint8Array): MeasuredBoundary {
  const { platform, facts, outcomes } = readLines(bytes);
  const fact = (id: string): string => {
    const text = facts.get(id);
    if (text === undefined) throw malformed(id, 'a fact', outcomes.get(id));
    return text;
  };
  const holder = fact('holder').split('\0');
  return {
    formatVersion: 1,
    platform,
    status: parseStatus(fact('status'), STATUS_FIELDS),
    mounts: parseMountInfo(fact('mounts')),
    spaces: [...facts].filter(([id]) => id.startsWith('space.')).map(([id, text]) => parseSpace(id, text)),
    resourceLimits: parseResourceLimits(fact('limits')),
    limits: parseLimits(facts),
    interfaces: parseInterfaces(fact('interfaces')),
    unixSockets: [...parseUnixSockets(fact('unix-sockets')), ...pick(fact('tree'), 'socket ')],
    setIdFiles: pick(fact('tree'), 'set-id '),
    cgroupPaths: parseCgroupPaths(fact('cgroup')),
    hostname: fact('hostname').trimEnd(),
    domainname: fact('domainname').trimEnd(),
    devices: parseDevices(fact('devices')),
    descriptors: parseDescriptors(fact('descriptors')),
    workingFolder: fact('folder'),
    environment: parseEnvironment(fact('environment')),
    localTimeIsUtc: fact('zone') === '0 0',
    holder: holder.slice(0, 2),
    outcomes: Object.fromEntries([...outcomes].filter(([id]) => !OPTIONAL_FACTS.includes(id)).sort(byId)),
  };
}

function readLines(bytes: Uint8Array): Lines {
  if (bytes.length > MAX_BYTES) {
    throw new BoundaryError('MEASUREMENT_TOO_LARGE', 'measurement too large', {
      where: 'stdout of the probe',
      expected: `at most ${MAX_BYTES} bytes`,
      actual: String(bytes.length),
    });
  }
  const text = Buffer.from(bytes).toString('latin1');
  const lines = text.split('\n', MAX_LINES).filter((line) => line !== '');
  const entries = lines.map(parseLine);
  const last = entries.at(-1);
  const platform = PLATFORMS.get(last?.['architecture']);
  if (last?.['done'] !== entries.length - 1 || platform === undefined || !text.endsWith('\n')) {
    throw new BoundaryError('MEASUREMENT_UNFINISHED', 'measurement unfinished', {
      where: 'stdout of the probe',
      expected: 'a closing line with the count of all others',
      actual: lines.at(-1) ?? 'nothing',
    });
  }
  return { platform, ...sortEntries(entries.slice(0, -1)) };
}

type Entry = Readonly<Record<string, unknown>>;

function parseLine(line: string): Entry {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below, as for every other line that is no object.
  }
  throw malformed('line', 'an object', line);
}

function sortEntries(entries: readonly Entry[]): Omit<Lines, 'platform'> {
  const facts = new Map<string, string>();
  const outcomes = new Map<string, string>();
  for (const entry of entries) {
    const { id, text } = entry;
    if (typeof id !== 'string' || facts.has(id) || outcomes.has(id)) {
      throw malformed(String(id), 'an id of its own', JSON.stringify(entry));
    }
    if (typeof text === 'string') facts.set(id, text);
    else outcomes.set(id, toOutcome(id, entry));
  }
  return { facts, outcomes };
}

function toOutcome(id: string, entry: Entry): string {
  const { outcome, errno, signal, count, reason } = entry;
  switch (outcome) {
    case 'allowed':
    case 'empty':
    case 'no-effect':
      return outcome;
    case 'refused':
      return `refused ${nameErrno(toCount(id, errno))}`;
    case 'killed':
      return `killed ${nameSignal(toCount(id, signal))}`;
    case 'counted':
      return `counted ${toCount(id, count)} ${errno === 0 ? 'unlimited' : nameErrno(toCount(id, errno))}`;
    case 'not-exercisable':
      if (typeof reason === 'string' && NOT_EXERCISABLE_REASONS.includes(reason)) {
        return `not-exercisable ${reason}`;
      }
      break;
  }
  throw malformed(id, 'an outcome', JSON.stringify(entry));
}

function toCount(id: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformed(id, 'a count', String(value));
}

/** The limits of whichever cgroup version the box shows. */
function parseLimits(facts: ReadonlyMap<string, string>): MeasuredLimits {
  const read = (id: string): number | null => {
    const text = facts.get(id)?.trim();
    if (text === undefined) return null;
    return text === 'max' ? UNLIMITED : toLimit(id, text);
  };
  if (facts.has('cgroup.v2.memory')) {
    const [memoryBytes, swapBytes] = [read('cgroup.v2.memory'), read('cgroup.v2.swap')];
    const [quota, period] = facts.get('cgroup.v2.cpu')?.trim().split(' ') ?? [];
    return {
      pids: read('cgroup.v2.pids'),
      memoryBytes,
      memorySwapBytes: addLimits(memoryBytes, swapBytes),
      cpuMillis: quota === undefined ? null : toCpuMillis(quota, period ?? ''),
    };
  }
  const quota = facts.get('cgroup.v1.quota')?.trim();
  return {
    pids: read('cgroup.v1.pids'),
    memoryBytes: read('cgroup.v1.memory'),
    memorySwapBytes: read('cgroup.v1.swap'),
    cpuMillis: quota === undefined ? null : toCpuMillis(quota, facts.get('cgroup.v1.period')?.trim() ?? ''),
  };
}

/** Version 2 counts swap apart from memory; a boundary counts both together. */
function addLimits(memoryBytes: number | null, swapBytes: number | null): number | null {
  if (memoryBytes === null || swapBytes === null) return null;
  return memoryBytes === UNLIMITED || swapBytes === UNLIMITED ? UNLIMITED : memoryBytes + swapBytes;
}

function toCpuMillis(quota: string, period: string): number {
  if (quota === 'max' || quota === '-1') return UNLIMITED;
  return (toLimit('cpu quota', quota) / toLimit('cpu period', period)) * 1000;
}

function toLimit(id: string, text: string): number {
  if (!/^[0-9]{1,20}$/.test(text)) throw malformed(id, 'a number', text);
  return Number(text);
}

function pick(lines: string, prefix: string): readonly string[] {
  return lines
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}

function byId(one: readonly [string, string], other: readonly [string, string]): number {
  return one[0] < other[0] ? -1 : 1;
}

function malformed(where: string, expected: string, actual: string | undefined): BoundaryError {
  return new BoundaryError('MEASUREMENT_MALFORMED', 'malformed measurement', {
    where,
    expected,
    actual: actual ?? 'nothing',
  });
}
