import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DiskSource } from '../files/disk-source.ts';
import type { FileSource } from '../files/source.ts';
import { parseCanonical } from '../read.ts';
import { bundleShape, type ListedFile } from '../shape/bundle.ts';
import { parseShape } from '../shape/shape.ts';
import { ListedFiles } from './listed-files.ts';
import { INDEX, INDEX_LIMIT_BYTES, readIndex } from './read-index.ts';
import { findTwins } from './twins.ts';

const SHA256 = '0a'.repeat(32);

function listOf(paths: readonly string[], options: { readonly readyEntries?: number } = {}): ListedFiles {
  const files = new ListedFiles(paths.join('').length * 4 + paths.length * 200, options);
  for (const [sizeBytes, path] of paths.entries()) files.add({ path, sizeBytes, sha256: SHA256 });
  files.close();
  return files;
}

/** A folder that has the index alone, whose file gives that many bytes at a time. */
function sourceOf(text: string | Buffer, atOnce = 1 << 20): FileSource {
  const bytes = Buffer.from(text);
  return {
    isFolder: () => true,
    entries: () => [],
    has: () => true,
    identity: () => null,
    memory: () => null,
    open: () => {
      let position = 0;
      return {
        sizeBytes: bytes.length,
        read: (buffer) => {
          const copied = bytes.copy(buffer, 0, position, Math.min(bytes.length, position + atOnce));
          position += copied;
          return copied;
        },
        close: () => {},
      };
    },
  };
}

const entry = (path: string): string => `{"path":${JSON.stringify(path)},"sha256":"${SHA256}","sizeBytes":1}`;
const TAIL = '],"formatVersion":1,"nonce":null,"runId":"r"}';
const indexOf = (...entries: readonly string[]): string => `{"files":[${entries.join(',')}${TAIL}`;

function codesOf(text: string | Buffer, atOnce?: number): readonly string[] {
  const read = readIndex(sourceOf(text, atOnce));
  return 'findings' in read ? read.findings.map(({ code, path }) => `${code} ${path}`) : [];
}

test('an index is read alike whole and one byte at a time, with names that need escapes and without', () => {
  const paths = ['a', 'b/c', 'caf\u00e9', 'q"}{,]', '\ud83d\ude00', 'x\\'];
  for (const atOnce of [1, 2, 7, 1 << 20]) {
    const read = readIndex(sourceOf(indexOf(...paths.map(entry)), atOnce));
    assert.ok('index' in read);
    assert.deepEqual([...read.index.files.keys()], paths);
    assert.deepEqual(read.index.files.at(2), { path: 'caf\u00e9', sha256: SHA256, sizeBytes: 1 });
    assert.deepEqual([read.index.runId, read.index.nonce], ['r', null]);
  }
  assert.deepEqual(codesOf(indexOf()), []);
});

test('every defect of an index has the code and the place that a document would have', () => {
  const good = entry('a');
  const second = `${INDEX}.files[1]`;
  const defects: readonly (readonly [string | Buffer, string])[] = [
    [indexOf(good, good.replace(':1}', ':1.0}')), `DOCUMENT_NOT_CANONICAL ${second}`],
    [indexOf(good, good.replace('"a"', '"\\u0061"')), `DOCUMENT_NOT_CANONICAL ${second}`],
    [
      indexOf(good, good.replace(',"sizeBytes"', ',"sha256":"x","sizeBytes"')),
      `DOCUMENT_DUPLICATE_KEY ${second}`,
    ],
    [indexOf(good, good.replace(':1}', ':-1}')), `DOCUMENT_SHAPE ${second}.sizeBytes`],
    [indexOf(good, good.replace('{', '{"a":1,')), `DOCUMENT_SHAPE ${second}.a`],
    [indexOf(good, '{"path":"b"}'), `DOCUMENT_SHAPE ${second}.sha256`],
    [indexOf(good, good.replace(':1}', ':1')), `DOCUMENT_NOT_JSON ${second}`],
    [indexOf(good, 'null'), `DOCUMENT_SHAPE ${second}`],
    [indexOf(good, ''), `DOCUMENT_NOT_JSON ${INDEX}`],
    [` ${indexOf(good)}`, `DOCUMENT_NOT_CANONICAL ${INDEX}`],
    [indexOf(good).replace(',"formatVersion"', ', "formatVersion"'), `DOCUMENT_NOT_CANONICAL ${INDEX}`],
    [`${indexOf(good)}\n`, `DOCUMENT_NOT_CANONICAL ${INDEX}`],
    [`\ufeff${indexOf(good)}`, `DOCUMENT_NOT_JSON ${INDEX}`],
    [indexOf(good).replace('n":1', 'n":2'), `FORMAT_UNKNOWN ${INDEX}.formatVersion`],
    [indexOf('{"path":"b"}').replace('n":1', 'n":2'), `FORMAT_UNKNOWN ${INDEX}.formatVersion`],
    [indexOf(good).replace('"r"', '"R R"'), `DOCUMENT_SHAPE ${INDEX}.runId`],
    [indexOf(good).replace('"r"}', '"r","z":1}'), `DOCUMENT_SHAPE ${INDEX}.z`],
    [indexOf(good).replace('"nonce"', '"formatVersion":1,"nonce"'), `DOCUMENT_DUPLICATE_KEY ${INDEX}`],
    [indexOf(good).slice(0, -1), `DOCUMENT_NOT_JSON ${INDEX}`],
    [Buffer.from(indexOf(good, entry('\u00e9')), 'latin1'), `DOCUMENT_NOT_UTF8 ${second}`],
    [`${'{"files":['.repeat(100_000)}`, `DOCUMENT_NOT_JSON ${INDEX}`],
  ];
  for (const [text, finding] of defects) {
    const codes = codesOf(text);
    assert.ok(codes.includes(finding), `${text.toString().slice(0, 200)}: ${codes.join(', ') || 'accepted'}`);
    if (text.length < 1000) assert.deepEqual(codesOf(text, 1), codes);
  }
});

