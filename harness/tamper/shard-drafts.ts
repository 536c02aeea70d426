import type { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';
import { contentOf } from './change-content.ts';
import { retellMerged } from './forged/merged-forgery.ts';
import { forgeSigned, type Sign } from './forgery.ts';
import type { Draft, Keys, Kind } from './kind.ts';

/** What stands before the document of a draft that was made in a shard. */
export const IN_SHARD = 'shards/*/';

/**
 * Every opportunity that a bundle gives to a kind. Of merged evidence, whose shards are bundles of their own, forgeries
 * (level b) are made in each shard too: all that follows in the shard is recomputed, then all that follows in the whole.
 * Where the trusted key signed the shards, their envelopes are forged as well (level c), below a whole that this key
 * signs again where it is at hand.
 */
export function* draftsOf(kind: Kind, bundle: BaseBundle, keys: Keys): Generator<Draft> {
  yield* kind.drafts(bundle, keys);
  if (kind.level === 'a') return;
  for (const { folder, shard } of bundle.shards()) {
    const envelopes = keys.shards.get(folder);
    if (kind.level === 'c' && envelopes === undefined) continue;
    for (const draft of kind.drafts(shard, { ...keys, envelopes: envelopes ?? new Map() })) {
      const place = { bundle, folder, shard };
      // A list cannot hold a link, so that this is no forgery of the whole.
      if (kind.level === 'c' && draft.changes().some((change) => change.kind === 'link')) continue;
      yield {
        document: IN_SHARD + draft.document,
        field: draft.field,
        place: `${folder}/${draft.place}`,
        changes: () =>
          kind.level === 'c' ? liftSigned(draft.changes(), place, keys) : lift(draft.changes(), place),
      };
    }
  }
}

/** A shard, and the whole that it is in. */
interface Place {
  readonly bundle: BaseBundle;
  readonly folder: string;
  readonly shard: BaseBundle;
}

/** The changes of a shard as a forgery of the bundle that it is in. */
function lift(changes: readonly Change[], place: Place): readonly Change[] {
  const { bundle, folder } = place;
  const files = contentsOf(changes, place);
  const told = retellMerged(bundle, folder, files);
  const all = new Map([...inFolder(folder, files), ...(told.files ?? [])]);
  return forgeSigned(bundle, { ...told, files: all }, () => null);
}

/** The same under envelopes of the whole: anew by the trusted key, else as they were. */
function liftSigned(changes: readonly Change[], place: Place, keys: Keys): readonly Change[] {
  const sign: Sign = keys.own?.sign ?? ((_, path) => keys.envelopes.get(path) ?? null);
  const { bundle, folder } = place;
  const others =
    keys.own === null
      ? []
      : [...signedShards(bundle, keys)].filter(([path]) => !path.startsWith(`${folder}/`));
  const files = new Map([...others, ...inFolder(folder, contentsOf(changes, place))]);
  return forgeSigned(bundle, { files }, sign);
}

/** Files of the shards once the trusted key, which is at hand, has signed each of them; by their path in the whole. */
export function signedShards(
  bundle: BaseBundle,
  keys: Pick<Keys, 'shards'>,
): ReadonlyMap<string, Uint8Array | null> {
  return new Map(
    bundle.shards().flatMap(({ folder, shard }) => {
      const envelopes = keys.shards.get(folder);
      if (envelopes === undefined) return [];
      const changes = forgeSigned(shard, {}, (_, path) => envelopes.get(path) ?? null);
      return [...inFolder(folder, contentsOf(changes, { bundle, folder, shard }))];
    }),
  );
}

function contentsOf(changes: readonly Change[], { shard }: Place): ReadonlyMap<string, Uint8Array | null> {
  return new Map(
    changes.map((change): [string, Uint8Array | null] => {
      if (change.kind !== 'file' && change.kind !== 'deleted')
        throw new Error(`a forgery made a ${change.kind}`);
      return [change.path, change.kind === 'deleted' ? null : contentOf(shard, change)];
    }),
  );
}

function inFolder(
  folder: string,
  files: ReadonlyMap<string, Uint8Array | null>,
): ReadonlyMap<string, Uint8Array | null> {
  return new Map([...files].map(([path, bytes]) => [`${folder}/${path}`, bytes]));
}
