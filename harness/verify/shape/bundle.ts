import { list, literal, object, orNull, type Shaped, text } from './shape.ts';
import { count, runId, sha256, word } from './values.ts';

/** More files than any honest run makes. */
export const LISTED_FILES_LIMIT = 2_000_000;

export const listedFileShape = object({ path: word, sizeBytes: count, sha256 });

/** `bundle.json`: the closed list. Which paths are safe and in order is asked where the list is read. */
export const bundleShape = object({
  formatVersion: literal(1),
  runId,
  nonce: orNull(text(4096)),
  files: list(listedFileShape, LISTED_FILES_LIMIT),
});

export type ListedFile = Shaped<typeof listedFileShape>;
