import { join } from 'node:path';
import { packageRoot } from '../../../harness/document/assets.ts';

/** Absolute path of the kit in the checkout, also for compiled code. */
export function kitRoot(): string {
  return join(packageRoot(), 'evidence-schema', 'testkit');
}
