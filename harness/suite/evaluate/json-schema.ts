import { findsPattern, isPattern } from './patterns.ts';

/**
 * The part of JSON Schema 2020-12 that suites have. No references and no keyword that compares items with each
 * other, so that validation costs at most the size of the schema times that of the value.
 */
export const SCHEMA_KEYWORDS = [
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'allOf',
  'anyOf',
  'not',
] as const;

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** Where a schema is none of the subset: the way to the place, and what is expected there. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

type Members = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** The first fault of a schema, null when it is one of the subset. */
export function faultOfSchema(schema: unknown, path: Path = []): SchemaFault | null {
  if (typeof schema === 'boolean') return null;
  if (!isMembers(schema)) return { path, expected: 'a schema: a mapping, true or false' };
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = faultOfKeyword(keyword, value, [...path, keyword]);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOfKeyword(keyword: string, value: unknown, path: Path): SchemaFault | null {
  const wrong = (expected: string): SchemaFault => ({ path, expected });
  switch (keyword) {
    case 'type': {
      const names: readonly unknown[] = Array.isArray(value) ? value : [value];
      return names.length > 0 && names.every((name) => TYPES.some((known) => known === name))
        ? null
        : wrong(`one of ${TYPES.join(', ')}, or a list of them`);
    }
    case 'const':
      return null;
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? null : wrong('a list of at least one value');
    case 'required':
      return Array.isArray(value) && value.every((name) => typeof name === 'string')
        ? null
        : wrong('a list of names');
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? null : wrong('a whole number from 0');
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' ? null : wrong('a number');
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? null : wrong('an RE2 pattern');
    default:
      return faultOfParts(keyword, value, path);
  }
}

/** Keywords whose values are schemas. */
function faultOfParts(keyword: string, value: unknown, path: Path): SchemaFault | null {
  switch (keyword) {
    case 'items':
    case 'additionalProperties':
    case 'not':
      return faultOfSchema(value, path);
    case 'allOf':
    case 'anyOf':
      if (!Array.isArray(value) || value.length === 0) return { path, expected: 'a list of schemas' };
      return firstFault(
        value.map((part, index): [number, unknown] => [index, part]),
        path,
      );
    case 'properties':
      return isMembers(value) ? firstFault(Object.entries(value), path) : { path, expected: 'a mapping' };
    default:
      return { path, expected: `one of ${SCHEMA_KEYWORDS.join(', ')}` };
  }
}

function firstFault(parts: readonly (readonly [string | number, unknown])[], path: Path): SchemaFault | null {
  for (const [key, part] of parts) {
    const fault = faultOfSchema(part, [...path, key]);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Where a value does not fit a schema of the subset, as a JSON Pointer into the value with the keyword; null
 * when it fits. The schema must be free of faults. Strings are measured in code points, as JSON Schema has it.
 */
export function misfitOf(schema: unknown, value: unknown, pointer = ''): string | null {
  if (typeof schema === 'boolean') return schema ? null : `${pointer} false`;
  const members = schema as Members;
  for (const [keyword, rule] of Object.entries(members)) {
    const misfit = misfitOfKeyword({ keyword, rule, members }, value, pointer);
    if (misfit !== null) return misfit;
  }
  return null;
}

interface Keyword {
  readonly keyword: string;
  readonly rule: unknown;
  /** The schema that it stands in. */
  readonly members: Members;
}

function misfitOfKeyword(
  { keyword, rule, members }: Keyword,
  value: unknown,
  pointer: string,
): string | null {
  const unless = (fits: boolean): string | null => (fits ? null : `${pointer} ${keyword}`);
  const parts = (): readonly unknown[] => rule as readonly unknown[];
  switch (keyword) {
    case 'type':
      return unless((Array.isArray(rule) ? parts() : [rule]).some((name) => isOfType(value, String(name))));
    case 'const':
      return unless(sameJson(rule, value));
    case 'enum':
      return unless(parts().some((one) => sameJson(one, value)));
    case 'not':
      return unless(misfitOf(rule, value, pointer) !== null);
    case 'anyOf':
      return unless(parts().some((one) => misfitOf(one, value, pointer) === null));
    case 'allOf':
      return parts().reduce<string | null>((found, one) => found ?? misfitOf(one, value, pointer), null);
    case 'minimum':
      return unless(typeof value !== 'number' || value >= Number(rule));
    case 'maximum':
      return unless(typeof value !== 'number' || value <= Number(rule));
    case 'pattern':
      return unless(typeof value !== 'string' || findsPattern(String(rule), value));
    case 'minLength':
      return unless(typeof value !== 'string' || [...value].length >= Number(rule));
    case 'maxLength':
      return unless(typeof value !== 'string' || [...value].length <= Number(rule));
    case 'minItems':
      return unless(!Array.isArray(value) || value.length >= Number(rule));
    case 'maxItems':
      return unless(!Array.isArray(value) || value.length <= Number(rule));
    default:
      return misfitInside({ keyword, rule, members }, value, pointer);
  }
}

/** Keywords that look into objects and lists. */
function misfitInside({ keyword, rule, members }: Keyword, value: unknown, pointer: string): string | null {
  if (keyword === 'items') {
    if (!Array.isArray(value)) return null;
    const items: readonly unknown[] = value;
    return firstMisfit(items.map((item, index) => [rule, item, `${pointer}/${index}`]));
  }
  if (!isMembers(value)) return null;
  if (keyword === 'required') {
    const lacking = (rule as readonly string[]).find((name) => !Object.hasOwn(value, name));
    return lacking === undefined ? null : `${pointer} required ${lacking}`;
  }
  const declared = members['properties'];
  const named = isMembers(declared) ? declared : {};
  const entries = Object.entries(value).filter(
    ([name]) => Object.hasOwn(named, name) === (keyword === 'properties'),
  );
  return firstMisfit(
    entries.map(([name, item]) => [
      keyword === 'properties' ? named[name] : rule,
      item,
      `${pointer}/${name}`,
    ]),
  );
}

function firstMisfit(
  pairs: readonly (readonly [schema: unknown, value: unknown, pointer: string])[],
): string | null {
  for (const [schema, value, pointer] of pairs) {
    const misfit = misfitOf(schema, value, pointer);
    if (misfit !== null) return misfit;
  }
  return null;
}

function isOfType(value: unknown, name: string): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMembers(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === name;
  }
}

/** Whether two values of JSON are the same: members in any order. As deep as the first, which a suite bounds. */
export function sameJson(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    const items: readonly unknown[] = actual;
    return expected.every((item, index) => sameJson(item, items[index]));
  }
  if (!isMembers(expected)) return expected === actual;
  if (!isMembers(actual) || Object.keys(actual).length !== Object.keys(expected).length) return false;
  return Object.entries(expected).every(
    ([name, item]) => Object.hasOwn(actual, name) && sameJson(item, actual[name]),
  );
}

/** Whether everything that is expected is there: objects may have more members, lists no more items. */
export function hasJson(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    const items: readonly unknown[] = actual;
    return expected.every((item, index) => hasJson(item, items[index]));
  }
  if (!isMembers(expected)) return expected === actual;
  return (
    isMembers(actual) &&
    Object.entries(expected).every(
      ([name, item]) => Object.hasOwn(actual, name) && hasJson(item, actual[name]),
    )
  );
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
