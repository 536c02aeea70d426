import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CandidateFacts } from '../facts.ts';
import { FACTS } from '../testing/facts.ts';
import { listEntryPoints } from './entry-points.ts';

function list(facts: Partial<CandidateFacts>): readonly string[] {
  return listEntryPoints({ ...FACTS, exports: undefined, files: [], ...facts }).map(
    (point) => `${point.subpath} ${point.notTried ?? point.ways.join('+')}`,
  );
}

describe('entry points', () => {
  test('are main, or index.js when there is one', () => {
    assert.deepEqual(list({ main: './lib/x.js', type: 'commonjs' }), ['. import+require']);
    assert.deepEqual(list({ main: './lib/x.js', type: 'module' }), ['. import']);
    assert.deepEqual(list({ files: ['index.js'], type: 'commonjs' }), ['. import+require']);
    assert.deepEqual(list({ main: './lib', type: 'commonjs' }), ['. import+require']);
    assert.deepEqual(list({ main: 'index.node' }), ['. data']);
    assert.deepEqual(list({ files: ['cli.js'] }), []);
  });

  test('follow the conditions that Node sets, in the order of the manifest', () => {
    assert.deepEqual(
      list({ exports: { node: { import: './a.mjs', require: './a.cjs' }, default: './b.js' } }),
      ['. import+require'],
    );
    assert.deepEqual(list({ exports: { browser: './b.js', types: './b.d.ts' } }), ['. not-for-node']);
    assert.deepEqual(list({ exports: { import: './a.js' } }), ['. import']);
    assert.deepEqual(list({ exports: { require: './a.js' }, type: 'commonjs' }), ['. require']);
    assert.deepEqual(list({ exports: { node: null, default: './b.js' } }), ['. not-for-node']);
    assert.deepEqual(list({ exports: [{ browser: './b.js' }, './a.cjs'] }), ['. import+require']);
  });

  test('that hold types, data or nothing are listed and not loaded', () => {
    assert.deepEqual(
      list({
        exports: {
          './t': { import: { types: './t.d.mts', default: './t.d.mts' } },
          './s.css': './s.css',
          './LICENSE': './LICENSE',
          './j': './j.json',
          './x': null,
          './n/*': './n/*.js',
          '.': './index.js',
        },
      }),
      [
        '. import',
        './LICENSE data',
        './j data',
        './n/* pattern',
        './s.css data',
        './t types',
        './x not-for-node',
      ],
    );
  });

  test('of a pattern are tried by the first file in byte order that it can mean', () => {
    assert.deepEqual(
      list({
        exports: { './f/*': './lib/*/index.js' },
        files: ['lib/b/index.js', 'lib/a/index.js', 'lib/index.js'],
      }),
      ['./f/a import'],
    );
  });

  test('of a hostile manifest are few and found without end', () => {
    let deep: unknown = './a.js';
    for (let level = 0; level < 1_000; level += 1) deep = { default: deep };
    assert.deepEqual(list({ exports: deep }), ['. not-for-node']);
    assert.deepEqual(list({ exports: { '.': 7, './__proto__': [[[]]] } }), [
      '. not-for-node',
      './__proto__ not-for-node',
    ]);
    assert.deepEqual(list({ exports: 'x' }), ['. data']);
  });
});
