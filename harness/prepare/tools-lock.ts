import { readAsset } from '../document/assets.ts';
import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';

/** A tool that is run on pinned bytes only. */
export interface PinnedTool {
  readonly name: string;
  readonly version: string;
  readonly integrity: Integrity;
  readonly sizeBytes: number;
}

/**
 * The npm that resolves and installs, from `docker/tools.lock.json`.
 *
 * @throws {PrepareError} TOOLS_LOCK_INVALID
 */
export function pinnedNpm(bytes: Buffer = readAsset('docker/tools.lock.json')): PinnedTool {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  const npm = isRecord(value) && value.formatVersion === 1 ? value.npm : null;
  if (
    !isRecord(npm) ||
    typeof npm.version !== 'string' ||
    typeof npm.sizeBytes !== 'number' ||
    typeof npm.integrity !== 'string'
  ) {
    throw new PrepareError('infrastructure', 'TOOLS_LOCK_INVALID', 'tools lock', {
      where: 'docker/tools.lock.json',
      expected: 'formatVersion 1 with npm{version, integrity, sizeBytes}',
      actual: 'something else',
    });
  }
  return {
    name: 'npm',
    version: npm.version,
    integrity: parseIntegrity(npm.integrity, 'docker/tools.lock.json'),
    sizeBytes: npm.sizeBytes,
  };
}
