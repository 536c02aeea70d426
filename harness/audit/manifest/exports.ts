import type { FindingCode } from '../catalogue/catalogue.ts';
import { capList, type ManifestContext, placeOf, readText, toPlainPath } from './context.ts';
import { type ExportLeaf, type ExportSubpath, readExportsMap } from './exports-map.ts';
import type { ExportFact } from './facts.ts';
import { toPointer } from './strict-json.ts';

/** What CommonJS tries behind a path without extension. */
export const CJS_EXTENSIONS = ['.js', '.json', '.node'] as const;

type TargetState = 'found' | 'missing' | 'pattern-empty' | 'folder' | 'invalid' | 'blocked';

/**
 * Checks that `exports`, `main`, `module` and `types` lead to files of the archive.
 *
 * One condition or subpath that leads nowhere is a warning; an `exports` that offers nothing gates.
 */
export function checkExports(context: ManifestContext): readonly ExportFact[] {
  const value = context.manifest.get('exports');
  const hasExports = value !== undefined && value !== null;
  if (!hasExports) checkMain(context);
  checkPlainField(context, 'module', 'MODULE_FIELD_MISSING');
  checkTypes(context);
  if (!hasExports) return [];
  const map = readExportsMap(value);
  if (map.problem !== null) {
    context.findings.add('EXPORTS_INVALID', placeOf('exports'), {
      expected: 'subpaths or conditions',
      actual: map.problem === 'mixed' ? 'both' : 'neither',
    });
  }
  checkSubpaths(context, capList(context, '/exports', map.subpaths));
  return map.subpaths.map(({ subpath, leaves }) => ({
    subpath,
    targets: leaves.flatMap(({ target }) => (target === null ? [] : [target])),
  }));
}

interface JudgedLeaf {
  readonly leaf: ExportLeaf;
  readonly state: TargetState;
}

/**
 * A dead subpath gates when nothing of the package can be imported, as when the build was forgotten. Beside
 * live ones it is a warning: published packages carry such leftovers and work for their users.
 */
function checkSubpaths(context: ManifestContext, subpaths: readonly ExportSubpath[]): void {
  const patterns = new PatternMatcher(context.files.paths());
  const judged = subpaths.map(({ subpath, leaves }) => ({
    subpath,
    leaves: leaves.map((leaf): JudgedLeaf => ({ leaf, state: toState(context, leaf, patterns) })),
  }));
  const offersSomething = judged.some(
    ({ subpath, leaves }) => subpath !== './package.json' && leaves.some(({ state }) => isAlive(state)),
  );
  for (const { subpath, leaves } of judged) {
    const place = placeOf('exports', subpath);
    const worst = leaves.find(({ state }) => state === 'invalid') ?? leaves[0];
    if (worst !== undefined && !leaves.some(({ state }) => isAlive(state))) {
      report(context, toDeadCode(worst.state, offersSomething), { place, leaf: worst.leaf });
    } else reportLeaves(context, place, leaves);
  }
}

function isAlive(state: TargetState): boolean {
  return state !== 'missing' && state !== 'invalid';
}

function toDeadCode(state: TargetState, offersSomething: boolean): FindingCode {
  if (offersSomething) return 'EXPORTS_SUBPATH_MISSING';
  return state === 'invalid' ? 'EXPORTS_INVALID' : 'EXPORTS_TARGET_MISSING';
}

function reportLeaves(context: ManifestContext, place: string, leaves: readonly JudgedLeaf[]): void {
  for (const { leaf, state } of leaves) {
    const code = STATE_CODES[state];
    if (code === null) continue;
    report(context, isCustom(leaf) ? 'EXPORTS_CUSTOM_CONDITION' : code, { place, leaf });
  }
}

/** Conditions that runtimes, bundlers and type checkers set by themselves. */
const KNOWN_CONDITIONS = new Set(
  (
    'node import require default types browser module module-sync node-addons development production worker ' +
    'deno bun workerd edge-light electron react-native react-server script style sass svelte asset netlify'
  ).split(' '),
);

function isCustom({ conditions }: ExportLeaf): boolean {
  return conditions.some((condition) => !KNOWN_CONDITIONS.has(condition) && !condition.startsWith('types@'));
}

