import { isRecord } from '../../document/json-record.ts';
import type { CandidateFacts } from '../facts.ts';

/** How an entry point can be loaded in Node. */
export type LoadWay = 'import' | 'require';

/** One thing a user can name: a subpath of the package, with the file it means for each way. */
export interface EntryPoint {
  /** `.` or `./feature`. */
  readonly subpath: string;
  readonly ways: readonly LoadWay[];
  /** Why there is nothing to load; null when there is. */
  readonly notTried: 'types' | 'data' | 'not-for-node' | 'pattern' | null;
}

/** Conditions Node sets for each way, beside `default`. Source: Node's documentation of packages. */
const CONDITIONS: Readonly<Record<LoadWay, ReadonlySet<string>>> = {
  import: new Set(['node', 'import', 'module-sync', 'node-addons', 'default']),
  require: new Set(['node', 'require', 'module-sync', 'node-addons', 'default']),
};

/** Nesting of conditions that is followed; the audit refuses manifests much deeper than this. */
const DEPTH = 16;

/**
 * Lists what the manifest lets a user load, `.` first, then byte order of subpath. Pure; nothing is resolved
 * on disk except which file a `*` pattern could mean, by the list of files.
 */
export function listEntryPoints(facts: CandidateFacts): readonly EntryPoint[] {
  const points =
    facts.exports === undefined || facts.exports === null
      ? mainEntryPoint(facts)
      : [...subpathsOf(facts.exports)].map(([subpath, target]) => toEntryPoint(subpath, target, facts));
  return [...points].sort((left, right) => compareSubpaths(left.subpath, right.subpath));
}

function compareSubpaths(left: string, right: string): number {
  if (left === '.' || right === '.') return left === right ? 0 : left === '.' ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function mainEntryPoint(facts: CandidateFacts): readonly EntryPoint[] {
  const main = facts.main ?? (facts.files.includes('index.js') ? './index.js' : null);
  if (main === null) return [];
  // `main` may leave the extension or a folder's index.js to Node.
  const file = /\.[A-Za-z0-9]+$/.test(main) ? main : `${main}.js`;
  return [{ subpath: '.', ...waysOf({ import: file, require: file }, facts) }];
}

function subpathsOf(exports: unknown): ReadonlyMap<string, unknown> {
  if (isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'))) {
    return new Map(Object.entries(exports).filter(([key]) => key.startsWith('.')));
  }
  return new Map([['.', exports]]);
}

function toEntryPoint(subpath: string, target: unknown, facts: CandidateFacts): EntryPoint {
  const found = { import: findTarget(target, 'import', 0), require: findTarget(target, 'require', 0) };
  if (!subpath.includes('*')) return { subpath, ...waysOf(found, facts) };
  const star = firstMatch(found.import ?? found.require, facts.files);
  if (star === null) return { subpath, ways: [], notTried: 'pattern' };
  const fill = (file: string | null): string | null => file?.replaceAll('*', star) ?? null;
  return {
    subpath: subpath.replace('*', star),
    ...waysOf({ import: fill(found.import), require: fill(found.require) }, facts),
  };
}

/** The first condition that holds wins; an array means its first usable element. */
function findTarget(target: unknown, way: LoadWay, depth: number): string | null {
  if (typeof target === 'string') return target;
  if (depth >= DEPTH) return null;
  if (Array.isArray(target)) {
    const elements: readonly unknown[] = target;
    return elements.map((one) => findTarget(one, way, depth + 1)).find((one) => one !== null) ?? null;
  }
  if (!isRecord(target)) return null;
  for (const [condition, inner] of Object.entries(target)) {
    if (!CONDITIONS[way].has(condition)) continue;
    const found = findTarget(inner, way, depth + 1);
    if (found !== null || inner === null) return found;
  }
  return null;
}

function waysOf(
  found: Readonly<Record<LoadWay, string | null>>,
  facts: CandidateFacts,
): Pick<EntryPoint, 'ways' | 'notTried'> {
  const targets = [found.import, found.require].filter((file) => file !== null);
  if (targets.length === 0) return { ways: [], notTried: 'not-for-node' };
  if (targets.every((file) => /\.d\.[cm]?ts$/.test(file))) return { ways: [], notTried: 'types' };
  const ways: LoadWay[] = [];
  if (found.import !== null && isProgram(found.import)) ways.push('import');
  if (found.require !== null && isProgram(found.require) && isCommonJs(found.require, facts))
    ways.push('require');
  return ways.length === 0 ? { ways, notTried: 'data' } : { ways, notTried: null };
}

/** What Node loads by itself; style sheets, sources of other languages, JSON and licences are data here. */
function isProgram(file: string): boolean {
  return /\.[cm]?js$/.test(file);
}

/** `require` of an ES module works on newer Nodes only, so it is promised by CommonJS files alone. */
function isCommonJs(file: string, facts: CandidateFacts): boolean {
  return file.endsWith('.cjs') || (!file.endsWith('.mjs') && facts.type === 'commonjs');
}

/** What `*` stands for in the first file, in byte order, that the pattern can mean. */
function firstMatch(pattern: string | null, files: readonly string[]): string | null {
  if (pattern === null) return null;
  const [before = '', after = ''] = pattern.replace(/^\.\//, '').split('*', 2);
  const names = files
    .filter((file) => file.length > before.length + after.length)
    .filter((file) => file.startsWith(before) && file.endsWith(after) && isProgram(file))
    .map((file) => file.slice(before.length, file.length - after.length))
    .sort();
  return names[0] ?? null;
}
