import type { BaseBundle } from '../base-bundle.ts';
import { type Forgery, forge } from '../forgery.ts';
import type { Draft, Field, Kind } from '../kind.ts';

/** Changes of one field that are tried, where a bundle gives more opportunities. */
const PER_FIELD = 4;

/** A forgery of each thing that is found in a bundle, told by the file it is in; null: that one gives no opportunity. */
export function eachKind<T extends { readonly file: string }>(
  id: string,
  what: string,
  {
    document,
    field,
    find,
    make,
  }: Field & {
    readonly find: (bundle: BaseBundle) => Iterable<T>;
    readonly make: (found: T, bundle: BaseBundle) => Forgery | null;
  },
): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: PER_FIELD,
    drafts: function* (bundle): Generator<Draft> {
      for (const found of find(bundle)) {
        const forgery = make(found, bundle);
        if (forgery === null) continue;
        yield { document, field, place: found.file, changes: () => forge(bundle, forgery) };
      }
    },
  };
}
