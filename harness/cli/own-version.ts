import { readAsset } from '../document/assets.ts';

/** The version of this packproof, from its own manifest. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readAsset('package.json').toString('utf8'));
  return manifest !== null && typeof manifest === 'object' && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}
