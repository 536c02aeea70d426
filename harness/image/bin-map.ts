import { posix } from 'node:path';

/** Bin name → path of its target within the package. */
export type BinMap = ReadonlyMap<string, string>;

/**
 * The bins of a package as npm reads them of its `package.json`: text, list or object form, names cut to
 * their last part, targets kept inside the package; `directories.bin` when there is no `bin`.
 *
 * `paths` are the package's files, for `directories.bin`. A manifest that is no JSON object has no bins.
 * Source: @npmcli/package-json lib/normalize.js.
 */
export function binMapOf(packageJson: Uint8Array | null, paths: readonly string[]): BinMap {
  const manifest = parseObject(packageJson);
  const bin = manifest.get('bin');
  if (bin) return normaliseBins(bin, manifest.get('name'));
  const directories = manifest.get('directories');
  const folder =
    typeof directories === 'object' && directories !== null && 'bin' in directories
      ? directories.bin
      : undefined;
  return typeof folder === 'string' && folder !== '' ? binsBelow(confine(folder), paths) : new Map();
}

/** Bins in the object form that lock files and registries write, cleaned in the same way. */
export function normaliseBins(bin: unknown, name: unknown): BinMap {
  const pairs: (readonly [string, unknown])[] = [];
  if (typeof bin === 'string' && typeof name === 'string') pairs.push([name, bin]);
  else if (Array.isArray(bin)) {
    for (const item of bin) if (typeof item === 'string') pairs.push([posix.basename(item), item]);
  } else if (typeof bin === 'object' && bin !== null) pairs.push(...Object.entries(bin));
  const bins = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (typeof value !== 'string') continue;
    const [base, target] = [posix.basename(confine(key)), confine(value)];
    if (base !== '' && target !== '') bins.set(base, target);
  }
  return bins;
}

function binsBelow(folder: string, paths: readonly string[]): BinMap {
  const bins = new Map<string, string>();
  for (const path of paths) {
    if (!path.startsWith(`${folder}/`)) continue;
    const parts = path.slice(folder.length + 1).split('/');
    if (parts.some((part) => part.startsWith('.'))) continue;
    for (let length = 1; length <= parts.length; length += 1) {
      const below = parts.slice(0, length).join('/');
      bins.set(posix.basename(below), `${folder}/${below}`);
    }
  }
  return bins;
}

/** npm's secureAndUnixifyPath: backslashes and colons are separators, nothing climbs out. */
function confine(path: string): string {
  const joined = posix.join('.', posix.join('/', path.replace(/\\|:/gu, '/')));
  return joined.startsWith('./') ? '' : joined.replace(/\/+$/u, '');
}

function parseObject(bytes: Uint8Array | null): ReadonlyMap<string, unknown> {
  if (bytes === null) return new Map();
  try {
    const text = Buffer.from(bytes)
      .toString('utf8')
      .replace(/^\uFEFF/u, '');
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
