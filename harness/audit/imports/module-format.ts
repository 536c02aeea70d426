import type { FileTable } from '../archive/file-table.ts';
import type { ReadContent } from '../archive/leaks.ts';
import { isJsonObject, type JsonObject, parseStrictJson } from '../manifest/strict-json.ts';

/** How Node reads a file: by its name, or by the `type` of the nearest package.json. */
export type ModuleFormat = 'module' | 'commonjs' | 'undeclared' | 'data';

/** Bytes of a nested package.json; it usually holds one line. */
const NESTED_MANIFEST_BYTES = 256 * 1024;
const NESTED_MANIFEST_DEPTH = 32;

/** Answers questions about the package.json files below the top one, reading each once. */
export class NestedManifests {
  readonly #files: FileTable;
  readonly #read: ReadContent;
  readonly #known = new Map<string, JsonObject | null>();

  constructor(files: FileTable, read: ReadContent) {
    this.#files = files;
    this.#read = read;
  }

  /** Source: Node.js documentation on packages, determining module system. */
  formatOf(path: string): ModuleFormat {
    if (path.endsWith('.mjs')) return 'module';
    if (path.endsWith('.cjs')) return 'commonjs';
    if (/\.(?:json|node|wasm)$/.test(path)) return 'data';
    const type = this.#nearest(path)?.get('type');
    if (type === 'module') return 'module';
    return type === 'commonjs' ? 'commonjs' : 'undeclared';
  }

  mainOf(folder: string): string | null {
    const main = this.#in(folder)?.get('main');
    return typeof main === 'string' && main !== '' ? main : null;
  }

  #nearest(path: string): JsonObject | null {
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      const manifest = this.#in(folder);
      if (manifest !== null || folder === '') return manifest;
    }
  }

  #in(folder: string): JsonObject | null {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const manifest = this.#readIn(folder);
    this.#known.set(folder, manifest);
    return manifest;
  }

  #readIn(folder: string): JsonObject | null {
    const entry = this.#files.get(folder === '' ? 'package.json' : `${folder}/package.json`);
    if (entry === undefined || (folder !== '' && entry.sizeBytes > NESTED_MANIFEST_BYTES)) return null;
    const text = this.#read(entry)
      .toString('utf8')
      .replace(/^\ufeff/, '');
    const parsed = parseStrictJson(text, NESTED_MANIFEST_DEPTH);
    return parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value : null;
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}
