/** A value as a tree of JSON, reached by the names of its fields and the numbers of its elements. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export interface Mutation {
  /** Names and numbers down to what was changed. */
  readonly place: readonly string[];
  readonly kind: 'changed' | 'removed' | 'added';
  readonly value: Json;
}

/**
 * Every document that differs from `value` in one place: each leaf changed, each field and element removed,
 * and an element or field added to each list and object.
 */
export function* mutate(value: Json, place: readonly string[] = []): Generator<Mutation> {
  if (Array.isArray(value)) {
    yield { place, kind: 'added', value: [...value, 'packproof-added'] };
    for (const [index, item] of value.entries()) {
      yield { place: [...place, String(index)], kind: 'removed', value: value.toSpliced(index, 1) };
      for (const inner of mutate(item, [...place, String(index)])) {
        yield { ...inner, value: value.with(index, inner.value) };
      }
    }
  } else if (isObject(value)) {
    yield { place, kind: 'added', value: { ...value, packproofAdded: 'packproof-added' } };
    for (const [name, item] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield { place: [...place, name], kind: 'removed', value: rest };
      for (const inner of mutate(item, [...place, name])) {
        yield { ...inner, value: { ...value, [name]: inner.value } };
      }
    }
  } else {
    yield { place, kind: 'changed', value: changeLeaf(value) };
  }
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changeLeaf(value: Json): Json {
  switch (typeof value) {
    case 'boolean':
      return !value;
    case 'number':
      return value + 1;
    default:
      return `${String(value)}!`;
  }
}
