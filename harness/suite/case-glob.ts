import picomatch from 'picomatch';

/**
 * Globs over case ids and tags: plain characters, `*`, `?`, and `{a,b}` without a brace inside. A small
 * language, because the verifier reads it by code of its own: `**`, ranges and negation mean nothing here.
 */
const GLOB =
  /^(?:[a-z0-9._?-]|\*(?!\*)|\{(?:[a-z0-9_?-]|\.(?!\.)|\*(?!\*))*(?:,(?:[a-z0-9_?-]|\.(?!\.)|\*(?!\*))*)+\})+$/;

/** Characters of a glob: longer than any id. */
const GLOB_CHARACTERS = 200;

/** Stars of a glob: matching is polynomial of this degree, and a suite may come from a stranger. */
const GLOB_STARS = 3;

export const GLOB_FORM = 'a-z 0-9 . _ - with up to 3 single *, ? and {a,b}';

export function isGlob(text: string): boolean {
  return text.length <= GLOB_CHARACTERS && GLOB.test(text) && text.split('*').length <= GLOB_STARS + 1;
}

/** `glob` must be one by `isGlob`. */
export function matchesGlob(glob: string, name: string): boolean {
  return picomatch.isMatch(name, glob, { dot: true, nonegate: true, noextglob: true, nobracket: true });
}
