import type { Boundary, ResourceLimit, WritableMount } from './boundary.ts';
import { BoundaryError } from './errors.ts';
import { FieldReader } from './field-reader.ts';

const KEYS: readonly (keyof Boundary)[] = [
  'formatVersion',
  'platform',
  'uid',
  'gid',
  'supplementaryGids',
  'capabilities',
  'noNewPrivileges',
  'seccompSha256',
  'network',
  'rootReadOnly',
  'mounts',
  'ipc',
  'cgroupNamespace',
  'pidsLimit',
  'memoryBytes',
  'memorySwapBytes',
  'cpuMillis',
  'hostname',
  'resourceLimits',
  'maskedPaths',
  'readonlyPaths',
];

/** An absolute path without `.`, `..` or anything that would have to be escaped on the way to an engine. */
const PATH = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._-]{1,64}){1,8}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const HOSTNAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MODE = /^0[0-7]{3}$|^1777$/;
const CAPABILITY = /^CAP_[A-Z_]{1,32}$/;
/** The kernel counts a tmpfs in pages; a size that is none would be rounded and then differ from its word. */
const PAGE_BYTES = 4096;
const MAX_LIST = 256;

/**
 * Reads a boundary as stored. Besides the form it demands what makes the value enforceable: sizes in whole
 * pages, no swap beyond memory, writable mounts apart from each other and from covered paths.
 *
 * @throws {BoundaryError} BOUNDARY_MALFORMED, with every wrong path at once
 */
export function parseBoundary(value: unknown): Boundary {
  const reader = new FieldReader();
  const boundary = readBoundary(reader, value);
  if (reader.problems.length === 0) checkSense(reader, boundary);
  if (reader.problems.length > 0) {
    throw new BoundaryError('BOUNDARY_MALFORMED', 'malformed boundary', {
      where: reader.problems.map((problem) => problem.path).join(' '),
      expected: reader.problems.map((problem) => problem.expected).join('; '),
      actual: reader.problems.map((problem) => problem.actual).join('; '),
    });
  }
  return boundary;
}

function readBoundary(reader: FieldReader, value: unknown): Boundary {
  const fields = reader.object(value, '', KEYS);
  const integer = (name: keyof Boundary, minimum = 0) => reader.integer(fields[name], name, minimum);
  const paths = (name: keyof Boundary) =>
    reader.list(fields[name], name, (item, at) => reader.text(item, at, PATH), MAX_LIST);
  return {
    formatVersion: reader.oneOf(fields['formatVersion'], 'formatVersion', [1]),
    platform: reader.oneOf(fields['platform'], 'platform', ['linux/amd64', 'linux/arm64']),
    uid: integer('uid', 1),
    gid: integer('gid', 1),
    supplementaryGids: reader.list(
      fields['supplementaryGids'],
      'supplementaryGids',
      (item, at) => reader.integer(item, at, 1),
      MAX_LIST,
    ),
    capabilities: reader.list(
      fields['capabilities'],
      'capabilities',
      (item, at) => reader.text(item, at, CAPABILITY),
      MAX_LIST,
    ),
    noNewPrivileges: reader.boolean(fields['noNewPrivileges'], 'noNewPrivileges'),
    seccompSha256: reader.text(fields['seccompSha256'], 'seccompSha256', SHA256),
    network: reader.oneOf(fields['network'], 'network', ['none']),
    rootReadOnly: reader.boolean(fields['rootReadOnly'], 'rootReadOnly'),
    mounts: reader.list(fields['mounts'], 'mounts', (item, at) => readMount(reader, item, at), MAX_LIST),
    ipc: reader.oneOf(fields['ipc'], 'ipc', ['none']),
    cgroupNamespace: reader.oneOf(fields['cgroupNamespace'], 'cgroupNamespace', ['private']),
    pidsLimit: integer('pidsLimit', 1),
    memoryBytes: integer('memoryBytes', 1),
    memorySwapBytes: integer('memorySwapBytes', 1),
    cpuMillis: integer('cpuMillis', 1),
    hostname: reader.text(fields['hostname'], 'hostname', HOSTNAME),
    resourceLimits: reader.list(
      fields['resourceLimits'],
      'resourceLimits',
      (item, at) => readLimit(reader, item, at),
      MAX_LIST,
    ),
    maskedPaths: paths('maskedPaths'),
    readonlyPaths: paths('readonlyPaths'),
  };
}

function readMount(reader: FieldReader, value: unknown, path: string): WritableMount {
  const fields = reader.object(value, path, ['path', 'sizeBytes', 'inodes', 'uid', 'gid', 'mode', 'exec']);
  return {
    path: reader.text(fields['path'], `${path}.path`, PATH),
    sizeBytes: reader.integer(fields['sizeBytes'], `${path}.sizeBytes`, PAGE_BYTES),
    inodes: reader.integer(fields['inodes'], `${path}.inodes`, 1),
    uid: reader.integer(fields['uid'], `${path}.uid`),
    gid: reader.integer(fields['gid'], `${path}.gid`),
    mode: reader.text(fields['mode'], `${path}.mode`, MODE),
    exec: reader.boolean(fields['exec'], `${path}.exec`),
  };
}

function readLimit(reader: FieldReader, value: unknown, path: string): ResourceLimit {
  const fields = reader.object(value, path, ['name', 'value']);
  const names = ['RLIMIT_CORE', 'RLIMIT_FSIZE', 'RLIMIT_NOFILE'] as const;
  return {
    name: reader.oneOf(fields['name'], `${path}.name`, names),
    value: reader.integer(fields['value'], `${path}.value`),
  };
}

function checkSense(reader: FieldReader, boundary: Boundary): void {
  const { mounts, memoryBytes, memorySwapBytes } = boundary;
  if (memorySwapBytes !== memoryBytes) {
    reader.report('memorySwapBytes', `${memoryBytes}, as memoryBytes`, memorySwapBytes);
  }
  const names = boundary.resourceLimits.map((limit) => limit.name);
  if (new Set(names).size !== 3 || names.length !== 3) {
    reader.report('resourceLimits', 'each limit once', names);
  }
  const covered = [...boundary.maskedPaths, ...boundary.readonlyPaths];
  mounts.forEach((mount, index) => {
    const others = [...mounts.slice(0, index).map((other) => other.path), ...covered];
    if (others.some((other) => isWithin(other, mount.path) || isWithin(mount.path, other))) {
      reader.report(`mounts.${index}.path`, 'a place of its own', mount.path);
    }
    if (mount.sizeBytes % PAGE_BYTES !== 0) {
      reader.report(`mounts.${index}.sizeBytes`, `a multiple of ${PAGE_BYTES}`, mount.sizeBytes);
    }
  });
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
