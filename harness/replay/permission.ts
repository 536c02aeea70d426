import type { Platform } from '../boundary/boundary.ts';
import { ReplayError } from './errors.ts';
import type { RecordedRun } from './recorded-run.ts';

/** What the user lets a stranger's suite do beyond the strictest boundary. */
export interface Permissions {
  /** Cases whose writable mounts allow execution. */
  readonly exec: boolean;
  /** Install scripts, in the box in which npm installs. */
  readonly scripts: boolean;
}

/**
 * Refuses what cannot or must not be run here, before anything is built.
 *
 * @throws {ReplayError} PLATFORM_DIFFERS, EXEC_NOT_ALLOWED with the case, SCRIPTS_NOT_ALLOWED
 */
export function requirePermission(run: RecordedRun, here: Platform, allowed: Permissions): void {
  if (run.report.platform !== here) {
    throw new ReplayError('PLATFORM_DIFFERS', 'replay', {
      where: 'report.json.platform',
      expected: `evidence of ${here}, which this machine runs`,
      actual: run.report.platform,
    });
  }
  const exec = run.suites.flatMap(({ suite }) => suite.cases).find((one) => one.exec);
  if (exec !== undefined && !allowed.exec) {
    throw new ReplayError('EXEC_NOT_ALLOWED', 'replay', {
      where: exec.id,
      expected: 'no case that may execute what it wrote, or --allow-exec',
      actual: 'one',
    });
  }
  if (run.report.scripts === 'on' && !allowed.scripts) {
    throw new ReplayError('SCRIPTS_NOT_ALLOWED', 'replay', {
      where: 'report.json.scripts',
      expected: 'an install without scripts, or --with-scripts',
      actual: 'on',
    });
  }
}
