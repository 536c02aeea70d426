import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditCandidate } from './audit.ts';
import { CATALOGUE, type FindingCode, listFindingCodes } from './catalogue/catalogue.ts';
import { listGates } from './report.ts';
import { BROKEN_KINDS, BROKEN_NAMES, GOOD_ARCHIVES } from './testing/broken-entries.ts';
import { BROKEN_GZIPS, BROKEN_TARS } from './testing/broken-frames.ts';
import { BROKEN_IMPORTS, GOOD_IMPORTS } from './testing/broken-imports.ts';
import type { BrokenInput } from './testing/broken-input.ts';
import {
  BROKEN_BINS,
  BROKEN_DEPENDENCIES,
  BROKEN_DOCUMENTS,
  BROKEN_EXPORTS,
  BROKEN_MANIFESTS,
  GOOD_MANIFESTS,
} from './testing/broken-manifests.ts';
import { buildGoodPackage, GOOD_MANIFEST } from './testing/package-builder.ts';

const GROUPS: Readonly<Record<string, readonly BrokenInput[]>> = {
  gzip: BROKEN_GZIPS,
  tar: BROKEN_TARS,
  names: BROKEN_NAMES,
  kinds: BROKEN_KINDS,
  documents: BROKEN_DOCUMENTS,
  manifests: BROKEN_MANIFESTS,
  dependencies: BROKEN_DEPENDENCIES,
  exports: BROKEN_EXPORTS,
  bins: BROKEN_BINS,
  imports: BROKEN_IMPORTS,
};

/** Codes that only the waiver file can give; their tests are beside it. */
const WAIVER_CODES: readonly FindingCode[] = ['WAIVER_EXPIRED', 'WAIVER_UNUSED'];

for (const [group, inputs] of Object.entries(GROUPS)) {
  describe(`a broken archive (${group})`, () => {
    for (const input of inputs) {
      it(`gives ${input.code} for ${input.defect}`, () => checkBroken(input));
    }
  });
}

function checkBroken({ code, path, bytes, options, also }: BrokenInput): void {
  const report = auditCandidate(bytes, options);
  const codes = [...new Set(report.findings.map((finding) => finding.code))].sort();
  assert.deepEqual(codes, [...new Set([code, ...(also ?? [])])].sort());
  const paths = report.findings.filter((finding) => finding.code === code).map((finding) => finding.path);
  assert.ok(paths.includes(path), `expected a finding at ${path}, got ${paths.join(' and ')}`);
  for (const finding of report.findings) {
    assert.equal(finding.severity, CATALOGUE[finding.code].severity);
    assert.equal(finding.unsafe, CATALOGUE[finding.code].unsafe);
  }
}

describe('a good archive', () => {
  for (const { title, bytes } of [...GOOD_ARCHIVES, ...GOOD_IMPORTS]) {
    it(`gives nothing: ${title}`, () => {
      assert.deepEqual(auditCandidate(bytes).findings, []);
    });
  }
  for (const { title, bytes, options } of GOOD_MANIFESTS) {
    it(`gives nothing: ${title}`, () => {
      assert.deepEqual(auditCandidate(bytes, options).findings, []);
    });
  }
});

describe('the catalogue', () => {
  const tested = new Set(Object.values(GROUPS).flatMap((inputs) => inputs.map((input) => input.code)));

  it('has a broken input for every code', () => {
    const untested = listFindingCodes().filter((code) => !tested.has(code) && !WAIVER_CODES.includes(code));
    assert.deepEqual(untested, []);
  });

  it('marks as unsafe only what gates, because only a gate stops an install', () => {
    const odd = listFindingCodes().filter(
      (code) => CATALOGUE[code].unsafe && CATALOGUE[code].severity !== 'gate',
    );
    assert.deepEqual(odd, []);
  });

  it('says of every code what it is, why it matters, what to do and where that is known from', () => {
    for (const code of listFindingCodes()) {
      const { title, why, advice, source } = CATALOGUE[code];
      for (const text of [title, why, advice, source]) assert.match(text, /\S{3}/, code);
      assert.doesNotMatch(title, /[A-Z].*\.$/, code);
    }
  });
});

describe('the report', () => {
  const mixed = BROKEN_TARS.find((input) => input.code === 'NAME_GIVEN_TWICE');

  it('is the same for the same bytes', () => {
    for (const input of [...BROKEN_GZIPS, ...BROKEN_TARS]) {
      assert.deepEqual(
        auditCandidate(input.bytes, input.options),
        auditCandidate(input.bytes, input.options),
      );
    }
  });

  it('names every file that loads the same missing package, up to ten, and each once', () => {
    const parts = Array.from({ length: 12 }, (_, index) => `part-${index}.js`);
    const loads = (names: readonly string[]) => names.map((name) => `import './${name}';\n`).join('');
    const bytes = buildGoodPackage({
      files: {
        'cli.js': `#!/usr/bin/env node\n${loads(parts)}`,
        ...Object.fromEntries(parts.map((name) => [name, "import 'semver';\nimport 'semver/x.js';\n"])),
      },
      manifest: { ...GOOD_MANIFEST, devDependencies: { semver: '^7.0.0' } },
    });
    const { findings } = auditCandidate(bytes);
    assert.deepEqual([...new Set(findings.map(({ code }) => code))], ['IMPORT_DEV_ONLY']);
    assert.equal(findings.length, 10);
    assert.equal(new Set(findings.map(({ path }) => path)).size, 10);
  });

  it('puts gates first', () => {
    const findings = mixed === undefined ? [] : auditCandidate(mixed.bytes).findings;
    assert.deepEqual(
      findings.map((finding) => finding.severity),
      ['gate', 'info'],
    );
  });

  it('lists as gates only gate findings', () => {
    const gates = mixed === undefined ? [] : listGates(auditCandidate(mixed.bytes));
    assert.deepEqual(
      gates.map((finding) => finding.code),
      ['NAME_GIVEN_TWICE'],
    );
  });
});
