import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditCandidate } from '../audit/audit.ts';
import { isUnsafe } from '../audit/report.ts';
import { BROKEN_KINDS, BROKEN_NAMES } from '../audit/testing/broken-entries.ts';
import { BROKEN_GZIPS, BROKEN_TARS } from '../audit/testing/broken-frames.ts';
import { prepareContext } from './prepare.ts';
import { inFolder } from './testing/folder.ts';
import { testOptions, testPorts } from './testing/ports.ts';

const install = (): Promise<never> => Promise.reject(new Error('an unsafe archive is not installed'));

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
      const place = { out: join(folder, 'context'), cwd: folder, cacheFolder: join(folder, 'cache') };
      const options = testOptions({ candidate: 'candidate.tgz', ...place });
      const { document } = await prepareContext(options, { ...testPorts(), install });
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
