import { byKind, integer, literal, matching, object, type Shaped } from './shape.ts';
import { sha256 } from './values.ts';

export const archiveName = matching(/^[a-z0-9][a-z0-9._-]*$/, 64);

/** An entry of `archives` of a compiled suite. */
export const suiteArchive = object({
  name: archiveName,
  sha256,
  sizeBytes: integer(1, 4 * 1024 ** 3),
  unpack: literal('none', 'tar', 'tar.gz', 'tar.xz'),
  strip: integer(0, 20),
  source: byKind({
    given: {},
    file: {
      path: matching(/^(?!\/)(?:(?!\.{1,2}(?:\/|$))[^/\u0000\\]+\/)*(?!\.{1,2}$)[^/\u0000\\]+$/, 4096),
    },
    npm: {
      package: matching(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/, 214),
      version: matching(/^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$/, 128),
    },
  }),
});

export type SuiteArchive = Shaped<typeof suiteArchive>;
