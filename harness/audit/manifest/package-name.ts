/** What npm's rules say about a name: fit for new packages, only for old ones, or not at all. */
export type NameClass = 'valid' | 'legacy' | 'invalid';

const NAME_LENGTH = 214;
const SCOPED = /^@([^/]+)\/([^/]+)$/;
const URL_SAFE = /^[A-Za-z0-9\-_.!~*'()]+$/;
const LEGACY_CHARACTER = /[A-Z!~*'()]/;
const RESERVED = new Set(['node_modules', 'favicon.ico']);

/**
 * Classifies a package name.
 *
 * An invalid name must not become a folder or a registry path.
 * Source: npm documentation on package.json, name; the legacy class covers names from before those rules.
 */
export function classifyName(name: string): NameClass {
  const scoped = SCOPED.exec(name);
  const scope = scoped?.[1] ?? null;
  const bare = scoped?.[2] ?? name;
  if (name === '' || name.startsWith('-') || name.startsWith('_') || RESERVED.has(name.toLowerCase())) {
    return 'invalid';
  }
  if (bare.startsWith('.') || !URL_SAFE.test(bare)) return 'invalid';
  if (scope !== null && (scope.startsWith('.') || !URL_SAFE.test(scope))) return 'invalid';
  return name.length > NAME_LENGTH || LEGACY_CHARACTER.test(bare) ? 'legacy' : 'valid';
}
