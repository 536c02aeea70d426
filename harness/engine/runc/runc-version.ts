import { EngineError } from '../errors.ts';

/**
 * The oldest upstream release that is taken: 1.1.12 closed CVE-2024-21626 (a leaked descriptor and cwd that
 * lead out of the container).
 *
 * Later advisories need what a box of ours never has: CVE-2025-31133, -52565 and -52881 need a mount or a
 * console that is shared with a running attacker while the box is set up, and CVE-2026-41579 a link at /dev;
 * here the root is read-only, built by us without links at mount points, and nothing of a candidate runs
 * before the set-up is over. Nor does the floor stand alone: the holder closes every descriptor it was
 * given, and the probe measures the box.
 */
export const RUNC_FLOOR = [1, 1, 12] as const;

/** Distribution packages below the floor whose changelog names the fix. Source: DSA-5615-1. */
const BACKPORTS: readonly RegExp[] = [/^1\.1\.5\+ds1-1\+deb12u[1-9][0-9]*$/];

export interface RuncVersion {
  /** As runc prints it: `1.1.5+ds1`. */
  readonly version: string;
  /** The commit, which is the package version in Debian's builds; empty when not printed. */
  readonly commit: string;
}

/**
 * Reads what `runc --version` printed.
 * @throws {EngineError} ENGINE_FAILED when it is of another form.
 */
export function parseRuncVersion(text: string): RuncVersion {
  const version = /^runc version (\S+)$/m.exec(text)?.[1];
  if (version === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new EngineError('ENGINE_FAILED', { where: 'runc --version', expected: 'a version', actual: text });
  }
  return { version, commit: /^commit: (\S+)$/m.exec(text)?.[1] ?? '' };
}

/** @throws {EngineError} ENGINE_TOO_OLD below {@link RUNC_FLOOR}, unless the package carries the fix. */
export function requireSafeVersion({ version, commit }: RuncVersion): void {
  const isBackport = BACKPORTS.some((pattern) => pattern.test(commit));
  if (!isBackport && !isAtLeastFloor(version)) {
    throw new EngineError('ENGINE_TOO_OLD', {
      where: 'runc',
      expected: `${RUNC_FLOOR.join('.')} or a package that carries its fixes`,
      actual: `${version} ${commit}`.trim(),
    });
  }
}

function isAtLeastFloor(version: string): boolean {
  const [release = '', candidate] = version.split('-', 2);
  const parts = release.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, floor] of RUNC_FLOOR.entries()) {
    const part = parts[index] ?? 0;
    if (part !== floor) {
      return part > floor;
    }
  }
  // The very release as a candidate (`1.1.12-rc.1`) came before it.
  return !(candidate ?? '').startsWith('rc');
}
