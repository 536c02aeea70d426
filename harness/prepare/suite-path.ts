import { posix } from 'node:path';

/** A file below the folder of a suite, such as `suite.yaml` or `fixtures/a.txt`. */
export interface SuiteFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Path of a compiled suite in a context. */
export function suitePath(id: string): string {
  return posix.join('suites', id, 'suite.json');
}

/** Path of a file that a suite was compiled from. */
export function sourcePath(id: string, path: string): string {
  return posix.join('suites', id, path);
}

/** Below a suite's folder: the text of a suite, what it read of its fixtures, and what it read elsewhere beside it. */
const SOURCE = /^suites\/([^/]+)\/(suite\.yaml|(?:fixtures|beside)(?:\/(?!\.)[a-z0-9._@%-]{1,255})+)$/u;

/** The suite and the path below its folder of a source; null for every other path. */
export function parseSourcePath(path: string): { readonly id: string; readonly path: string } | null {
  const [, id, rest] = SOURCE.exec(path) ?? [];
  return id === undefined || rest === undefined ? null : { id, path: rest };
}
