/** What became of one candidate. `present` is the only state in which bytes were obtained. */
export type ReadState = 'missing' | 'unreadable' | 'symlink-skipped' | 'not-file' | 'too-large' | 'present';

/** The state of a source: as above, and `malformed` when the bytes do not say what they should. */
export type SourceState = ReadState | 'malformed';

/** The state of an instruction file, of which metadata alone is asked for. */
export type ProbeState = Exclude<ReadState, 'too-large'>;

/** Whether a candidate counts as inventoried: it was read whole, or is known to be absent. */
export function isInventoried({ state }: { readonly state: SourceState }): boolean {
  return state === 'present' || state === 'missing';
}

const MISSING: readonly string[] = ['ENOENT', 'ENOTDIR'];

/**
 * One word for an error of the operating system. Its message and path are dropped here and go nowhere.
 *
 * ENAMETOOLONG says that nobody can ask for the whole path at once, not that nothing is there. ELOOP is what
 * O_NOFOLLOW answers for a link in the last place; ENXIO is what opening a socket answers.
 */
export function stateOfError(error: unknown): 'missing' | 'symlink-skipped' | 'not-file' | 'unreadable' {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (MISSING.includes(code)) return 'missing';
  if (code === 'ELOOP' || code === 'EMLINK') return 'symlink-skipped';
  if (code === 'ENXIO' || code === 'ENODEV' || code === 'EISDIR') return 'not-file';
  return 'unreadable';
}
