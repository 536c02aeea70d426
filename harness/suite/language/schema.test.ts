import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { packageRoot } from '../../document/assets.ts';
import { readBesideFolder } from './beside.ts';
import { compileSuite } from './compile-suite.ts';
import { SuiteTextError } from './errors.ts';
import { KEYS, WORDS } from './keys.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';
import { MALFORMED } from './testing/malformed.ts';

type Json = unknown;
type Members = Readonly<Record<string, Json>>;

const FIXTURES = join(packageRoot(), 'harness', 'suite', 'language', 'testing', 'fixtures');
const ACCEPTED = join(FIXTURES, 'accepted');
const EVERYTHING = readFileSync(join(ACCEPTED, 'everything.yaml'));
const SCHEMA: Members = JSON.parse(
  readFileSync(join(packageRoot(), 'evidence-schema', 'suite.schema.json'), 'utf8'),
);
const accepts = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(SCHEMA);

/** Null when the parser accepts the text, else the codes of what it refuses. */
function refusalOf(text: string | Uint8Array): readonly string[] | null {
  try {
    compileSuite(Buffer.from(text), {
      file: 'x.yaml',
      candidateFacts: FACTS_OF_TOOL,
      readBeside: readBesideFolder(ACCEPTED),
    });
    return null;
  } catch (error) {
    assert.ok(error instanceof SuiteTextError, String(error));
    return error.problems.map(({ code }) => code);
  }
}

/** What a schema cannot say: what the text was before it became values, and what holds between places. */
const BEYOND_SCHEMA = new Set([
  ...['not-utf8', 'byte-order-mark', 'tab-indent', 'open-quote', 'duplicate-key', 'alias', 'tag', 'own-tag'],
  ...['merge-key', 'directive', 'second-document', 'repeated-case', 'repeated-check', 'unnamed-steps'],
  ...['check-without-step', 'unknown-step', 'no-time', 'climbing-path', 'read-only-place', 'repeated-path'],
  ...['file-outside', 'backtracking-pattern', 'unknown-placeholder', 'unknown-bin', 'unknown-case'],
  ...['later-requirement', 'anything-without-reason', 'dialogue-key'],
  ...['schema-keyword', 'schema-pattern', 'json-infinity', 'files-with-step', 'duration-reversed'],
  ...[
    'short-canary',
    'control-order',
    'control-late',
    'control-alone',
    'undo-of-no-file',
    'control-lays-link',
  ],
  ...['files-of-unknown-control', 'unchanged-after-control', 'matrix-unknown-axis'],
  ...['volatile-reason-blank', 'volatile-pattern', 'volatile-step', 'volatile-stated'],
  ...['limit-looser', 'limit-too-tight', 'limit-of-part-page', 'limit-output', 'limits-too-many'],
  ...['time-that-is-none', 'sparse-too-large', 'percent-path', 'escaped-path', 'percent-target', 'long-name'],
  ...[
    'archive-climbs',
    'archive-twice',
    'archive-strips-file',
    'archive-of-candidate',
    'reference-after-candidate',
  ],
  ...['reference-before-control', 'reference-alone', 'reference-lays-link', 'reference-of-unknown-archive'],
  ...['reference-gates', 'reference-in-condition', 'reference-compared-in-gate', 'reference-elsewhere'],
  ...['node-range', 'node-many'],
  ...['exclusion-stale', 'exclusion-count', 'exception-twice', 'excluded-but-needed'],
]);

/** Codes for what the shape of the values alone decides, which is what the schema says too. */
const STRUCTURAL = new Set([
  ...['KEY_UNKNOWN', 'KEY_MISSING', 'KEY_CONFLICT', 'TYPE_WRONG', 'WORD_UNKNOWN', 'LIST_EMPTY'],
  ...['ARGV_NOT_LIST', 'DURATION_WRONG', 'SIZE_WRONG', 'MODE_WRONG', 'BASE64_WRONG', 'ID_WRONG'],
]);

/** Every value inside, with how to make a copy of the whole in which it is another. */
function* places(value: Json, replace: (other: Json) => Json): Generator<[Json, (other: Json) => Json]> {
  yield [value, replace];
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    for (const [index, item] of items.entries()) {
      yield* places(item, (other) => replace(items.map((one, at) => (at === index ? other : one))));
    }
  } else if (isMembers(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* places(item, (other) => replace({ ...value, [key]: other }));
    }
  }
}

function isMembers(value: Json): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* mutants(root: Json): Generator<Json> {
  for (const [value, replace] of places(root, (other) => other)) {
    for (const other of [null, 7, 'text', true, [], {}]) yield replace(other);
    if (!isMembers(value)) continue;
    yield replace({ ...value, unknownKey: 1 });
    for (const name of Object.keys(value)) {
      yield replace(Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)));
    }
  }
}

describe('the published schema of suite files', () => {
  test('accepts what the parser accepts', () => {
    assert.equal(refusalOf(EVERYTHING), null);
    assert.ok(accepts(parse(EVERYTHING.toString())), JSON.stringify(accepts.errors));
  });

  test('has the keys of the parser, and the file with everything uses each of them', () => {
    const definitions = SCHEMA['$defs'] as Readonly<Record<string, Members>>;
    const keysOf = (schema: Json): readonly string[] => {
      const found = isMembers(schema) ? schema['properties'] : null;
      return isMembers(found) ? Object.keys(found).sort() : [];
    };
    const closed: string[][] = [];
    const collect = (schema: Json): void => {
      if (Array.isArray(schema)) schema.forEach(collect);
      else if (isMembers(schema)) {
        if (isMembers(schema['properties'])) {
          assert.equal(schema['additionalProperties'], false);
          closed.push([...keysOf(schema)]);
        }
        Object.values(schema).forEach(collect);
      }
    };
    collect(SCHEMA);
    const { check, statement, ...others } = KEYS;
    const expected = [...Object.values(others), statement, [...check, ...statement]];
    const toNames = (lists: readonly (readonly string[])[]): readonly string[] =>
      lists.map((list) => [...list].sort().join()).sort();
    assert.deepEqual(toNames(closed), toNames(expected));
    assert.ok(Object.keys(definitions).length > 10);
    const text = EVERYTHING.toString();
    for (const name of Object.values(KEYS).flat())
      assert.match(text, new RegExp(`[\\s{$]\\$?${name.replace('$', '')}:`));
    for (const word of Object.values(WORDS).flat()) assert.ok(text.includes(word), word);
  });

  for (const name of Object.keys(MALFORMED).filter((one) => !BEYOND_SCHEMA.has(one))) {
    test(`refuses ${name}`, () => {
      const bytes = readFileSync(join(FIXTURES, 'malformed', `${name}.yaml`));
      assert.equal(accepts(parse(bytes.toString())), false);
    });
  }

  test('is silent only where this test says so', () => {
    assert.deepEqual(
      [...BEYOND_SCHEMA].filter((name) => !Object.hasOwn(MALFORMED, name)),
      [],
    );
  });

  test('and the parser agree on every file that is one change away', () => {
    let seen = 0;
    for (const mutant of mutants(parse(EVERYTHING.toString()))) {
      const text = JSON.stringify(mutant);
      const codes = refusalOf(text);
      const isAccepted = accepts(mutant);
      const isStructural = codes?.some((code) => STRUCTURAL.has(code)) === true;
      if (codes === null) assert.ok(isAccepted, `${JSON.stringify(accepts.errors)}: ${text.slice(0, 3000)}`);
      if (isStructural) assert.ok(!isAccepted, `${codes.join()}: ${text}`);
      seen += 1;
    }
    assert.ok(seen > 1000, `${seen} files`);
  });
});
