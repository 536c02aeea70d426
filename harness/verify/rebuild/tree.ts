import { posix } from 'node:path';
import { type Bins, toBins } from '../inputs/bins.ts';
import type { CandidateArchive } from '../inputs/candidate-archive.ts';
import { linkBin, type UnpackedFile, unpackPackage } from '../inputs/expected-package.ts';
import type { InventoryLine, RawLockEntry } from '../shape/inputs.ts';
import { describeLine } from './base.ts';

const PREFIX = 'opt/candidate/';

/** A package of the tree, with its archive or (bundled) in that of another. */
export interface TreePackage {
  readonly place: string;
  readonly entry: RawLockEntry;
  readonly archive: CandidateArchive | null;
}

export interface TreeDifference {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Where the installed tree of an image parts from what the archives of its packages explain, both ways.
 *
 * `lines` are those of the candidate's layer. Links in `.bin` folders belong to the first package that names
 * the bin; which one that is follows from the link itself.
 * Source: npm 11, pacote lib/fetcher.js and lib/file.js, bin-links lib/fix-bin.js and lib/link-gently.js.
 */
export function compareTree(
  packages: readonly TreePackage[],
  lines: readonly InventoryLine[],
): readonly TreeDifference[] {
  const files = new Map<string, UnpackedFile>();
  for (const { place, archive } of packages) {
    if (archive === null) continue;
    for (const [path, file] of unpackPackage(archive, place)) files.set(path, file);
  }
  const tree = new Map(
    lines
      .filter(({ kind, path }) => kind !== 'directory' && path.startsWith(`${PREFIX}node_modules/`))
      .map((line) => [line.path.slice(PREFIX.length), line]),
  );
  const links = linkBins(packages, { files, tree });
  const differences: TreeDifference[] = [];
  const compare = (path: string, expected: string | undefined): void => {
    const line = tree.get(path);
    const actual = line === undefined ? 'nothing' : describeLine(line);
    if (actual !== (expected ?? 'nothing'))
      differences.push({ path, expected: expected ?? 'nothing', actual });
  };
  const expected = new Map(links);
  for (const [path, { mode, sizeBytes, sha256 }] of files)
    expected.set(path, `file ${mode} ${sizeBytes} ${sha256}`);
  for (const path of new Set([...expected.keys(), ...tree.keys()])) compare(path, expected.get(path));
  return differences;
}

interface Tree {
  readonly files: Map<string, UnpackedFile>;
  readonly tree: ReadonlyMap<string, InventoryLine>;
}

function linkBins(packages: readonly TreePackage[], { files, tree }: Tree): ReadonlyMap<string, string> {
  const folders = new Set([...files.keys()].flatMap(parentsOf));
  const claims = new Map<string, string[]>();
  for (const { place, entry } of packages) {
    const folder = `${place.slice(0, place.lastIndexOf('node_modules/'))}node_modules/.bin`;
    for (const [name, target] of binsOf(place, entry)) {
      const link = `${folder}/${name}`;
      claims.set(link, [...(claims.get(link) ?? []), posix.join(place, target)]);
    }
  }
  const links = new Map<string, string>();
  for (const [link, targets] of claims) {
    const relative = (target: string): string => posix.relative(posix.dirname(link), target);
    const found = tree.get(link);
    const chosen = targets.find((target) => found?.target === relative(target)) ?? targets[0];
    const isThere = chosen !== undefined && (files.has(chosen) || folders.has(chosen));
    if (!isThere || (found === undefined && targets.length > 1)) continue;
    links.set(link, `symlink ${relative(chosen)}`);
    linkBin(chosen, { files, transforms: [] });
  }
  return links;
}

function binsOf(place: string, { bin, name }: RawLockEntry): Bins {
  const own = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return bin === undefined ? new Map() : toBins(bin, name ?? own);
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
