import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CATALOGUE } from '../audit/catalogue/catalogue.ts';
import { BROKEN_KINDS, BROKEN_NAMES, GOOD_ARCHIVES } from '../audit/testing/broken-entries.ts';
import { BROKEN_GZIPS, BROKEN_TARS } from '../audit/testing/broken-frames.ts';
import type { BrokenInput } from '../audit/testing/broken-input.ts';
import { assertAccepted, parseAudit, parseResult, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, suiteBytes } from './testing/suites.ts';
import { Workbench } from './testing/workbench.ts';

/** Limits that a test makes small cannot be given on a command line; those rows are the audit's own. */
const ROWS: readonly BrokenInput[] = [
  ...BROKEN_GZIPS,
  ...BROKEN_TARS,
  ...BROKEN_NAMES,
  ...BROKEN_KINDS,
].filter(({ options }) => options === undefined);

/** Unsafe rows that also go through the main job: every way out of the folder, and one of each other sort. */
const CHECKED = ['NAME_DOT_DOT', 'NAME_ABSOLUTE', 'LINK_WRITE_THROUGH', 'ENTRY_DEVICE', 'PAX_SIZE_OVERRIDE'];

/** Rows of which two readers may see different parts; their evidence must be accepted all the same. */
const READ_TWICE = [
  ...['ROOT_SECOND', 'ROOT_MISSING', 'NAME_EMPTY', 'NAME_DRIVE', 'NAME_DOT_ROOT'],
  ...['GZIP_CHECKSUM', 'GZIP_TRAILING_BYTES', 'TAR_TRUNCATED', 'TAR_NUMBER_INVALID'],
];

describe('weird archives, through the real program', () => {
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open();
  });
  after(async () => {
    assert.deepEqual(await findLeftovers(bench), []);
    await bench.close();
  });

  describe('audit', { concurrency: 2 }, () => {
    ROWS.forEach(({ code, path, defect, bytes, also }, index) => {
      const { severity, unsafe } = CATALOGUE[code];
      it(`${code} (${severity}${unsafe ? ', unsafe' : ''}): ${defect}`, async () => {
        const file = await bench.writeFile(`row-${index}.tgz`, bytes);
        const answer = await bench.run(['audit', file, '--json']);
        const { findings, result } = parseAudit(answer);
        const found = findings.find((finding) => finding.code === code && finding.path === path);
        assert.deepEqual([found?.severity, found?.unsafe, found?.waived], [severity, unsafe, null]);
        const codes = [...new Set(findings.map((finding) => finding.code))].sort();
        assert.deepEqual(codes, [...new Set([code, ...(also ?? [])])].sort());
        const gates = findings.some((finding) => finding.severity === 'gate');
        assert.deepEqual([answer.exitCode, result], gates ? [1, 'failed'] : [0, 'passed'], answer.stderr);
      });
    });

    GOOD_ARCHIVES.forEach(({ title, bytes }, index) => {
      it(`no finding: ${title}`, async () => {
        const file = await bench.writeFile(`good-${index}.tgz`, bytes);
        const answer = await bench.run(['audit', file, '--json']);
        assert.deepEqual([answer.exitCode, parseAudit(answer).findings], [0, []]);
      });
    });
  });

  describe('check, whose evidence is accepted', { concurrency: 2 }, () => {
    ROWS.filter(({ code }) => READ_TWICE.includes(code)).forEach(({ code, defect, bytes }, index) => {
      it(`${code}: ${defect}`, async () => {
        const name = `twice-${index}`;
        const file = await bench.writeFile(`${name}.tgz`, bytes);
        const suite = await bench.writeFile(`${name}.json`, suiteBytes([binCase('one', 'good-cli')]));
        const flags = ['--suite', suite, '--engine', 'runc', '--node', '22', '--json'];
        const answer = await bench.run(['check', file, '--out', name, ...flags]);
        const { verdict, audit } = parseResult(answer);
        assert.equal(verdict, 'accepted', answer.stderr);
        const gates = audit.some(({ severity }) => severity === 'gate');
        assert.equal(answer.exitCode, gates ? 1 : 0, answer.stderr);
      });
    });
  });

  describe('check', () => {
    for (const code of CHECKED) {
      it(`${code}: nothing is unpacked, every case is unrun, and the evidence says so`, async () => {
        const row = ROWS.find((one) => one.code === code);
        assert.ok(row !== undefined && CATALOGUE[row.code].unsafe, `${code} is a row, and unsafe`);
        const file = await bench.writeFile(`${code}.tgz`, row.bytes);
        await mkdir(bench.stateHome, { recursive: true });
        const before = (await readdir(bench.folder)).sort();
        const out = join(bench.work, code);
        const answer = await bench.run([
          'check',
          file,
          '--out',
          out,
          '--engine',
          'runc',
          '--node',
          '22',
          '--json',
        ]);
        assert.equal(answer.exitCode, 1, answer.stderr);
        const result = parseResult(answer);
        assert.deepEqual([result.result, result.engine, result.verdict], ['failed', null, 'accepted']);
        const blocked = readReport(out).blocked;
        assert.equal(blocked?.stage, 'audit');
        assert.ok(
          [code, ...(row.also ?? [])].some((one) => one === blocked?.code),
          blocked?.code,
        );
        assert.equal(result.failures[0]?.check, blocked?.code);
        assert.ok(result.audit.some((finding) => finding.code === code && finding.severity === 'gate'));
        const total = Object.values(result.counts).reduce((sum, count) => sum + count, 0);
        assert.equal(result.counts['unrun'], total);
        assert.deepEqual(await readFile(join(out, 'inputs', 'candidate.tgz')), row.bytes);
        const verdict = await assertAccepted(bench, out, 1);
        assert.equal(verdict.counts['unrun'], total);
        assert.deepEqual((await readdir(bench.folder)).sort(), before);
      });
    }
  });
});
