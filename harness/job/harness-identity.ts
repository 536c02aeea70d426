import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, readAsset } from '../document/assets.ts';
import { sha256Hex } from '../document/digest.ts';

/** Which packproof made the evidence. In a checkout that was not bundled the two digests are of `nothing built`. */
export interface HarnessIdentity {
  readonly version: string;
  /** sha256 of `bin/SHA256SUMS`, which lists every program file of the package. */
  readonly distSha256: string;
  readonly verifierSha256: string;
}

export function readHarnessIdentity(): HarnessIdentity {
  const manifest: unknown = JSON.parse(readAsset('package.json').toString('utf8'));
  const version =
    manifest !== null && typeof manifest === 'object' && 'version' in manifest
      ? String(manifest.version)
      : '';
  return {
    version,
    distSha256: digestProgram('SHA256SUMS'),
    verifierSha256: digestProgram('packproof-verify.js'),
  };
}

function digestProgram(name: string): string {
  const file = join(packageRoot(), 'bin', name);
  return existsSync(file) ? sha256Hex(readFileSync(file)) : createHash('sha256').digest('hex');
}
