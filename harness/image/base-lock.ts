import type { Platform } from '../boundary/boundary.ts';
import { ImageError } from './errors.ts';

/** A path of a Debian package, or a folder when it ends in a slash, and where it is laid in the image. */
export interface Inclusion {
  readonly from: string;
  readonly to: string;
}

/** One pinned Debian package. `archive` and `poolPath` say where a mirror keeps it. */
export interface BaseArchive {
  readonly package: string;
  readonly version: string;
  readonly architecture: string;
  readonly archive: 'debian' | 'debian-security';
  readonly poolPath: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly include: readonly Inclusion[];
}

/** `docker/base.lock.json`: what the base layer of each platform is made of. */
export interface BaseLock {
  readonly formatVersion: 1;
  readonly release: { readonly codename: string; readonly version: string };
  readonly platforms: Readonly<Record<Platform, { readonly archives: readonly BaseArchive[] }>>;
}

/**
 * Accepts the bytes of `docker/base.lock.json`; unknown fields are refused.
 *
 * @throws {ImageError} BASE_LOCK_MALFORMED, `where` the field, all wrong fields named at once in `actual`.
 */
export function parseBaseLock(bytes: Uint8Array): BaseLock {
  const wrong: string[] = [];
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new ImageError('infrastructure', 'BASE_LOCK_MALFORMED', 'base lock', { where: 'document', cause });
  }
  checkLock(value, wrong);
  if (wrong.length > 0) {
    throw new ImageError('infrastructure', 'BASE_LOCK_MALFORMED', 'base lock', {
      where: wrong[0] ?? 'document',
      expected: 'the fields of format version 1',
      actual: wrong.join(', '),
    });
  }
  return value as BaseLock;
}

type Check = (value: unknown, path: string, wrong: string[]) => void;

const isText: Check = (value, path, wrong) => {
  if (typeof value !== 'string' || value === '') wrong.push(path);
};
const matches =
  (pattern: RegExp): Check =>
  (value, path, wrong) => {
    if (typeof value !== 'string' || !pattern.test(value)) wrong.push(path);
  };
const isVersionOne: Check = (value, path, wrong) => {
  if (value !== 1) wrong.push(path);
};
const isSize: Check = (value, path, wrong) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) wrong.push(path);
};
const listOf =
  (check: Check): Check =>
  (value, path, wrong) => {
    if (!Array.isArray(value) || value.length === 0) wrong.push(path);
    else for (const [index, item] of value.entries()) check(item, `${path}[${index}]`, wrong);
  };
const recordOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path, wrong) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      wrong.push(path);
      return;
    }
    const held = new Map<string, unknown>(Object.entries(value));
    for (const name of held.keys()) if (!Object.hasOwn(fields, name)) wrong.push(`${path}.${name}`);
    for (const [name, check] of Object.entries(fields)) check(held.get(name), `${path}.${name}`, wrong);
  };

/** A relative path of plain parts; a folder ends in a slash. */
const isPath = matches(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9._+-][A-Za-z0-9._+/-]*$/u);

const checkArchive = recordOf({
  package: isText,
  version: isText,
  architecture: matches(/^(amd64|arm64|all)$/u),
  archive: matches(/^debian(-security)?$/u),
  poolPath: matches(/^pool\/[A-Za-z0-9._+~/-]+\.deb$/u),
  sizeBytes: isSize,
  sha256: matches(/^[0-9a-f]{64}$/u),
  include: listOf(recordOf({ from: isPath, to: isPath })),
});

function checkLock(value: unknown, wrong: string[]): void {
  const checkPlatform = recordOf({ archives: listOf(checkArchive) });
  recordOf({
    formatVersion: isVersionOne,
    release: recordOf({ codename: isText, version: isText }),
    platforms: recordOf({ 'linux/amd64': checkPlatform, 'linux/arm64': checkPlatform }),
  })(value, 'baseLock', wrong);
}