/** What a bad target means while another one of the same subpath is good. */
const STATE_CODES: Readonly<Record<TargetState, FindingCode | null>> = {
  found: null,
  blocked: null,
  missing: 'EXPORTS_CONDITION_MISSING',
  invalid: 'EXPORTS_CONDITION_MISSING',
  'pattern-empty': 'EXPORTS_PATTERN_EMPTY',
  folder: 'EXPORTS_FOLDER',
};

interface BadTarget {
  readonly place: string;
  readonly leaf: ExportLeaf;
}

function report(context: ManifestContext, code: FindingCode, { place, leaf }: BadTarget): void {
  const pointer = leaf.conditions.reduce<string>(toPointer, place);
  context.findings.add(code, pointer, {
    expected: 'a file of the archive',
    actual: leaf.target ?? 'null',
  });
}

function toState(context: ManifestContext, { target }: ExportLeaf, patterns: PatternMatcher): TargetState {
  if (target === null) return 'blocked';
  if (!target.startsWith('./') || target.split('/').includes('..')) return 'invalid';
  if (target.endsWith('/')) return 'folder';
  if (target.includes('*')) return patterns.matches(target.slice(2)) ? 'found' : 'pattern-empty';
  return context.files.has(toPlainPath(target)) ? 'found' : 'missing';
}

/** Names that patterns are tried on, all together; beyond it a pattern counts as met. */
const PATTERN_TRIES = 5_000_000;

/** Answers whether a pattern meets a file, looking only at names that begin as the pattern does. */
class PatternMatcher {
  readonly #paths: Iterable<string>;
  #sorted: readonly string[] | null = null;
  #tries = 0;

  constructor(paths: Iterable<string>) {
    this.#paths = paths;
  }

  /** The star stands for any text, slashes included. */
  matches(target: string): boolean {
    const before = target.slice(0, target.indexOf('*'));
    const after = target.slice(target.lastIndexOf('*') + 1);
    this.#sorted ??= [...this.#paths].sort();
    for (let at = findFirst(this.#sorted, before); this.#tries < PATTERN_TRIES; at += 1) {
      const path = this.#sorted[at];
      if (path === undefined || !path.startsWith(before)) return false;
      this.#tries += 1;
      if (path.length > before.length && path.endsWith(after)) return true;
    }
    return true;
  }
}

/** Index of the first name that is not below `least` in the order of the list. */
function findFirst(sorted: readonly string[], least: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function checkMain(context: ManifestContext): void {
  const main = readText(context, 'main');
  if (main === null || toPlainPath(main) === '') return;
  if (findCommonJs(context, toPlainPath(main)) !== null) return;
  context.findings.add('MAIN_MISSING', placeOf('main'), { expected: 'a file of the archive', actual: main });
}

/** What CommonJS loads for a path of the package: the file, one of three extensions, or a folder's index. */
export function findCommonJs(context: Pick<ManifestContext, 'files'>, path: string): string | null {
  const { files } = context;
  if (files.has(path)) return path;
  const extended = CJS_EXTENSIONS.map((extension) => path + extension).find((name) => files.has(name));
  if (extended !== undefined) return extended;
  const prefix = path === '' ? '' : `${path}/`;
  const index = CJS_EXTENSIONS.map((extension) => `${prefix}index${extension}`);
  return index.find((name) => files.has(name)) ?? null;
}

function checkPlainField(context: ManifestContext, field: string, code: FindingCode): void {
  const path = context.manifest.get(field);
  if (typeof path !== 'string' || path === '' || findCommonJs(context, toPlainPath(path)) !== null) return;
  context.findings.add(code, placeOf(field), { expected: 'a file of the archive', actual: path });
}

function checkTypes(context: ManifestContext): void {
  const field = context.manifest.has('types') ? 'types' : 'typings';
  const path = context.manifest.get(field);
  if (typeof path !== 'string' || path === '') return;
  const plain = toPlainPath(path);
  const spellings = [plain, `${plain}.d.ts`, `${plain}.ts`, `${plain}/index.d.ts`];
  if (spellings.some((spelling) => context.files.has(spelling))) return;
  context.findings.add('TYPES_MISSING', placeOf(field), { expected: 'a file of the archive', actual: path });
}
