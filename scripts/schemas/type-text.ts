import type { JsonSchema } from '../../harness/verify/shape/schema.ts';

/**
 * TypeScript for a schema: the document under the name given, its definitions beside it. It knows the keywords that
 * the shapes write, and no others; bounds and patterns are not types.
 */
export function toTypeText(name: string, schema: JsonSchema): string {
  const definitions = Object.entries(asSchema(schema['$defs'] ?? {}));
  const title = String(schema['title']);
  return [
    '// Written from the schema of the same name: npm run schemas.',
    `/** ${title} */\nexport type ${toTypeName(name)} = ${toType(schema, 0)};`,
    ...definitions.map(
      ([key, value]) => `export type ${toDefinitionName(name, key)} = ${toType(asSchema(value), 0)};`,
    ),
    '',
  ]
    .join('\n\n')
    .replaceAll('#/$defs/', toTypeName(name))
    .trimEnd()
    .concat('\n');
}

/** `files-line` → `FilesLine`. */
export function toTypeName(name: string): string {
  return name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function toDefinitionName(name: string, key: string): string {
  return `${toTypeName(name)}${toTypeName(key)}`;
}

function toType(schema: JsonSchema, depth: number): string {
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if (typeof schema['$ref'] === 'string') return toReference(schema['$ref']);
  const choices = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(choices)) return choices.map((choice) => toType(asSchema(choice), depth)).join(' | ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => toTyped(String(one), schema, depth)).join(' | ');
  return toTyped(String(type), schema, depth);
}

function toReference(reference: string): string {
  const key = reference.slice('#/$defs/'.length);
  return `#/$defs/${toTypeName(key)}`;
}

function toTyped(type: string, schema: JsonSchema, depth: number): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${toType(asSchema(schema['items']), depth)})[]`;
    case 'object':
      return toObject(schema, depth);
    default:
      return type;
  }
}

function toObject(schema: JsonSchema, depth: number): string {
  const { additionalProperties, properties, required } = schema;
  if (properties === undefined) {
    return `{ readonly [name: string]: ${toType(asSchema(additionalProperties), depth)} }`;
  }
  const indent = '  '.repeat(depth + 1);
  const members = Object.entries(asSchema(properties)).map(([key, value]) => {
    const { description } = asSchema(value);
    const note = typeof description === 'string' ? `${indent}/** ${description} */\n` : '';
    const mark = Array.isArray(required) && required.includes(key) ? '' : '?';
    return `${note}${indent}readonly ${toKey(key)}${mark}: ${toType(asSchema(value), depth + 1)};\n`;
  });
  return `{\n${members.join('')}${'  '.repeat(depth)}}`;
}

function toKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

function asSchema(value: unknown): JsonSchema {
  if (typeof value !== 'object' || value === null) throw new Error('expected a schema');
  return value as JsonSchema;
}
