import type { FindingCode, Findings } from '../finding.ts';
import type { RawLockEntry } from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import { parseManifest } from './bins.ts';
import type { CandidateArchive } from './candidate-archive.ts';

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'] as const;

/**
 * Whether an install script can have changed files of the tree: scripts were allowed, and the lock says of a
 * package that it has one. Of the candidate its own archive must say so too.
 *
 * Source: npm 11, arborist lib/arborist/rebuild.js, which asks the lock for `hasInstallScript` before a manifest.
 */
export function mayScriptsChange(
  report: Pick<Report, 'scripts' | 'candidate'>,
  lock: Readonly<Record<string, RawLockEntry>> | null,
  archive: CandidateArchive,
): boolean {
  if (report.scripts === 'off') return false;
  const home = `node_modules/${report.candidate.name}`;
  return Object.entries(lock ?? {}).some(
    ([path, { hasInstallScript }]) =>
      path !== '' && hasInstallScript === true && (path !== home || hasOwnScript(archive)),
  );
}

function hasOwnScript({ packageJson, entries }: CandidateArchive): boolean {
  const scripts: unknown = parseManifest(packageJson)['scripts'];
  const named = new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []);
  return (
    INSTALL_SCRIPTS.some((name) => named.has(name)) ||
    entries.some(({ path }) => path.split('/').slice(1).join('/') === 'binding.gyp')
  );
}

/**
 * Differences between the tree and what the archives explain: findings where no script can have made them,
 * else only names of files that nobody can vouch for.
 */
export class TreeChanges {
  /** Paths from the install's root. */
  readonly changed = new Set<string>();
  readonly #findings: Findings;
  readonly #mayChange: boolean;

  constructor(findings: Findings, mayChange: boolean) {
    this.#findings = findings;
    this.#mayChange = mayChange;
  }

  /** `at` is the document that tells of it, `path` the changed file as an image has it, without its prefix. */
  same(
    code: FindingCode,
    { at, path }: { readonly at: string; readonly path: string },
    { expected, actual }: { readonly expected: string | null; readonly actual: string },
  ): void {
    if (expected === actual) return;
    if (this.#mayChange) this.changed.add(path);
    else this.#findings.add(code, at, expected, actual);
  }
}
