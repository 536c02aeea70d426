/** A JSON Schema of the dialect 2020-12, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Collects what `$defs` of one document holds while its schema is written. */
export interface Definitions {
  /** A reference to the definition of this name, which is written when it is first referred to. */
  refer(name: string, write: () => JsonSchema): JsonSchema;
}

/** The schema of null or what this one accepts. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema['type'] === 'string') return { ...schema, type: [schema['type'], 'null'] };
  const { enum: values } = schema;
  return Array.isArray(values) ? { enum: [...values, null] } : { anyOf: [schema, { type: 'null' }] };
}
