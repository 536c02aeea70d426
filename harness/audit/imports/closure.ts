import type { FindingCode } from '../catalogue/catalogue.ts';
import type { ManifestContext } from '../manifest/context.ts';
import { BareImports } from './bare-imports.ts';
import { type Declared, describeLoad, LineCounter, type Load } from './load.ts';
import { type ModuleFormat, NestedManifests } from './module-format.ts';
import { type ImportUse, type ModuleScan, type Reach, scanModule } from './module-scan.ts';
import { type Resolution, resolveRelative } from './resolve.ts';

/** A command to start from. */
export interface ClosureStart {
  readonly path: string;
  /** False when something other than plain node runs it: its loader may find what node would not. */
  readonly certain: boolean;
}

/**
 * Follows what the commands load, from file to file, and tells what is missing.
 *
 * Only what every run of a command loads gates. Each file is read once, as its surest reach allows: files
 * that are always loaded come first. Packages are checked by name and not entered.
 */
export function checkClosure(
  context: ManifestContext,
  starts: readonly ClosureStart[],
  declared: Declared,
): void {
  new Closure(context, declared).run(starts);
}

const SCRIPT = /\.(?:js|mjs|cjs)$/;

class Closure {
  readonly #context: ManifestContext;
  readonly #manifests: NestedManifests;
  readonly #bare: BareImports;
  readonly #seen = new Set<string>();
  readonly #certain: string[] = [];
  readonly #possible: string[] = [];
  #scannedBytes = 0;
  #loads = 0;

  constructor(context: ManifestContext, declared: Declared) {
    this.#context = context;
    this.#manifests = new NestedManifests(context.files, context.read);
    this.#bare = new BareImports(context, declared);
  }

  run(starts: readonly ClosureStart[]): void {
    for (const start of starts) (start.certain ? this.#certain : this.#possible).push(start.path);
    for (;;) {
      const certain = this.#certain.pop();
      const path = certain ?? this.#possible.pop();
      if (path === undefined) return;
      this.#visit(path, certain !== undefined);
    }
  }

  #visit(path: string, certain: boolean): void {
    const { files, read } = this.#context;
    const entry = files.get(path);
    if (entry === undefined || this.#seen.has(path)) return;
    this.#seen.add(path);
    const format = this.#manifests.formatOf(path);
    if (format === 'data' || (!SCRIPT.test(path) && /\.[^/.]+$/.test(path))) return;
    if (!this.#mayScan(path, entry.sizeBytes)) return;
    const source = read(entry).toString('utf8');
    const scan = scanModule(source);
    if (!scan.complete) this.#reportUnscanned(path, 'its text could not be followed');
    this.#checkFormat(path, format, scan);
    const isCertain = certain && scan.complete;
    this.#loads += scan.uses.length;
    const lines = new LineCounter(source);
    for (const use of scan.uses)
      this.#follow({ path, lines, use, reach: isCertain ? use.reach : weaken(use) });
  }

  #mayScan(path: string, sizeBytes: number): boolean {
    const { scanFileBytes, scanTotalBytes, scanLoads } = this.#context.limits;
    this.#scannedBytes += sizeBytes;
    const hasRoom = this.#scannedBytes <= scanTotalBytes && this.#loads <= scanLoads;
    if (sizeBytes <= scanFileBytes && hasRoom) return true;
    this.#reportUnscanned(path, `${sizeBytes} bytes`);
    return false;
  }

  #reportUnscanned(path: string, actual: string): void {
    const { files, findings } = this.#context;
    findings.add('MODULE_NOT_SCANNED', files.toArchivePath(path), { expected: 'a complete scan', actual });
  }

  #checkFormat(path: string, format: ModuleFormat, scan: ModuleScan): void {
    const code = toFormatCode(format, scan);
    if (code === null) return;
    this.#context.findings.add(code, this.#context.files.toArchivePath(path), {
      expected: format === 'module' ? 'an ES module' : 'a CommonJS module',
      actual: scan.isEsModule ? 'import or export statements' : 'require, module.exports or __dirname',
    });
  }

  #follow(load: Load): void {
    const { use } = load;
    if (/^(?:data|https?|file|blob):/i.test(use.specifier)) return;
    if (!/^(?:\.{1,2}(?:\/|$)|\/)/.test(use.specifier)) {
      const target = this.#bare.check(load);
      if (target !== null) this.#enqueue(target, load.reach);
      return;
    }
    if (use.specifier.startsWith('/')) return;
    const request = { from: load.path, specifier: use.specifier, via: use.via };
    const resolution = resolveRelative(this.#context.files, request, (folder) =>
      this.#manifests.mainOf(folder),
    );
    if (resolution.kind === 'found') this.#enqueue(resolution.path, load.reach);
    else this.#report(load, resolution);
  }

  #enqueue(path: string, reach: Reach): void {
    (reach === 'always' ? this.#certain : this.#possible).push(path);
  }

  #report(load: Load, resolution: Exclude<Resolution, { kind: 'found' }>): void {
    const { files, findings } = this.#context;
    findings.add(toCode(resolution, load.reach), files.toArchivePath(load.path), {
      expected:
        resolution.kind === 'outside' ? 'a file of the package' : files.toArchivePath(resolution.path),
      actual: describeLoad(load) + describeSpelling(resolution),
    });
  }
}

function weaken(use: ImportUse): Reach {
  return use.reach === 'guarded' ? 'guarded' : 'sometimes';
}

function toFormatCode(format: ModuleFormat, scan: ModuleScan): FindingCode | null {
  if (!scan.complete) return null;
  if (format === 'module') return scan.usesCommonJs && !scan.isEsModule ? 'MODULE_CJS_IN_ESM' : null;
  if (!scan.isEsModule) return null;
  return format === 'commonjs' ? 'MODULE_ESM_IN_CJS' : 'MODULE_SYNTAX_DETECTED';
}

function toCode(resolution: Exclude<Resolution, { kind: 'found' }>, reach: Reach): FindingCode {
  if (resolution.kind === 'outside') return 'IMPORT_OUTSIDE';
  if (reach === 'guarded') return 'IMPORT_MISSING_GUARDED';
  const always = reach === 'always';
  if (resolution.kind === 'other-case') return always ? 'IMPORT_CASE' : 'IMPORT_CASE_LAZY';
  if (resolution.kind === 'not-exact') return always ? 'IMPORT_NOT_EXACT' : 'IMPORT_NOT_EXACT_LAZY';
  return always && !resolution.relatives ? 'IMPORT_MISSING' : 'IMPORT_MISSING_LAZY';
}

function describeSpelling(resolution: Resolution): string {
  if (resolution.kind === 'other-case') return `; the file is ${resolution.spelling}`;
  return resolution.kind === 'not-exact' ? `; the file is ${resolution.would}` : '';
}
