import type { BaseBundle } from '../base-bundle.ts';
import { type Forgery, forge } from '../forgery.ts';
import type { Draft, Field, Kind } from '../kind.ts';

/** One forgery of the bundle; null: it gives no opportunity. `place` is the document unless it says more. */
export function wholeKind(
  id: string,
  what: string,
  {
    document,
    field,
    place = document,
    make,
  }: Field & { readonly place?: string; readonly make: (bundle: BaseBundle) => Forgery | null },
): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: 1,
    drafts: function* (bundle): Generator<Draft> {
      const forgery = make(bundle);
      if (forgery !== null) yield { document, field, place, changes: () => forge(bundle, forgery) };
    },
  };
}
