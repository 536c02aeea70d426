import { posix } from 'node:path';
import type { FileTable } from '../archive/file-table.ts';
import { toPlainPath } from '../manifest/context.ts';
import { CJS_EXTENSIONS, findCommonJs } from '../manifest/exports.ts';

/** Where a relative or package-internal load leads. */
export type Resolution =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'other-case'; readonly path: string; readonly spelling: string }
  /** An import statement without extension, or of a folder, that require would have resolved. */
  | { readonly kind: 'not-exact'; readonly path: string; readonly would: string }
  | { readonly kind: 'outside'; readonly path: string }
  /** `relatives` tells that files with the same stem exist, which a loader may know how to take. */
  | { readonly kind: 'missing'; readonly path: string; readonly relatives: boolean };

/** Gives the `main` of the package.json in a folder, or null. */
export type FolderMain = (folder: string) => string | null;

/** Extensions that loaders such as those for TypeScript add to what Node knows. */
const LOADER_EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.jsx', '.mjs', '.cjs', '.coffee', '.ls', '.es6'];

export interface ResolveRequest {
  /** The file that loads, relative to the package. */
  readonly from: string;
  readonly specifier: string;
  readonly via: 'import' | 'require';
}

/**
 * Resolves a relative load as Node does, inside the archive and with exact case.
 *
 * Source: Node.js documentation, ESM_RESOLVE (exact names) and require(X) from module at path Y.
 */
export function resolveRelative(files: FileTable, request: ResolveRequest, mainOf: FolderMain): Resolution {
  const path = toTarget(request);
  if (path === null) return { kind: 'outside', path: request.specifier };
  return request.via === 'import' ? resolveExact(files, path, mainOf) : resolveCommonJs(files, path, mainOf);
}

/** The path a relative load names, or null when it leads out of the package. */
function toTarget({ from, specifier, via }: ResolveRequest): string | null {
  const bare = via === 'import' ? decodeUrl(specifier.replace(/[?#].*$/s, '')) : specifier;
  const joined = posix.normalize(posix.join(posix.dirname(from), bare));
  if (joined === '..' || joined.startsWith('../') || bare.startsWith('/')) return null;
  const path = joined.replace(/\/$/, '');
  return path === '.' ? '' : path;
}

/** Import specifiers are URLs, so `%20` is a space. */
function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function resolveExact(files: FileTable, path: string, mainOf: FolderMain): Resolution {
  if (files.has(path)) return { kind: 'found', path };
  const spelling = files.findOtherSpelling(path);
  if (spelling !== undefined) return { kind: 'other-case', path, spelling };
  const would = findWithMain(files, path, mainOf);
  return would === null ? toMissing(files, path) : { kind: 'not-exact', path, would };
}

function resolveCommonJs(files: FileTable, path: string, mainOf: FolderMain): Resolution {
  const found = findWithMain(files, path, mainOf);
  if (found !== null) return { kind: 'found', path: found };
  const candidates = [
    path,
    ...CJS_EXTENSIONS.flatMap((extension) => [path + extension, `${path}/index${extension}`]),
  ];
  for (const candidate of candidates) {
    const spelling = files.findOtherSpelling(candidate);
    if (spelling !== undefined) return { kind: 'other-case', path: candidate, spelling };
  }
  return toMissing(files, path);
}

/** A folder's package.json can name its main file; without one its index is meant. */
function findWithMain(files: FileTable, path: string, mainOf: FolderMain): string | null {
  const plain = CJS_EXTENSIONS.map((extension) => path + extension);
  const file = [path, ...plain].find((name) => files.has(name));
  if (file !== undefined) return file;
  const main = mainOf(path);
  if (main !== null) {
    const found = findCommonJs({ files }, toPlainPath(path === '' ? main : `${path}/${main}`));
    if (found !== null) return found;
  }
  return findCommonJs({ files }, path);
}

function toMissing(files: FileTable, path: string): Resolution {
  const stems = [path, path.replace(/\.[cm]?js$/, ''), `${path}/index`];
  const relatives = stems.some((stem) => LOADER_EXTENSIONS.some((extension) => files.has(stem + extension)));
  return { kind: 'missing', path, relatives };
}
