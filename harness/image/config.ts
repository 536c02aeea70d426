import type { Platform } from '../boundary/boundary.ts';
import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import type { BuiltImage, ImageLayer } from '../engine/engine.ts';

/** The part of an image's environment that engines ask for; a step's own environment replaces it. */
const SEARCH_PATH = 'PATH=/usr/local/bin:/usr/bin:/bin';

/**
 * The image of these layers, in order, with its OCI config (image-spec config.md) in canonical form.
 *
 * The config names no host, no user and no time: `created` is the epoch.
 */
export function toImage(platform: Platform, layers: readonly ImageLayer[]): BuiltImage {
  const [os, architecture] = platform.split('/');
  const configBytes = toCanonicalBytes({
    architecture,
    config: { Env: [SEARCH_PATH], User: '1000:1000', WorkingDir: '/work' },
    created: '1970-01-01T00:00:00Z',
    os,
    rootfs: { diff_ids: layers.map(({ diffId }) => `sha256:${diffId}`), type: 'layers' },
  });
  return { platform, layers, configBytes, configDigest: sha256Hex(configBytes) };
}
