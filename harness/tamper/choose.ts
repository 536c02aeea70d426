import type { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';
import { contentOf, sizeOf } from './change-content.ts';
import { TamperError } from './errors.ts';
import type { Draft, Keys, Kind } from './kind.ts';
import { shuffled } from './random.ts';
import { draftsOf } from './shard-drafts.ts';
import type { Extent } from './tamper-document.ts';

/** Changes of one kind that are tried, out of all that the bundle gives an opportunity for. */
export interface Chosen {
  readonly kind: Kind;
  readonly drafts: readonly Draft[];
  readonly opportunities: number;
}

/** A short form tries so many of a kind, over different fields. */
const SHORT_PER_KIND = 2;

/** Chooses by seed: of every field some, and in the short form not of every field. */
export function choose(
  kind: Kind,
  {
    bundle,
    keys,
    seed,
    extent,
  }: { readonly bundle: BaseBundle; readonly keys: Keys; readonly seed: string; readonly extent: Extent },
): Chosen {
  const byField = new Map<string, Draft[]>();
  let opportunities = 0;
  for (const draft of draftsOf(kind, bundle, keys)) {
    opportunities += 1;
    const field = `${draft.document} ${draft.field}`;
    const drafts = byField.get(field);
    if (drafts === undefined) byField.set(field, [draft]);
    else drafts.push(draft);
  }
  const most = extent === 'all' ? Number.POSITIVE_INFINITY : kind.perField;
  const groups = [...byField.values()].map((drafts) =>
    drafts.length <= most ? drafts : shuffled(drafts, seed, ({ place }) => place).slice(0, most),
  );
  if (extent !== 'short') return { kind, drafts: groups.flat(), opportunities };
  const one = groups.flatMap((drafts) => drafts.slice(0, 1));
  const drafts = shuffled(one, seed, ({ place }) => place).slice(0, SHORT_PER_KIND);
  return { kind, drafts, opportunities };
}

/**
 * A change that leaves the bundle as it is proves nothing when it is accepted, and is a fault of ours.
 *
 * @throws {TamperError} NOTHING_MUTATED
 */
export function requireMutation(
  bundle: BaseBundle,
  {
    kind,
    place,
    changes,
  }: { readonly kind: string; readonly place: string; readonly changes: readonly Change[] },
): void {
  if (changes.some((change) => changesSomething(bundle, change))) return;
  const details = { where: `${kind} at ${place}`, expected: 'a change', actual: 'the bundle as it is' };
  throw new TamperError('NOTHING_MUTATED', 'tamper', details);
}

function changesSomething(bundle: BaseBundle, change: Change): boolean {
  const { path } = change;
  const isFile = bundle.has(path);
  if (change.kind === 'deleted') {
    return isFile || bundle.paths().some((one) => one.startsWith(`${path}/`));
  }
  if (change.kind !== 'file') return true;
  if (!isFile) return true;
  const before = bundle.read(path);
  const sizeBytes = change.pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
  if (sizeBytes !== before.length) return true;
  return !contentOf(bundle, change).equals(before);
}
