import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { absolutePath } from './absolute-path.ts';
import { documents } from './documents.ts';
import { fieldsOf } from './field-tables.ts';
import { README, readMeanings, readmeText } from './readme.ts';
import { SCHEMA_FOLDER, schemaFiles, TYPE_FOLDER, typeFiles, WRITTEN_BY_HAND } from './schema-files.ts';
import { toSchema } from './schema-text.ts';
import { readValidators } from './validators.ts';

test('every schema file and type is what its shape says (npm run schemas writes them anew)', () => {
  for (const [path, text] of [...schemaFiles(), ...typeFiles()]) {
    assert.equal(readFileSync(absolutePath(path), 'utf8'), text, path);
  }
});

test('no schema file is left without a document', () => {
  const found = readdirSync(absolutePath(SCHEMA_FOLDER)).filter((name) => name.endsWith('.schema.json'));
  const expected = [...documents.map(({ name }) => `${name}.schema.json`), ...WRITTEN_BY_HAND];
  assert.deepEqual(found.sort(), expected.sort());
});

test('no type file is left without a document', () => {
  const expected = documents.map(({ name }) => `${name}.d.ts`);
  assert.deepEqual(readdirSync(absolutePath(TYPE_FOLDER)).sort(), expected.sort());
});

test('every schema is valid under 2020-12, strictly', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: true });
  for (const [path, text] of schemaFiles())
    assert.equal(typeof ajv.compile(JSON.parse(text)), 'function', path);
});

test('every object of ours is closed', () => {
  for (const [path, text] of schemaFiles()) {
    assert.deepEqual(openObjects(JSON.parse(text), path), []);
  }
});

test('the README has a row for every field of every schema, and no meaning is left over', () => {
  assert.equal(readFileSync(absolutePath(README), 'utf8'), readmeText());
  const names = new Set(
    documents.flatMap((document) => fieldsOf(toSchema(document)).map(({ name }) => name)),
  );
  assert.deepEqual([...readMeanings().keys()].sort(), [...names].sort());
});

test('every document has a whole example that its schema and its reader accept', async () => {
  const validators = await readValidators();
  for (const document of documents) {
    const example: unknown = JSON.parse(
      readFileSync(absolutePath(`${SCHEMA_FOLDER}/examples/${document.name}.json`), 'utf8'),
    );
    assert.deepEqual(document.misfits(example), [], document.name);
    const validate = validators.get(document.name);
    assert.ok(validate?.(example), `${document.name}: ${JSON.stringify(validate?.errors)}`);
  }
});

function openObjects(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isOpen = 'properties' in schema && Reflect.get(schema, 'additionalProperties') !== false;
  return [
    ...(isOpen && Reflect.get(schema, 'type') === 'object' ? [at] : []),
    ...Object.entries(schema).flatMap(([key, value]) => openObjects(value, `${at}/${key}`)),
  ];
}
