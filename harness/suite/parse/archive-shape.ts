import { ARCHIVE_BYTES_LIMIT, ARCHIVE_NAME_LIMIT, STRIP_LIMIT } from '../limits.ts';
import { byKind, integer, object, oneOf, text } from './shapes.ts';

const PLAIN_FILE = /^(?!\/)(?:(?!\.{1,2}(?:\/|$))[^/\0\\]+\/)*(?!\.{1,2}$)[^/\0\\]+$/;
const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$/;
/** npm's own bound of a name, its scope included. */
const PACKAGE_LIMIT = 214;

export const archiveName = text('a name like [a-z0-9][a-z0-9._-]*', ARCHIVE_NAME_LIMIT, (value) =>
  /^[a-z0-9][a-z0-9._-]*$/.test(value),
);

/** An entry of `archives` of a compiled suite. */
export const archiveShape = object({
  name: archiveName,
  sha256: text('a sha256 in hex', 64, (value) => /^[0-9a-f]{64}$/.test(value)),
  sizeBytes: integer(1, ARCHIVE_BYTES_LIMIT),
  unpack: oneOf('none', 'tar', 'tar.gz', 'tar.xz'),
  strip: integer(0, STRIP_LIMIT),
  source: byKind({
    given: {},
    file: { path: text('a relative path without . or ..', 4096, (value) => PLAIN_FILE.test(value)) },
    npm: {
      package: text('a package name', PACKAGE_LIMIT, (value) => PACKAGE.test(value)),
      version: text('an exact version', 128, (value) => VERSION.test(value)),
    },
  }),
});
