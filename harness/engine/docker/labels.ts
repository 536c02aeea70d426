import type { BoxLabels } from '../engine.ts';
import { formatOwner, type Owner } from '../host/owner.ts';

/** Every container and volume of ours carries these; a sweep asks for them and touches nothing else. */
export const RUN_LABEL = 'packproof.run';
export const BOX_LABEL = 'packproof.box';
export const OWNER_LABEL = 'packproof.owner';
/** RFC 3339: when the holder ends the box by itself at the latest. */
export const ENDS_LABEL = 'packproof.ends';

/** The labels of one box. `endsAfterMs` counts from now. */
export function toLabels(
  labels: BoxLabels,
  owner: Owner,
  endsAfterMs: number,
): Readonly<Record<string, string>> {
  return {
    [RUN_LABEL]: labels.runId,
    [BOX_LABEL]: labels.boxName,
    [OWNER_LABEL]: formatOwner(owner),
    [ENDS_LABEL]: new Date(Date.now() + endsAfterMs).toISOString(),
  };
}
