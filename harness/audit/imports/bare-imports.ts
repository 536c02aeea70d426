import type { FindingCode } from '../catalogue/catalogue.ts';
import { type ManifestContext, toPlainPath } from '../manifest/context.ts';
import {
  type ExportLeaf,
  type ExportSubpath,
  readExportsMap,
  SubpathIndex,
  toSubpaths,
} from '../manifest/exports-map.ts';
import { isJsonObject } from '../manifest/strict-json.ts';
import { isBuiltin, toPackageName } from './builtins.ts';
import { type Declared, describeLoad, type Load } from './load.ts';

/** Conditions that Node sets besides `import` or `require`. */
const CONDITIONS = new Set(['node', 'node-addons', 'module-sync', 'default']);

/** Files named for one missing package; who mends these has seen how to mend the rest. */
const FILES_OF_NAME = 10;

/** Checks loads that name a package, the package itself, or one of its `#` names. */
export class BareImports {
  readonly #context: ManifestContext;
  readonly #declared: Declared;
  readonly #exports: SubpathIndex | null;
  readonly #imports: SubpathIndex;
  /** Files in which each name was told of, by code and name. */
  readonly #told = new Map<string, Set<string>>();

  constructor(context: ManifestContext, declared: Declared) {
    this.#context = context;
    this.#declared = declared;
    const exported = context.manifest.get('exports');
    const imports = context.manifest.get('imports');
    const hasExports = exported !== undefined && exported !== null;
    this.#exports = hasExports ? new SubpathIndex(readExportsMap(exported).subpaths) : null;
    this.#imports = new SubpathIndex(isJsonObject(imports) ? toSubpaths(imports) : []);
  }

  /** The file of this package that the load leads to, or null when it leads elsewhere. */
  check(load: Load): string | null {
    const { specifier } = load.use;
    if (isBuiltin(specifier)) return null;
    if (specifier.startsWith('#')) return this.#checkHash(load);
    const name = toPackageName(specifier);
    if (name === null) return null;
    if (name === this.#declared.name && this.#exports !== null) {
      return this.#checkSelf(load, `.${specifier.slice(name.length)}`, this.#exports);
    }
    this.#checkDeclared(load, name);
    return null;
  }

  #checkHash(load: Load): string | null {
    const match = this.#imports.find(load.use.specifier);
    if (match !== null) return this.#pick(load, match.found, match.rest);
    this.#report('IMPORT_HASH_UNKNOWN', load, 'an entry of "imports"');
    return null;
  }

  #checkSelf(load: Load, subpath: string, exported: SubpathIndex): string | null {
    const match = exported.find(subpath);
    if (match !== null) return this.#pick(load, match.found, match.rest);
    if (load.reach !== 'guarded') this.#report('IMPORT_NOT_EXPORTED', load, 'a subpath of "exports"');
    return null;
  }

  /** The first target whose conditions Node sets; a missing one is the business of the exports check. */
  #pick(load: Load, { leaves }: ExportSubpath, rest: string | null): string | null {
    const leaf = leaves.find((candidate) => isActive(candidate, load.use.via));
    if (leaf?.target?.startsWith('./') !== true) return null;
    const path = toPlainPath(rest === null ? leaf.target : leaf.target.replaceAll('*', () => rest));
    return this.#context.files.has(path) ? path : null;
  }

  #checkDeclared(load: Load, name: string): void {
    const { installed, development } = this.#declared;
    if (installed.has(name) || name === this.#declared.name) return;
    if (this.#context.files.hasFolder(`node_modules/${name}`)) return;
    if (load.reach !== 'always') this.#reportName('IMPORT_UNDECLARED_LAZY', load, name);
    else this.#reportName(development.has(name) ? 'IMPORT_DEV_ONLY' : 'IMPORT_UNDECLARED', load, name);
  }

  /** Told once for each name, code and file, of the first files: a package can load another one in all of its own. */
  #reportName(code: FindingCode, load: Load, name: string): void {
    const key = `${code} ${name}`;
    const told = this.#told.get(key) ?? new Set<string>();
    if (told.has(load.path) || told.size === FILES_OF_NAME) return;
    this.#told.set(key, told.add(load.path));
    this.#report(code, load, `${name} in "dependencies"`);
  }

  #report(code: FindingCode, load: Load, expected: string): void {
    const { files, findings } = this.#context;
    findings.add(code, files.toArchivePath(load.path), {
      expected,
      actual: describeLoad(load),
    });
  }
}

function isActive(leaf: ExportLeaf, via: 'import' | 'require'): boolean {
  return leaf.conditions.every((condition) => condition === via || CONDITIONS.has(condition));
}
