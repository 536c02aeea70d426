import fc from 'fast-check';
import type { JsonSchema } from '../../harness/verify/shape/schema.ts';

/** Where a schema refers back to itself, values end at this depth. */
const DEPTH_LIMIT = 6;

/** Texts of forms whose patterns look ahead, from which no text can be derived. */
const PATHS = ['/work/a', '/tmp/..x', '/a/.b/c', 'a', 'a/b.tgz', '.x/y', 'a/..b', 'localhost:5000/a/b:1'];

/** Draws one value that the schema accepts. It knows the keywords that the shapes write, and no others. */
export function valuesOf(root: JsonSchema): fc.Arbitrary<unknown> {
  return fc.gen().map((draw) => drawValue(root, { root, draw, depth: 0 }));
}

interface Drawing {
  readonly root: JsonSchema;
  readonly draw: fc.GeneratorValue;
  readonly depth: number;
}

function drawValue(schema: JsonSchema, drawing: Drawing): unknown {
  const { draw } = drawing;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return draw(oneOf, schema['enum']);
  if (typeof schema['$ref'] === 'string')
    return drawValue(definition(schema['$ref'], drawing.root), deeper(drawing));
  const choices = asSchemas(schema['oneOf'] ?? schema['anyOf']);
  if (choices.length > 0) return drawValue(drawChoice(choices, drawing), drawing);
  const type = schema['type'];
  return drawTyped(Array.isArray(type) ? String(draw(oneOf, type)) : String(type), schema, drawing);
}

function drawTyped(type: string, schema: JsonSchema, drawing: Drawing): unknown {
  const { draw } = drawing;
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return draw(fc.boolean);
    case 'integer':
      return drawInteger(schema, draw);
    case 'number':
      return (
        draw(fc.double, { min: numberOf(schema, 'minimum'), max: numberOf(schema, 'maximum'), noNaN: true }) +
        0
      );
    case 'string':
      return drawText(schema, draw);
    case 'array':
      return drawList(schema, drawing);
    case 'object':
      return drawObject(schema, drawing);
    default:
      throw new Error(`no values of type ${type}`);
  }
}

function oneOf<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

function drawInteger(schema: JsonSchema, draw: fc.GeneratorValue): number {
  const [min, max] = [numberOf(schema, 'minimum'), numberOf(schema, 'maximum')];
  return Number(draw(fc.bigInt, { min: BigInt(min), max: BigInt(max) }));
}

function drawText(schema: JsonSchema, draw: fc.GeneratorValue): string {
  const most = numberOf(schema, 'maxLength', Number.MAX_SAFE_INTEGER);
  if (schema['contentMediaType'] === 'application/json') return draw(oneOf<string>, ['1', '{"a":[]}', '""']);
  const { pattern } = schema;
  if (typeof pattern !== 'string')
    return draw(fc.string, { maxLength: Math.min(most, 12), unit: 'grapheme' });
  const exact = new RegExp(pattern, 'u');
  const fitting = PATHS.filter((path) => exact.test(path));
  if (/\(\?[!=]/.test(pattern)) return draw(oneOf, fitting);
  return draw(textsLike, pattern, most);
}

const textsByPattern = new Map<string, fc.Arbitrary<string>>();

/** Made once: making it costs more than drawing from it. */
function textsLike(pattern: string, most: number): fc.Arbitrary<string> {
  const texts = textsByPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  textsByPattern.set(pattern, texts);
  return texts.filter((text) => [...text].length <= most);
}

function drawList(schema: JsonSchema, drawing: Drawing): readonly unknown[] {
  const least = numberOf(schema, 'minItems', 0);
  const spare = drawing.depth > DEPTH_LIMIT ? 0 : 2;
  const most = Math.min(numberOf(schema, 'maxItems', least + spare), least + spare);
  const length = drawing.draw(fc.integer, { min: least, max: most });
  const items = asSchema(schema['items']);
  return Array.from({ length }, () => drawValue(items, deeper(drawing)));
}

function drawObject(schema: JsonSchema, drawing: Drawing): unknown {
  const inner = deeper(drawing);
  const members = Object.entries(asSchema(schema['properties'] ?? {})).map(
    ([key, value]) => [key, drawValue(asSchema(value), inner)] as const,
  );
  const names = schema['propertyNames'];
  if (names === undefined) return Object.fromEntries(members);
  const keys = drawList({ items: { type: 'string', ...asSchema(names) } }, drawing);
  const item = asSchema(schema['additionalProperties']);
  return Object.fromEntries(keys.map((key) => [String(key), drawValue(item, inner)]));
}

/** Beyond the depth the choices that go no deeper, when there are some. */
function drawChoice(choices: readonly JsonSchema[], { draw, depth }: Drawing): JsonSchema {
  const flat = choices.filter(
    (choice) => !/"items"|"\$ref":"#\/\$defs\/expectation"/.test(JSON.stringify(choice)),
  );
  const allowed = depth > DEPTH_LIMIT && flat.length > 0 ? flat : choices;
  return draw(oneOf, allowed);
}

function deeper(drawing: Drawing): Drawing {
  return { ...drawing, depth: drawing.depth + 1 };
}

function definition(reference: string, root: JsonSchema): JsonSchema {
  return asSchema(Reflect.get(asSchema(root['$defs']), reference.slice('#/$defs/'.length)));
}

function asSchema(value: unknown): JsonSchema {
  if (typeof value !== 'object' || value === null) throw new Error('expected a schema');
  return value as JsonSchema;
}

function asSchemas(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}

function numberOf(schema: JsonSchema, key: string, otherwise = 0): number {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
}
