/** Members from the root of a document. */
export type Place = readonly (string | number)[];

export interface Node {
  readonly place: Place;
  /** The place in names that stand for all of its sort. */
  readonly field: string;
  readonly value: unknown;
}

/** Names of members that are part of the format; others are keys of a table, such as a package's path. */
const MEMBER = /^[A-Za-z_][A-Za-z0-9_]{0,30}$/;
/** Members whose own members are keys of a table, whatever they look like. */
const TABLES = new Set(['packages', 'outcomes', 'environment', 'env', 'bin', 'dependencies']);

/** Every value of a document with its place, the document itself first. Iterative over open values. */
export function nodesOf(document: unknown): readonly Node[] {
  const nodes: Node[] = [];
  const open: (Node & { readonly table: boolean })[] = [
    { place: [], field: '', value: document, table: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes.push(next);
    const { place, field, value, table } = next;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        open.push({ place: [...place, index], field: collapse(`${field}[]`), value: item, table: false });
      }
    } else if (isRecord(value)) {
      for (const [key, member] of Object.entries(value)) {
        const name = table || !MEMBER.test(key) ? '*' : key;
        const inner = field === '' ? name : collapse(`${field}.${name}`);
        open.push({ place: [...place, key], field: inner, value: member, table: TABLES.has(key) });
      }
    }
  }
  return nodes;
}

/** Statements of a suite hold statements: however deep, it is the same field. */
function collapse(field: string): string {
  return field.replace(/(\.of(\[\])?){2,}/, '.of*');
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of a document with another value at a place; undefined removes the member or item. */
export function replaceAt(document: unknown, place: Place, value: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return value;
  const copy: object = Array.isArray(document) ? [...document] : { ...(isRecord(document) ? document : {}) };
  const changed = rest.length === 0 ? value : replaceAt(Reflect.get(copy, key), rest, value);
  if (changed !== undefined) Reflect.set(copy, key, changed);
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else Reflect.deleteProperty(copy, key);
  return copy;
}

export function valueAt(document: unknown, ...place: Place): unknown {
  let value = document;
  for (const key of place) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

export function showPlace(place: Place): string {
  return place.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}

/** A path of a file or folder in names that stand for all of its sort. */
export function documentOf(path: string): string {
  return (
    path
      .replace(/^cases\/[^/]+(?=\/|$)/, 'cases/*')
      // Files of a later attempt are of the same sort as those of the first.
      .replace(/\/attempts\/\d+(?=\/|$)/, '')
      .replace(/\/steps\/[^/]+(?=\/|$)/, '/steps/*')
      .replace(/^inputs\/suites\/[^/]+(?=\/|$)/, 'inputs/suites/*')
      .replace(/^image\/node-[^/]+(?=\/|$)/, 'image/node-*')
      .replace(/[0-9a-f]{64}/, '*')
  );
}
