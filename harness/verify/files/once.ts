/** Results by the identity of a file and what was worked out of it. They go with the identity. */
const results = new WeakMap<object, Map<unknown, unknown>>();

/**
 * Works something out of a file's bytes once for as long as its identity lives, and each time anew when it has
 * none. `what` must name everything but the bytes that decides the result, and nothing else may.
 *
 * Results are frozen: none of them can be changed by whoever had it before.
 */
export function once<T>(identity: object | null, what: unknown, workOut: () => T): T {
  if (identity === null) return workOut();
  const known = results.get(identity) ?? new Map<unknown, unknown>();
  results.set(identity, known);
  if (!known.has(what)) known.set(what, frozen(workOut()));
  return known.get(what) as T;
}

function frozen(value: unknown): unknown {
  return value instanceof Promise ? value.then(freeze) : freeze(value);
}

/**
 * Freezes a value and all below it. Iterative: nesting is an attacker's choice. Buffers cannot be frozen, and
 * nothing writes to them.
 */
export function freeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || ArrayBuffer.isView(next) || Object.isFrozen(next))
      continue;
    Object.freeze(next);
    for (const member of Object.values(next)) if (typeof member === 'object') open.push(member);
  }
  return value;
}
