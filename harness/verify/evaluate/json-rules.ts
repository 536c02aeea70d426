import { isRecord } from '../shape/shape.ts';
import { finds, isPattern } from './patterns.ts';

type Schema = boolean | Readonly<Record<string, unknown>>;
/** Whether a value obeys one keyword; `around` is the schema in which the keyword stands. */
type Rule = (wanted: unknown, value: unknown, around: Readonly<Record<string, unknown>>) => boolean;

const NAMES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** The keywords that the format knows. The verifier's own reading; none refers to another schema. */
const KEYWORDS: Readonly<
  Record<string, { readonly isFit: (wanted: unknown) => boolean; readonly obeys: Rule }>
> = {
  type: {
    isFit: (wanted) =>
      toList(wanted).length > 0 && toList(wanted).every((name) => NAMES.some((known) => known === name)),
    obeys: (wanted, value) => toList(wanted).some((name) => namesOf(value).some((known) => known === name)),
  },
  const: { isFit: () => true, obeys: (wanted, value) => equalJson(wanted, value, 'exactly') },
  enum: {
    isFit: isFilledList,
    obeys: (wanted, value) => toList(wanted).some((one) => equalJson(one, value, 'exactly')),
  },
  properties: {
    isFit: (wanted) => isRecord(wanted) && Object.values(wanted).every(isSchema),
    obeys: (wanted, value) =>
      !isRecord(value) ||
      !isRecord(wanted) ||
      Object.keys(wanted).every((name) => !Object.hasOwn(value, name) || obeys(wanted[name], value[name])),
  },
  required: {
    isFit: (wanted) => Array.isArray(wanted) && wanted.every((name) => typeof name === 'string'),
    obeys: (wanted, value) =>
      !isRecord(value) ||
      toList(wanted).every((name) => typeof name === 'string' && Object.hasOwn(value, name)),
  },
  additionalProperties: {
    isFit: isSchema,
    obeys: (wanted, value, { properties }) =>
      !isRecord(value) ||
      Object.keys(value).every(
        (name) => (isRecord(properties) && Object.hasOwn(properties, name)) || obeys(wanted, value[name]),
      ),
  },
  items: {
    isFit: isSchema,
    obeys: (wanted, value) => !Array.isArray(value) || value.every((item) => obeys(wanted, item)),
  },
  minItems: {
    isFit: isCount,
    obeys: (wanted, value) => !Array.isArray(value) || value.length >= Number(wanted),
  },
  maxItems: {
    isFit: isCount,
    obeys: (wanted, value) => !Array.isArray(value) || value.length <= Number(wanted),
  },
  minLength: { isFit: isCount, obeys: (wanted, value) => lengthOf(value, Number(wanted)) >= Number(wanted) },
  maxLength: { isFit: isCount, obeys: (wanted, value) => lengthOf(value, Number(wanted)) <= Number(wanted) },
  pattern: {
    isFit: (wanted) => typeof wanted === 'string' && isPattern(wanted),
    obeys: (wanted, value) =>
      typeof value !== 'string' || (typeof wanted === 'string' && finds(wanted, value)),
  },
  minimum: { isFit: isNumber, obeys: (wanted, value) => !isNumber(value) || value >= Number(wanted) },
  maximum: { isFit: isNumber, obeys: (wanted, value) => !isNumber(value) || value <= Number(wanted) },
  allOf: {
    isFit: (wanted) => isFilledList(wanted) && toList(wanted).every(isSchema),
    obeys: (wanted, value) => toList(wanted).every((one) => obeys(one, value)),
  },
  anyOf: {
    isFit: (wanted) => isFilledList(wanted) && toList(wanted).every(isSchema),
    obeys: (wanted, value) => toList(wanted).some((one) => obeys(one, value)),
  },
  not: { isFit: isSchema, obeys: (wanted, value) => !obeys(wanted, value) },
};

/** Whether it is a schema of the format's subset. Patterns must have been loaded when it has any. */
export function isSchema(value: unknown): value is Schema {
  if (typeof value === 'boolean') return true;
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, wanted]) => Object.hasOwn(KEYWORDS, name) && KEYWORDS[name]?.isFit(wanted) === true,
  );
}

/** Whether a value obeys a schema of the subset; what is none is obeyed by nothing. */
export function obeys(schema: unknown, value: unknown): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isRecord(schema)) return false;
  return Object.entries(schema).every(
    ([name, wanted]) => KEYWORDS[name]?.obeys(wanted, value, schema) === true,
  );
}

/** Whether a JSON value is the wanted one; `at-least` lets objects have members that are not asked for. */
export function equalJson(wanted: unknown, value: unknown, how: 'exactly' | 'at-least'): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((item, index) => equalJson(item, value[index], how))
    );
  }
  if (!isRecord(wanted)) return wanted === value;
  if (!isRecord(value)) return false;
  const names = Object.keys(wanted);
  if (how === 'exactly' && Object.keys(value).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(value, name) && equalJson(wanted[name], value[name], how));
}

function namesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['number', 'integer'] : [typeof value];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Code points of a text; anything else is as long as it should be. */
function lengthOf(value: unknown, otherwise: number): number {
  return typeof value === 'string' ? Array.from(value).length : otherwise;
}
