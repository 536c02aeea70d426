import type { Platform } from '../../boundary/boundary.ts';
import type { LayerEntry } from '../layer-entry.ts';
import { findLibrary, type GlibcVersion, neededGlibc, ownLibraryFolders } from './requirements.ts';
import { type RootfsTree, resolveInTree } from './tree.ts';

/**
 * Packages of packproof's own base that are laid on any other too: the holder's Perl with its library, the name
 * service that answers for localhost where no hosts file does, and what newer Node versions are linked with.
 */
export const ADDED_PACKAGES: readonly string[] = [
  'libatomic1',
  'libcrypt1',
  'libnss-myhostname',
  'perl-base',
];

/** Programs of ours lie here, on every base. */
const OWN_FOLDER = '.packproof/';

/** What is laid on a base, and the glibc that it asks of it. */
export interface Additions {
  readonly entries: readonly LayerEntry[];
  readonly needed: GlibcVersion | null;
}

/**
 * Picks from the entries of the added packages what a base lacks: our own folder always; a library only where
 * the loader would find none of its name, and then in Debian's folder and in the one of other systems.
 */
export function pickAdditions(
  tree: RootfsTree,
  platform: Platform,
  offered: readonly LayerEntry[],
): Additions {
  const own = offered.filter(({ path }) => path.startsWith(OWN_FOLDER));
  const libraries = offered.filter(({ path }) => !path.startsWith(OWN_FOLDER));
  const lacking = libraries.filter((entry) => isLacking(tree, platform, entry, libraries));
  const laid = lacking.flatMap((entry) => placesOf(tree, platform, entry));
  const entries = [...own, ...unique(laid)];
  const needs = entries.flatMap((entry) =>
    entry.kind === 'file' && entry.content instanceof Uint8Array ? [neededGlibc(entry.content) ?? 0] : [],
  );
  return { entries, needed: needs.length === 0 ? null : Math.max(...needs) };
}

/** A library and the link that leads to it belong together: the name that the loader asks for decides for both. */
function isLacking(
  tree: RootfsTree,
  platform: Platform,
  entry: LayerEntry,
  libraries: readonly LayerEntry[],
): boolean {
  const name = baseName(entry.path);
  const asked = libraries.find((other) => other.kind === 'symlink' && other.target === name);
  return findLibrary(tree, platform, asked === undefined ? name : baseName(asked.path)) === null;
}

/** A folder that is a link in the base is laid where it leads. */
function placesOf(tree: RootfsTree, platform: Platform, entry: LayerEntry): readonly LayerEntry[] {
  return ownLibraryFolders(platform).flatMap((folder) => {
    const reached = resolveInTree(tree, folder);
    if (reached === null || (tree.get(reached) ?? { kind: 'directory' }).kind !== 'directory') return [];
    const path = `${reached}/${baseName(entry.path)}`;
    return tree.has(path) ? [] : [{ ...entry, path }];
  });
}

function unique(entries: readonly LayerEntry[]): readonly LayerEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
