import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { auditCandidate } from './audit.ts';
import { listGates } from './report.ts';
import { buildGoodPackage, buildPackageTar, GOOD_FILES, GOOD_MANIFEST } from './testing/package-builder.ts';
import { buildGzip, buildPax } from './testing/tar-builder.ts';

const RUNS = { numRuns: 400 };

const PLAN = {
  manifest: GOOD_MANIFEST,
  files: GOOD_FILES,
  extra: [
    buildPax({ path: `package/${'n'.repeat(120)}` }),
    { name: 'package/short', content: 'x'.repeat(700) },
  ],
};
const GOOD_TAR = buildPackageTar(PLAN);
const GOOD = buildGzip(GOOD_TAR);

/** Some bytes of a buffer set to other values. */
const CHANGES = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });

function change(bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, value] of changes) copy[at % copy.length] = value;
  return copy;
}

/** What holds for every report, whatever the bytes: it is a document, and nothing in it can write to a terminal. */
function checkReport(bytes: Buffer): void {
  const report = auditCandidate(bytes);
  for (const { path, expected, actual } of report.findings) {
    assert.doesNotMatch(path + expected + actual, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
  assert.equal(report.candidate.sizeBytes, bytes.length);
}

describe('the audit of any bytes', () => {
  it('never throws on a changed archive', () => {
    fc.assert(
      fc.property(CHANGES, (changes) => checkReport(change(GOOD, changes))),
      RUNS,
    );
  });

  it('never throws on a changed tar, compressed anew', () => {
    fc.assert(
      fc.property(CHANGES, (changes) => checkReport(buildGzip(change(GOOD_TAR, changes)))),
      RUNS,
    );
  });

  it('never throws on a tar whose blocks are exchanged', () => {
    const blocks = GOOD_TAR.length / 512;
    fc.assert(
      fc.property(fc.array(fc.nat(blocks - 1), { maxLength: 30 }), (order) => {
        checkReport(buildGzip(Buffer.concat(order.map((at) => GOOD_TAR.subarray(at * 512, at * 512 + 512)))));
      }),
      RUNS,
    );
  });

  it('never throws on bytes from anywhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), (bytes, packed) => {
        checkReport(packed ? buildGzip(Buffer.from(bytes)) : Buffer.from(bytes));
      }),
      RUNS,
    );
  });

  it('never throws on any package.json', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const field = fc.constantFrom(
      ...[
        'name',
        'version',
        'bin',
        'exports',
        'imports',
        'scripts',
        'engines',
        'dependencies',
        'main',
        'types',
      ],
      ...[
        'bundleDependencies',
        'peerDependencies',
        'peerDependenciesMeta',
        'repository',
        'os',
        'directories',
      ],
    );
    fc.assert(
      fc.property(fc.dictionary(field, value), (fields) => {
        checkReport(buildGoodPackage({ manifest: { ...GOOD_MANIFEST, ...fields } }));
      }),
      RUNS,
    );
  });
});

describe('a shortened archive', () => {
  it('always gates', () => {
    fc.assert(
      fc.property(fc.nat(GOOD.length - 1), (length) => {
        const gates = listGates(auditCandidate(GOOD.subarray(0, length)));
        assert.notDeepEqual(gates, []);
      }),
      RUNS,
    );
  });

  it('always gives a finding when the tar was shortened before it was compressed', () => {
    fc.assert(
      fc.property(fc.nat(GOOD_TAR.length - 513), (length) => {
        const { findings } = auditCandidate(buildGzip(GOOD_TAR.subarray(0, length)));
        assert.notDeepEqual(findings, []);
      }),
      RUNS,
    );
  });

  it('is complete when only zeros behind the end mark are missing', () => {
    const long = buildGzip(Buffer.concat([GOOD_TAR, Buffer.alloc(5000)]));
    assert.deepEqual(auditCandidate(long).findings, []);
    assert.deepEqual(auditCandidate(GOOD).findings, []);
  });
});

describe('the limits', () => {
  /** A gigabyte that took a megabyte to send; it must be refused without being unpacked. */
  it('stop a bomb before it takes memory', () => {
    const zeros = Buffer.alloc(8 * 1024 * 1024);
    const bomb = buildGzip(zeros);
    const before = process.memoryUsage().arrayBuffers;
    const report = auditCandidate(bomb, { limits: { unpackedBytes: 1024 * 1024 } });
    assert.deepEqual(
      report.findings.map((finding) => finding.code),
      ['UNPACKED_TOO_LARGE'],
    );
    assert.ok(process.memoryUsage().arrayBuffers - before < 4 * 1024 * 1024 + zeros.length);
  });

  it('count findings of one code instead of keeping all', () => {
    const extra = Array.from({ length: 120 }, (_, at) => ({ name: `package/aux.${at}`, content: 'x' }));
    const report = auditCandidate(buildGoodPackage({ extra }));
    assert.equal(report.findings.length, 50);
    assert.deepEqual(report.omitted, [{ code: 'NAME_WINDOWS', count: 70 }]);
  });
});
