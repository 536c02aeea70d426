import type { Platform } from '../boundary/boundary.ts';
import { matching } from '../document/shape.ts';
import { PrepareError } from './errors.ts';

/** The base that was asked for; relative paths are not yet resolved. */
export type BaseSelection =
  | { readonly kind: 'debian' }
  | { readonly kind: 'rootfs'; readonly path: string }
  | {
      readonly kind: 'image';
      /** `registry/name:tag` without the digest. */
      readonly reference: string;
      /** sha256 of the image's manifest, 64 hex digits. */
      readonly digest: string;
    };

/** An image of a registry or of an engine, by its digest. */
export interface ImageRequest {
  readonly reference: string;
  readonly digest: string;
  readonly platform: Platform;
}

/** Gives the files of an image as a tar, as a container made of it has them before it was ever started. */
export type ExportImage = (image: ImageRequest) => AsyncIterable<Uint8Array>;

/**
 * A reference as container engines write it: `[host[:port]/]path[:tag]`, lower case but for host and tag.
 * Source: the reference grammar of the OCI distribution tools.
 */
const REFERENCE =
  /^(?=.{1,255}$)(?:(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(?=:[0-9]))(?::[0-9]{1,5})?\/)?[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$/u;

/** A reference of an image, in a document. */
export const referenceText = matching(REFERENCE);

/**
 * Reads `--base`: `debian`, `rootfs:FILE`, or `image:REF@sha256:…`. A tag alone is refused: it may mean another
 * image tomorrow.
 *
 * @throws {PrepareError} BASE_SELECTION_INVALID, BASE_DIGEST_MISSING
 */
export function parseBase(argument: string): BaseSelection {
  if (argument === 'debian') return { kind: 'debian' };
  const [kind = '', ...rest] = argument.split(':');
  const value = rest.join(':');
  if (kind === 'rootfs' && value !== '') return { kind, path: value };
  if (kind !== 'image' || value === '') return refuse('BASE_SELECTION_INVALID', argument);
  const [reference = '', digest] = value.split('@');
  if (!REFERENCE.test(reference)) return refuse('BASE_SELECTION_INVALID', argument);
  if (digest === undefined) return refuse('BASE_DIGEST_MISSING', argument);
  const hex = /^sha256:([0-9a-f]{64})$/u.exec(digest)?.[1];
  return hex === undefined || value.split('@').length > 2
    ? refuse('BASE_SELECTION_INVALID', argument)
    : { kind, reference, digest: hex };
}

function refuse(code: 'BASE_SELECTION_INVALID' | 'BASE_DIGEST_MISSING', argument: string): never {
  throw new PrepareError('usage', code, '--base', {
    where: argument,
    expected:
      code === 'BASE_DIGEST_MISSING'
        ? 'image:REF@sha256:DIGEST: a tag may mean another image tomorrow'
        : 'debian, rootfs:FILE with a tar or tar.gz, or image:REF@sha256:DIGEST',
    actual: argument,
  });
}
