import { posix } from 'node:path';
import type { BinMap } from './bin-map.ts';
import { ImageError } from './errors.ts';
import type { TreeEntry } from './expected-tree.ts';
import type { InstalledTree } from './installed-tree.ts';
import type { LayerEntry } from './layer-entry.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import type { Spool } from './spool.ts';

/** The one place where the candidate and its dependencies lie. */
export const CANDIDATE_PREFIX = 'opt/candidate';
/** A second copy of the candidate, as `npm install --global` would lay it. */
const GLOBAL_PREFIX = `${CANDIDATE_PREFIX}/global`;

export interface CandidateLayerInputs {
  readonly name: string;
  /** Bins of the candidate, as its lock entry has them. */
  readonly bins: BinMap;
  /** Names everything that the tree depends on, by digest. */
  readonly key: unknown;
  /** Called when the layer is not in the cache: installs and returns the tree. */
  readonly install: (spool: Spool) => Promise<InstalledTree>;
}

/**
 * The candidate layer: the installed tree below `/opt/candidate`, and the candidate once more in a global
 * layout with its bins at `/opt/candidate/global/bin`.
 *
 * @throws {ImageError} CANDIDATE_NOT_INSTALLED, and those of `planLayer` with kind `candidate`: links that
 * leave the prefix, duplicate or impossible names.
 */
export function buildCandidateLayer(store: LayerStore, inputs: CandidateLayerInputs): Promise<StoredLayer> {
  return store.obtain({
    role: 'candidate',
    rules: { prefix: CANDIDATE_PREFIX, fault: 'candidate' },
    inputs: { key: inputs.key, name: inputs.name, bins: [...inputs.bins] },
    entries: async (spool) => candidateEntries(inputs, await inputs.install(spool)),
  });
}

function candidateEntries(inputs: CandidateLayerInputs, tree: InstalledTree): readonly LayerEntry[] {
  const home = `node_modules/${inputs.name}`;
  const local = [...tree.entries.values()].map((entry) =>
    toLayerEntry(entry, tree, `${CANDIDATE_PREFIX}/${entry.path}`),
  );
  const own = [...tree.entries.values()].filter((entry) => entry.path.startsWith(`${home}/`));
  if (own.length === 0) {
    throw new ImageError('candidate', 'CANDIDATE_NOT_INSTALLED', 'install', {
      where: home,
      expected: 'files of the candidate',
      actual: 'none',
    });
  }
  const copies = own.map((entry) => toLayerEntry(entry, tree, `${GLOBAL_PREFIX}/lib/${entry.path}`));
  return [...local, ...copies, ...dependencyLinks(home, tree), ...globalBins(inputs, home, tree)];
}

function toLayerEntry(entry: TreeEntry, tree: InstalledTree, path: string): LayerEntry {
  if (entry.kind === 'symlink') return { kind: 'symlink', path, target: entry.target };
  const content = tree.contents.get(entry.path) ?? Buffer.alloc(0);
  return { kind: 'file', path, mode: Number.parseInt(entry.mode, 8), sizeBytes: entry.sizeBytes, content };
}

/**
 * The copy finds the packages of the tree in a `node_modules` of its own, as after a global install: one link
 * to the tree's when the candidate has none itself, else a link for each package that its own lacks.
 */
function dependencyLinks(home: string, tree: InstalledTree): readonly LayerEntry[] {
  const folder = `${GLOBAL_PREFIX}/lib/${home}/node_modules`;
  const own = new Set(packagesBelow(`${home}/node_modules`, tree));
  if (own.size === 0) return [{ kind: 'symlink', path: folder, target: `/${CANDIDATE_PREFIX}/node_modules` }];
  return packagesBelow('node_modules', tree)
    .filter((name) => !own.has(name))
    .map((name) => ({
      kind: 'symlink',
      path: `${folder}/${name}`,
      target: `/${CANDIDATE_PREFIX}/node_modules/${name}`,
    }));
}

/** Names of the packages (and `.bin`) directly in a `node_modules` folder. */
function packagesBelow(folder: string, tree: InstalledTree): readonly string[] {
  const names = new Set<string>();
  for (const path of tree.entries.keys()) {
    if (!path.startsWith(`${folder}/`)) continue;
    const [first = '', second = ''] = path.slice(folder.length + 1).split('/');
    names.add(first.startsWith('@') ? `${first}/${second}` : first);
  }
  return [...names];
}

function globalBins(inputs: CandidateLayerInputs, home: string, tree: InstalledTree): readonly LayerEntry[] {
  const folder = `${GLOBAL_PREFIX}/bin`;
  return [...inputs.bins].flatMap(([name, target]): readonly LayerEntry[] => {
    const file = posix.join(home, target);
    const exists = [...tree.entries.keys()].some((path) => path === file || path.startsWith(`${file}/`));
    const link = posix.relative(folder, `${GLOBAL_PREFIX}/lib/${file}`);
    return exists ? [{ kind: 'symlink', path: `${folder}/${name}`, target: link }] : [];
  });
}
