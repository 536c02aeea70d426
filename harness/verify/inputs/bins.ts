import { posix } from 'node:path';
import { isRecord } from '../shape/shape.ts';

/** Bin name → path of its file within the package. */
export type Bins = ReadonlyMap<string, string>;

/** The members of a manifest, as npm reads it: a byte order mark is skipped; what is no object has none. */
export function parseManifest(bytes: Buffer | null): Readonly<Record<string, unknown>> {
  if (bytes === null) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * The bins that a manifest declares, names cut to their last part and targets kept inside the package;
 * `directories.bin` counts where there is no `bin`. Source: @npmcli/package-json, lib/normalize.js.
 */
export function binsOf(manifest: Readonly<Record<string, unknown>>, paths: readonly string[]): Bins {
  const { bin, name, directories } = manifest;
  if (bin) return toBins(bin, name);
  const folder = isRecord(directories) ? directories['bin'] : undefined;
  if (typeof folder !== 'string' || folder === '') return new Map();
  const below = `${confine(folder)}/`;
  const bins = new Map<string, string>();
  for (const path of paths) {
    const parts = path.startsWith(below) ? path.slice(below.length).split('/') : ['.'];
    if (parts.some((part) => part.startsWith('.'))) continue;
    parts.forEach((part, index) => {
      bins.set(part, below + parts.slice(0, index + 1).join('/'));
    });
  }
  return bins;
}

/** Text, list or object form. */
export function toBins(bin: unknown, name: unknown): Bins {
  const bins = new Map<string, string>();
  for (const [key, value] of pairsOf(bin, name)) {
    if (typeof value !== 'string') continue;
    const [base, target] = [posix.basename(confine(key)), confine(value)];
    if (base !== '' && target !== '') bins.set(base, target);
  }
  return bins;
}

function pairsOf(bin: unknown, name: unknown): readonly (readonly [string, unknown])[] {
  if (typeof bin === 'string') return typeof name === 'string' ? [[name, bin]] : [];
  if (Array.isArray(bin)) {
    return bin.flatMap((item: unknown) => (typeof item === 'string' ? [[posix.basename(item), item]] : []));
  }
  return isRecord(bin) ? Object.entries(bin) : [];
}

/** Backslashes and colons are separators, and nothing climbs out. */
function confine(path: string): string {
  const joined = posix.join('.', posix.join('/', path.replace(/\\|:/gu, '/')));
  return joined.startsWith('./') ? '' : joined.replace(/\/+$/u, '');
}
