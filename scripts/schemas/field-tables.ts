import type { JsonSchema } from '../../harness/verify/shape/schema.ts';

/** One field of a document. */
export interface Field {
  /** From the root, such as `attempts[].steps[].argv[]`. */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** Every field of a document, each path once; where forms differ by `kind`, their types are joined. */
export function fieldsOf(schema: JsonSchema): readonly Field[] {
  const fields = new Map<string, Field>();
  visit(schema, '', { root: schema, fields, open: [] });
  return [...fields.values()];
}

interface Visit {
  readonly root: JsonSchema;
  readonly fields: Map<string, Field>;
  /** Definitions that are being visited: one inside itself is not told again. */
  readonly open: readonly string[];
}

function visit(schema: JsonSchema, path: string, state: Visit): void {
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    if (!state.open.includes($ref))
      visit(resolve($ref, state.root), path, { ...state, open: [...state.open, $ref] });
    return;
  }
  for (const choice of asSchemas(schema['oneOf'] ?? schema['anyOf'])) visit(choice, path, state);
  if ('items' in schema) visit(asSchema(schema['items']), `${path}[]`, state);
  if (typeof schema['additionalProperties'] === 'object') {
    visit(asSchema(schema['additionalProperties']), `${path}.*`, state);
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, value] of Object.entries(asSchema(schema['properties'] ?? {}))) {
    const at = path === '' ? name : `${path}.${name}`;
    const type = typeOf(asSchema(value), state.root);
    const known = state.fields.get(at);
    const types = new Set([...(known?.type.split(' or ') ?? []), ...type.split(' or ')]);
    state.fields.set(at, {
      path: at,
      name,
      type: [...types].join(' or '),
      required: required.includes(name),
    });
    visit(asSchema(value), at, state);
  }
}

function typeOf(schema: JsonSchema, root: JsonSchema): string {
  if (typeof schema['$ref'] === 'string') return typeOf(resolve(schema['$ref'], root), root);
  if ('const' in schema) return `\`${JSON.stringify(schema['const'])}\``;
  if (Array.isArray(schema['enum'])) {
    return schema['enum'].length > 8
      ? 'one of a closed list'
      : schema['enum'].map((one) => `\`${JSON.stringify(one)}\``).join(' or ');
  }
  const choices = asSchemas(schema['oneOf'] ?? schema['anyOf']).map((choice) => typeOf(choice, root));
  if (choices.length > 0) return [...new Set(choices)].join(' or ');
  const { type } = schema;
  return (Array.isArray(type) ? type : [type])
    .map((one) => (one === 'array' ? 'list' : String(one)))
    .join(' or ');
}

/** What a number counts, by the ending of the field's name. */
export function unitOf({ name }: Field): string {
  if (name.endsWith('Ms')) return 'ms';
  if (name.endsWith('Bytes')) return 'bytes';
  if (/sha256$/i.test(name) || name === 'sha512' || name === 'diffIds') return 'hex';
  if (name === 'cpuMillis') return '1/1000 processor';
  return /At$/.test(name) ? 'RFC 3339' : '';
}

function resolve(reference: string, root: JsonSchema): JsonSchema {
  return asSchema(Reflect.get(asSchema(root['$defs']), reference.slice('#/$defs/'.length)));
}

function asSchema(value: unknown): JsonSchema {
  if (typeof value !== 'object' || value === null) throw new Error('expected a schema');
  return value as JsonSchema;
}

function asSchemas(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}
