import type { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';
import { contentOf } from './change-content.ts';
import { forge } from './forgery.ts';
import type { Draft, Keys, Kind } from './kind.ts';

/** What stands before the document of a draft that was made in a shard. */
export const IN_SHARD = 'shards/*/';

/**
 * Every opportunity that a bundle gives to a kind. Of merged evidence, whose shards are bundles of their own, forgeries
 * (level b) are made in each shard too: all that follows in the shard is recomputed, then all that follows in the whole.
 */
export function* draftsOf(kind: Kind, bundle: BaseBundle, keys: Keys): Generator<Draft> {
  yield* kind.drafts(bundle, keys);
  if (kind.level !== 'b') return;
  for (const { folder, shard } of bundle.shards()) {
    for (const draft of kind.drafts(shard, keys)) {
      yield {
        document: IN_SHARD + draft.document,
        field: draft.field,
        place: `${folder}/${draft.place}`,
        changes: () => lift(draft.changes(), { bundle, folder, shard }),
      };
    }
  }
}

/** The changes of a shard as a forgery of the bundle that it is in. */
function lift(
  changes: readonly Change[],
  {
    bundle,
    folder,
    shard,
  }: { readonly bundle: BaseBundle; readonly folder: string; readonly shard: BaseBundle },
): readonly Change[] {
  const files = new Map<string, Uint8Array | null>();
  for (const change of changes) {
    if (change.kind !== 'file' && change.kind !== 'deleted')
      throw new Error(`a forgery made a ${change.kind}`);
    files.set(`${folder}/${change.path}`, change.kind === 'deleted' ? null : contentOf(shard, change));
  }
  return forge(bundle, { files });
}
