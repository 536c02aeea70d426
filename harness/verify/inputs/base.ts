import type { Findings } from '../finding.ts';
import type { Manifest } from '../shape/inputs.ts';

type Archive = Manifest['archives'][number];

/** A root file system that somebody brought, or the files of an image of a registry. */
const BROUGHT = /^(rootfs|image:[^@\s]{1,255})@sha256:([0-9a-f]{64})$/;
/** A package of Debian: the policy's form of names, and a version. */
const PACKAGE = /^[a-z0-9][a-z0-9+.-]{1,99}@[A-Za-z0-9.+:~-]{1,200}$/;

/**
 * The base of a run is one root file system at most, named before the packages that are laid on it. That of a
 * file is named by its own digest; an image by the digest of its registry, which these bytes cannot show.
 */
export function checkBase(archives: readonly Archive[], at: string, findings: Findings): void {
  const base = archives.filter(({ role }) => role === 'base');
  for (const [index, { name, sha256 }] of base.entries()) {
    const [, kind, digest] = BROUGHT.exec(name) ?? [];
    if (kind === undefined) {
      if (!PACKAGE.test(name))
        findings.add('MANIFEST_ENTRY', `${at} base`, 'a package or a root file system', name);
      continue;
    }
    if (index > 0) findings.add('MANIFEST_ENTRY', `${at} base`, 'one root file system, first', name);
    if (kind === 'rootfs') findings.same('MANIFEST_ENTRY', `${at} ${name}`, sha256, digest);
  }
}

/** Whether a base is one that somebody brought, and no package. */
export function isBrought(name: string): boolean {
  return BROUGHT.test(name);
}

/** What `--require base=` can name: the kind, the root file system by its digest, and every package. */
export function basesOf({ archives }: Manifest): readonly string[] {
  const names = archives.filter(({ role }) => role === 'base').map(({ name }) => name);
  const brought = names.map((name) => BROUGHT.exec(name)?.[1]).find((kind) => kind !== undefined);
  return [brought === undefined ? 'debian' : brought.replace(/:.*$/, ''), ...names];
}