test('an index changed anywhere is taken exactly when it would be taken as a whole', () => {
  const text = indexOf(entry('a'), entry('b/caf\u00e9'), entry('q"}'));
  const pieces = fc.constantFrom(
    '"',
    '{',
    '}',
    ',',
    ']',
    '[',
    ' ',
    '\\',
    '0',
    'x',
    ':',
    '\u00e9',
    entry('z'),
    ',',
  );
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(3), fc.oneof(pieces, fc.constant('')), (at, cut, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + cut);
      const parsed = parseCanonical(INDEX, Buffer.from(changed));
      const whole = parsed.kind === 'document' ? parseShape(bundleShape, parsed.value) : { misfits: [] };
      const read = readIndex(sourceOf(changed, 5));
      const taken: readonly ListedFile[] | null = 'index' in read ? [...read.index.files.values()] : null;
      assert.deepEqual(taken, 'value' in whole ? whole.value.files : null);
    }),
    { numRuns: 600, seed: 7 },
  );
});

test('an index beyond its limits is refused before it costs anything', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packproof-list-'));
  try {
    writeFileSync(join(folder, INDEX), indexOf(entry('a')));
    truncateSync(join(folder, INDEX), INDEX_LIMIT_BYTES + 1);
    const read = readIndex(new DiskSource(folder));
    assert.ok('findings' in read);
    assert.deepEqual(
      read.findings.map(({ code, path }) => [code, path]),
      [['DOCUMENT_TOO_LARGE', INDEX]],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  // Too large to be parsed as a whole, so that all that can be said is that it is not in its form.
  const padded = ` ${indexOf(...Array.from({ length: 90_000 }, (_, index) => entry(`a/${index}`)))}`;
  assert.deepEqual(codesOf(padded), [`DOCUMENT_NOT_CANONICAL ${INDEX}`]);
});

test('a folder of very many names is listed like any other, in an order of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packproof-list-'));
  try {
    const names = Array.from({ length: 2500 }, (_, index) => `${index}`.padStart(6, '0').padEnd(220, 'n'));
    for (const name of names.toReversed()) writeFileSync(join(folder, name), '');
    mkdirSync(join(folder, 'z'));
    const found = [...(new DiskSource(folder).entries('') ?? [])];
    assert.deepEqual(
      found.map(({ name }) => name),
      [...names, 'z'],
    );
    assert.deepEqual(
      found.filter(({ kind }) => kind !== 'file'),
      [{ name: 'z', kind: 'folder' }],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A path and the folders above it. */
function namesOf(path: string): readonly string[] {
  return path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}

test('folders are found where hostile paths have very many', () => {
  const deep = Array.from({ length: 12 }, (_, index) => `${index}${'/d'.repeat(2000)}`);
  const files = listOf([...deep, 'a/b']);
  for (const path of ['a', '0', '11', '7/d/d', `3${'/d'.repeat(1999)}`]) assert.ok(files.hasFolder(path));
  for (const path of ['a/b', 'b', '12', '7/d/e', deep[3] ?? '']) assert.ok(!files.hasFolder(path));
});

test('entries are found in every order, as in a map', () => {
  const name = fc.stringMatching(/^[ab\u00e9-]{1,2}(\/[ab\u00e9-]{1,2}){0,2}$/);
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 12 }),
      name,
      fc.constantFrom(0, 100),
      (paths, other, readyEntries) => {
        const files = listOf(paths, { readyEntries });
        const map = new Map(paths.map((path, sizeBytes) => [path, { path, sizeBytes, sha256: SHA256 }]));
        for (const path of [...paths, other]) {
          assert.deepEqual(files.get(path), map.get(path));
          assert.equal(files.has(path), map.has(path));
        }
        for (const path of [...paths, other].flatMap(namesOf)) {
          assert.equal(
            files.hasFolder(path),
            paths.some((one) => one.startsWith(`${path}/`)),
          );
        }
        const inOrder = [...files.inOrder()].map((position) => files.pathAt(position));
        assert.deepEqual(
          inOrder,
          [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});

test('names that differ in letter case alone are found at every depth, and no others', () => {
  const name = fc.stringMatching(/^[abAB.-]{1,2}(\/[abAB.-]{1,2}){0,2}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 8 }), (paths) => {
      const names = new Set(paths.flatMap(namesOf));
      const folded = new Set([...names].map((one) => one.toLowerCase()));
      const twins = [...findTwins(listOf(paths))];
      assert.equal(twins.length > 0, folded.size < names.size, paths.join(' '));
      for (const twin of twins) {
        assert.notEqual(twin.name, twin.like);
        assert.equal(twin.name.toLowerCase(), twin.like.toLowerCase());
        assert.ok(namesOf(paths[twin.position] ?? '').includes(twin.name));
      }
    }),
    { numRuns: 600, seed: 7 },
  );
  const [kelvin] = findTwins(listOf(['k', '\u212a']));
  assert.deepEqual(kelvin, { position: 1, name: '\u212a', like: 'k' });
});
