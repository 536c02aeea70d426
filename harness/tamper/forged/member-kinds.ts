import { type BaseBundle, INDEX } from '../base-bundle.ts';
import { forgeDocument } from '../forgery.ts';
import type { Draft, Kind } from '../kind.ts';
import { documentOf, isRecord, type Node, nodesOf, replaceAt, showPlace } from '../places.ts';
import { leap, nudge, retype, wordsOf } from './value-variants.ts';

/** What becomes of a value: each answer is one change; undefined as an answer removes it. */
type Variants = (node: Node, seen: readonly unknown[]) => readonly unknown[];

/** Documents of which every value is changed in turn. */
function documentsOf(bundle: BaseBundle): readonly string[] {
  return [...bundle.documents(), INDEX, ...bundle.statements];
}

interface Placed extends Node {
  readonly path: string;
  /** The path in names that stand for all of its sort. */
  readonly document: string;
}

/** Values of all documents; worked out once for a bundle, because every kind here goes through all of them. */
const known = new WeakMap<BaseBundle, readonly Placed[]>();

export function placesOf(bundle: BaseBundle): readonly Placed[] {
  const found =
    known.get(bundle) ??
    documentsOf(bundle).flatMap((path) => {
      const document = documentOf(path);
      return nodesOf(bundle.document(path)).map((node) => ({ ...node, path, document }));
    });
  known.set(bundle, found);
  return found;
}

const SEEN_LIMIT = 8;

const knownValues = new WeakMap<readonly Placed[], ReadonlyMap<string, readonly unknown[]>>();

/** Different values that stand at the same field elsewhere. */
function seenValues(places: readonly Placed[]): ReadonlyMap<string, readonly unknown[]> {
  const found = knownValues.get(places) ?? findValues(places);
  knownValues.set(places, found);
  return found;
}

function findValues(places: readonly Placed[]): ReadonlyMap<string, readonly unknown[]> {
  const seen = new Map<string, unknown[]>();
  for (const { document, field, value } of places) {
    if (typeof value === 'object' && value !== null) continue;
    const key = `${document} ${field}`;
    const values = seen.get(key) ?? [];
    if (values.length < SEEN_LIMIT && !values.includes(value)) values.push(value);
    seen.set(key, values);
  }
  return seen;
}

function memberKind(
  id: string,
  what: string,
  options: { readonly variants: Variants; readonly perField: number },
): Kind {
  return {
    id,
    level: 'b',
    what,
    perField: options.perField,
    drafts: function* (bundle) {
      const places = placesOf(bundle);
      const seen = seenValues(places);
      for (const node of places) {
        const others = seen.get(`${node.document} ${node.field}`) ?? [];
        for (const value of options.variants(node, others)) {
          // A form of few values may have none that is far away: all zeros, replaced by zeros.
          if (value !== node.value) yield toDraft(bundle, node, value);
        }
      }
    },
  };
}

function toDraft(bundle: BaseBundle, { path, document, field, place }: Placed, value: unknown): Draft {
  const shown = value === undefined ? 'removed' : show(value);
  return {
    document,
    field,
    place: `${path}${showPlace(place)} → ${shown}`,
    changes: () => forgeDocument(bundle, path, (before) => replaceAt(before, place, value)),
  };
}

/** Short, and cheap: a document as a whole can be the value, and most drafts are never tried. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return `an object of ${Object.keys(value).length}`;
  return JSON.stringify(value).slice(0, 60);
}

function isLeaf({ value }: Node): boolean {
  return typeof value !== 'object' || value === null;
}

const leaves =
  (variants: Variants): Variants =>
  (node, seen) =>
    isLeaf(node) ? variants(node, seen) : [];

const lists =
  (variants: (list: readonly unknown[]) => readonly unknown[]): Variants =>
  ({ value }) =>
    Array.isArray(value) ? variants(value) : [];

function defined(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

/** Every value of every JSON document, changed in turn. */
export const MEMBER_KINDS: readonly Kind[] = [
  memberKind('value-nudged', 'a value changed by as little as may be', {
    variants: leaves(({ value }) => defined(nudge(value))),
    perField: 1,
  }),
  memberKind('value-leaped', 'a value replaced by one far from it', {
    variants: leaves(({ value }) => defined(leap(value))),
    perField: 1,
  }),
  memberKind('value-borrowed', 'a value replaced by one that stands at the same field elsewhere', {
    variants: leaves(({ value }, seen) => seen.filter((other) => other !== value).slice(0, 2)),
    perField: 1,
  }),
  memberKind('value-reworded', 'a word of a closed list replaced by another of it', {
    variants: leaves(({ place, value }) => wordsOf(place, value)),
    perField: 3,
  }),
  memberKind('value-nulled', 'a value taken away, its member left as null', {
    variants: ({ place, value }) => (value === null || place.length === 0 ? [] : [null]),
    perField: 1,
  }),
  memberKind('value-filled', 'a value put where there was null', {
    variants: leaves(({ value }) => (value === null ? ['x', 1] : [])),
    perField: 2,
  }),
  memberKind('value-retyped', 'a value replaced by one of another kind', {
    variants: ({ value }) => [retype(value)],
    perField: 1,
  }),
  memberKind('member-removed', 'a member taken out of an object', {
    variants: ({ place }) => (typeof place.at(-1) === 'string' ? [undefined] : []),
    perField: 1,
  }),
  memberKind('member-added', 'a member added that the format does not know', {
    variants: ({ value }) => (isRecord(value) ? [{ ...value, addedByForger: true }] : []),
    perField: 1,
  }),
  memberKind('item-dropped', 'an item taken out of a list', {
    variants: lists((list) =>
      list.length === 0 ? [] : [list.slice(1), ...(list.length > 1 ? [list.slice(0, -1)] : [])],
    ),
    perField: 1,
  }),
  memberKind('item-doubled', 'an item of a list put in once more', {
    variants: lists((list) =>
      list.length === 0
        ? []
        : [
            [...list, list.at(-1)],
            [list[0], ...list],
          ].slice(0, 2),
    ),
    perField: 1,
  }),
  memberKind('list-reversed', 'a list turned round', {
    variants: lists((list) =>
      JSON.stringify(list) === JSON.stringify(list.toReversed()) ? [] : [list.toReversed()],
    ),
    perField: 1,
  }),
  memberKind('list-emptied', 'a list emptied', {
    variants: lists((list) => (list.length === 0 ? [] : [[]])),
    perField: 1,
  }),
];
