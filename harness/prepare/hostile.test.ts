import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditCandidate } from '../audit/audit.ts';
import { isUnsafe } from '../audit/report.ts';
import { BROKEN_KINDS, BROKEN_NAMES } from '../audit/testing/broken-entries.ts';
import { BROKEN_GZIPS, BROKEN_TARS } from '../audit/testing/broken-frames.ts';
import { prepareContext } from './prepare.ts';
import type { PrepareOptions, PreparePorts } from './prepare-options.ts';
import { inFolder } from './testing/folder.ts';

const ports: PreparePorts<{ document: unknown; unsafe: ReturnType<typeof auditCandidate>['findings'] }> = {
  audit: (bytes) => {
    const document = auditCandidate(bytes);
    return {
      document,
      unsafe: document.findings.filter(({ unsafe, severity }) => unsafe && severity === 'gate'),
    };
  },
  suites: () => [],
  install: () => Promise.reject(new Error('an unsafe archive is not installed')),
  report: () => undefined,
};

function optionsIn(folder: string): PrepareOptions {
  return {
    candidate: 'candidate.tgz',
    siblings: [],
    platform: 'linux/amd64',
    node: [],
    out: join(folder, 'context'),
    cwd: folder,
    withScripts: false,
    lockFile: null,
    frozen: false,
    refresh: false,
    archives: null,
    debianMirror: null,
    cacheFolder: join(folder, 'cache'),
  };
}

const unsafe = [...BROKEN_GZIPS, ...BROKEN_TARS, ...BROKEN_NAMES, ...BROKEN_KINDS].filter(({ bytes }) =>
  isUnsafe(auditCandidate(bytes)),
);

test('there are unsafe archives to try', () => {
  assert.ok(unsafe.length > 20, `${unsafe.length} archives`);
});

for (const [index, input] of unsafe.entries()) {
  test(`an unsafe archive stops after the audit and writes nothing outside (${index}: ${input.defect})`, () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'candidate.tgz'), input.bytes);
      const { document } = await prepareContext(optionsIn(folder), ports);
      assert.equal(document.blocked?.stage, 'audit');
      assert.equal(document.npm, null);
      assert.deepEqual(document.dependencies, []);
      assert.deepEqual((await readdir(folder)).sort(), ['cache', 'candidate.tgz', 'context']);
      assert.deepEqual((await readdir(join(folder, 'cache'))).sort(), ['archives', 'temporary']);
      assert.deepEqual(await readdir(join(folder, 'cache', 'temporary')), []);
      const stored = await readdir(join(folder, 'context', 'archives', 'sha256'));
      assert.deepEqual(stored, [document.candidate.sha256]);
    }));
}
