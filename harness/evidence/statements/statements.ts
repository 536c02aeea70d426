import type { BundleFile } from '../bundle-folder.ts';
import type { ExportInput } from '../export-input.ts';
import { imageFolder } from '../paths.ts';
import { buildBoundaryStatement } from './boundary-statement.ts';
import { buildImageStatement } from './image-statement.ts';
import type { DescribeFile, Statement } from './statement.ts';
import { buildTestResult } from './test-result.ts';

/** A statement and its file beside the index. */
export interface StatementFile {
  readonly path: string;
  readonly statement: Statement;
}

/**
 * Every statement of a bundle, each of which binds the index by digest: what the cases came to, always; the
 * measured boundary and the making of the images, when there are such.
 *
 * `files` are the index and all that it lists.
 */
export function buildStatements(input: ExportInput, files: readonly BundleFile[]): readonly StatementFile[] {
  const digests = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const describe: DescribeFile = (name) => ({ name, digest: { sha256: digests.get(name) ?? '' } });
  const { report, cases, boundary, archives, packageLock } = input;
  const images = input.images.map((image, index) => ({ ...image, folder: imageFolder(image.node, index) }));
  const imageConfig = (node: string): string =>
    `${images.find((image) => image.node === node)?.folder ?? ''}/config.json`;
  const listed = files.map(({ path }) => path).filter((path) => path !== 'bundle.json');
  const statements: readonly (readonly [string, Statement | null])[] = [
    ['statement.json', buildTestResult({ report, cases, listed, describe })],
    [
      'statement-boundary.json',
      boundary === null ? null : buildBoundaryStatement({ report, boundary, describe, imageConfig }),
    ],
    ['statement-image.json', buildImageStatement({ report, archives, packageLock, images, describe })],
  ];
  return statements.flatMap(([path, statement]) => (statement === null ? [] : [{ path, statement }]));
}
