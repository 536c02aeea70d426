import type { Platform } from '../boundary/boundary.ts';
import { toCanonicalBytes } from '../document/canonical.ts';
import {
  count,
  integrityText,
  listOf,
  oneOf,
  parseDocument,
  recordOf,
  type Shape,
  sha256Text,
  text,
  unionOf,
} from '../document/shape.ts';
import type { BaseArchive } from '../image/base-lock.ts';
import { referenceText } from './base-selection.ts';
import type { ContextArchive } from './context-document.ts';
import { type PrepareCode, PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';
import type { Universe } from './resolver-registry.ts';

export const LOCK_FORMAT_VERSION = 1;

/** A pinned archive of a registry. */
export interface LockPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** An archive that a suite pins. */
export interface LockArchive {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

interface LockDebian {
  readonly codename: string;
  readonly release: string;
  readonly packages: readonly BaseArchive[];
}

/** What the base layer is made of, as `ContextBase` says it. */
export type LockBase =
  | ({ readonly kind: 'debian' } & LockDebian)
  | ({ readonly kind: 'rootfs'; readonly rootfs: ContextArchive } & LockDebian)
  | ({
      readonly kind: 'image';
      readonly reference: string;
      readonly digest: string;
      readonly rootfs: ContextArchive;
    } & LockDebian);

/** `packproof.lock.json`: everything a run takes from outside, but the candidate and its siblings. */
export interface PackproofLock {
  readonly formatVersion: typeof LOCK_FORMAT_VERSION;
  readonly platform: Platform;
  readonly npm: LockPackage;
  readonly runtimes: readonly LockPackage[];
  readonly base: LockBase;
  /** Archives that cases of the suites run, by name. */
  readonly suiteArchives: readonly LockArchive[];
  /** Each name and version once, by name and version. */
  readonly dependencies: readonly LockPackage[];
}

const lockPackage: Shape<LockPackage> = recordOf<LockPackage>({
  name: text,
  version: text,
  integrity: integrityText,
});

const debianFields = {
  codename: text,
  release: text,
  packages: listOf(
    recordOf<BaseArchive>({
      package: text,
      version: text,
      architecture: text,
      archive: oneOf('debian', 'debian-security'),
      poolPath: text,
      sizeBytes: count,
      sha256: sha256Text,
      include: listOf(recordOf<BaseArchive['include'][number]>({ from: text, to: text })),
    }),
  ),
};

const rootfs = recordOf<ContextArchive>({ sha256: sha256Text, integrity: integrityText, sizeBytes: count });

const lockBase: Shape<LockBase> = unionOf<LockBase>({
  debian: recordOf<Extract<LockBase, { kind: 'debian' }>>({ kind: oneOf('debian'), ...debianFields }),
  rootfs: recordOf<Extract<LockBase, { kind: 'rootfs' }>>({ kind: oneOf('rootfs'), rootfs, ...debianFields }),
  image: recordOf<Extract<LockBase, { kind: 'image' }>>({
    kind: oneOf('image'),
    reference: referenceText,
    digest: sha256Text,
    rootfs,
    ...debianFields,
  }),
});

/** `packproof.lock.json`. */
export const lockShape: Shape<PackproofLock> = recordOf<PackproofLock>({
  formatVersion: oneOf(LOCK_FORMAT_VERSION),
  platform: oneOf('linux/amd64', 'linux/arm64'),
  npm: lockPackage,
  runtimes: listOf(lockPackage),
  base: lockBase,
  suiteArchives: listOf(recordOf<LockArchive>({ name: text, sha256: sha256Text, sizeBytes: count })),
  dependencies: listOf(lockPackage),
});

/**
 * Accepts the bytes of a `packproof.lock.json`. A trailing newline is allowed: people keep it in version
 * control.
 *
 * @throws {PrepareError} LOCK_VERSION, LOCK_INVALID (with all wrong fields), LOCK_NOT_CANONICAL
 */
export function parseLock(bytes: Buffer, where = 'packproof.lock.json'): PackproofLock {
  const trimmed = bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  const parsed = parseDocument(trimmed, LOCK_FORMAT_VERSION, lockShape);
  if (parsed.kind === 'document') return parsed.value;
  const { defect } = parsed;
  switch (defect.kind) {
    case 'version':
      throw refuse('LOCK_VERSION', where, {
        expected: `formatVersion ${LOCK_FORMAT_VERSION}`,
        actual: defect.actual,
      });
    case 'fields':
      throw refuse('LOCK_INVALID', where, {
        expected: 'the fields of a lock',
        actual: defect.paths.join(', '),
      });
    case 'form':
      throw refuse('LOCK_NOT_CANONICAL', where, { expected: 'RFC 8785 bytes', actual: 'another form' });
    default:
      return defect satisfies never;
  }
}

/** The bytes of a lock as we write them: RFC 8785 and a newline. */
export function writeLock(lock: PackproofLock): Buffer {
  return Buffer.concat([toCanonicalBytes(lock), Buffer.from('\n')]);
}

/** The versions that a lock allows, as the resolver sees them. */
export function toUniverse(lock: PackproofLock): Universe {
  const universe = new Map<string, Map<string, Integrity>>();
  for (const item of lock.dependencies) {
    const versions = universe.get(item.name) ?? new Map<string, Integrity>();
    versions.set(item.version, parseIntegrity(item.integrity, `${item.name}@${item.version}`));
    universe.set(item.name, versions);
  }
  return universe;
}

/** One thing that a run uses and the lock says otherwise of, or not at all. */
export interface LockDifference {
  readonly code: Extract<
    PrepareCode,
    'LOCK_PLATFORM' | 'LOCK_NPM' | 'LOCK_NODE' | 'LOCK_BASE' | 'LOCK_ARCHIVE' | 'LOCK_DEPENDENCY'
  >;
  readonly what: string;
  readonly where: string;
  readonly expected: string;
  readonly actual: string;
}

/** What a run uses that the lock does not pin in just this form. What the lock pins beyond it is no difference. */
export function compareLock(lock: PackproofLock, actual: PackproofLock): readonly LockDifference[] {
  const differences: LockDifference[] = [];
  if (lock.platform !== actual.platform) {
    differences.push({
      code: 'LOCK_PLATFORM',
      what: 'platform',
      where: 'platform',
      expected: lock.platform,
      actual: actual.platform,
    });
  }
  differences.push(
    ...comparePackages('LOCK_NPM', [lock.npm], [actual.npm]),
    ...comparePackages('LOCK_NODE', lock.runtimes, actual.runtimes),
    ...comparePackages('LOCK_DEPENDENCY', lock.dependencies, actual.dependencies),
    ...compareArchives(lock.suiteArchives, actual.suiteArchives),
    ...compareBaseKind(lock.base, actual.base),
    ...comparePackagesOfBase(lock.base.packages, actual.base.packages),
  );
  return differences;
}

function comparePackages(
  code: 'LOCK_NPM' | 'LOCK_NODE' | 'LOCK_DEPENDENCY',
  pinned: readonly LockPackage[],
  used: readonly LockPackage[],
): readonly LockDifference[] {
  return used.flatMap((item) => {
    const found = pinned.find(({ name, version }) => name === item.name && version === item.version);
    if (found?.integrity === item.integrity) return [];
    const others = pinned.filter(({ name }) => name === item.name).map(({ version }) => version);
    const expected = found?.integrity ?? (others.length > 0 ? others.join(' or ') : 'nothing of this name');
    const actual = found === undefined ? item.version : item.integrity;
    return [{ code, what: item.name, where: `${item.name}@${item.version}`, expected, actual }];
  });
}

function compareArchives(
  pinned: readonly LockArchive[],
  used: readonly LockArchive[],
): readonly LockDifference[] {
  return used.flatMap(({ name, sha256 }) => {
    const found = pinned.find((item) => item.name === name);
    if (found?.sha256 === sha256) return [];
    const expected = found?.sha256 ?? 'nothing of this name';
    return [{ code: 'LOCK_ARCHIVE', what: 'suite archive', where: name, expected, actual: sha256 }];
  });
}

/** Another base is one difference; its packages then say nothing more. */
function compareBaseKind(pinned: LockBase, used: LockBase): readonly LockDifference[] {
  const [expected, actual] = [describeBase(pinned), describeBase(used)];
  return expected === actual ? [] : [{ code: 'LOCK_BASE', what: 'base', where: 'base', expected, actual }];
}

/** A base in the words of `--base` and of the verifier's `--require base=`, and what its files are. */
function describeBase(base: LockBase): string {
  switch (base.kind) {
    case 'debian':
      return 'debian';
    case 'rootfs':
      return `rootfs@sha256:${base.rootfs.sha256}`;
    case 'image':
      return `image:${base.reference}@sha256:${base.digest} with files ${base.rootfs.sha256}`;
  }
}

function comparePackagesOfBase(
  pinned: readonly BaseArchive[],
  used: readonly BaseArchive[],
): readonly LockDifference[] {
  return used.flatMap((item) => {
    const found = pinned.find(
      (other) => other.package === item.package && other.architecture === item.architecture,
    );
    if (found !== undefined && toCanonicalBytes(found).equals(toCanonicalBytes(item))) return [];
    const where = `${item.package}:${item.architecture}`;
    const expected = found === undefined ? 'nothing of this name' : `${found.version} ${found.sha256}`;
    return [
      { code: 'LOCK_BASE', what: item.package, where, expected, actual: `${item.version} ${item.sha256}` },
    ];
  });
}

/**
 * Refuses a run that uses anything the lock does not pin.
 *
 * @throws {PrepareError} the code of the first difference; `actual` counts the others.
 */
export function requireLocked(differences: readonly LockDifference[]): void {
  const first = differences[0];
  if (first === undefined) return;
  const more = differences.length > 1 ? ` (and ${differences.length - 1} more)` : '';
  throw refuse(first.code, first.where, { expected: first.expected, actual: `${first.actual}${more}` });
}

function refuse(
  code: PrepareCode,
  where: string,
  seen: { readonly expected: string; readonly actual: string },
): PrepareError {
  return new PrepareError('usage', code, 'lock', { where, ...seen });
}
