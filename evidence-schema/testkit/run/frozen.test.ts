import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { extract } from 'tar';
import { NOTHING_ASKED } from '../../../harness/verify/testing/nothing-asked.ts';
import { verifyBundle } from '../../../harness/verify/verify.ts';
import { kitRoot } from './kit-root.ts';

// The promise: a verifier reads every format up to its own. One bundle of each, as that release made it, stays here
// unchanged for good.

const FORMATS = ['format-1'];

const frozen = join(kitRoot(), '..', 'frozen');
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-frozen-'));
});

after(() => rm(folder, { recursive: true, force: true }));

test('there is a frozen bundle of every format', () => {
  assert.deepEqual(
    readdirSync(frozen).sort(),
    FORMATS.map((name) => `${name}.tgz`),
  );
});

for (const name of FORMATS) {
  test(`the frozen bundle ${name} is accepted and repeats the exit code of its run`, async () => {
    await extract({ file: join(frozen, `${name}.tgz`), cwd: folder });
    const verdict = await verifyBundle(join(folder, name), {
      ...NOTHING_ASKED,
      requirements: [{ kind: 'boundary' }],
    });
    assert.deepEqual(verdict.findings, []);
    assert.equal(verdict.runExitCode, 0);
  });
}
