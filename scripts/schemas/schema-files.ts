import { join } from 'node:path';
import { documents } from './documents.ts';
import { toSchema, toText } from './schema-text.ts';
import { toTypeText } from './type-text.ts';

export const SCHEMA_FOLDER = 'evidence-schema';
export const TYPE_FOLDER = 'evidence-schema/types';

/** Written by hand: what people write, and what the inventory says, which knows nothing of the harness. */
export const WRITTEN_BY_HAND: readonly string[] = [
  'fixture.schema.json',
  'scope.schema.json',
  'suite.schema.json',
];

/** Every file that is written from a shape, by its path from the root of the repository. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    documents.map((document) => [
      join(SCHEMA_FOLDER, `${document.name}.schema.json`),
      toText(toSchema(document)),
    ]),
  );
}

/** The types of the same documents, likewise. */
export function typeFiles(): ReadonlyMap<string, string> {
  return new Map(
    documents.map((document) => [
      join(TYPE_FOLDER, `${document.name}.d.ts`),
      toTypeText(document.name, toSchema(document)),
    ]),
  );
}
