import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportEvidence } from './export.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';

const verifier = fileURLToPath(new URL('../verify/main.js', import.meta.url));

/** Root and evidence read-only, a write that must fail, no route to anywhere, and then the verifier. */
const ALONE = `
mount --make-rprivate / && mount -o remount,bind,ro / || exit 88
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 89
touch "$1/written" 2>/dev/null && exit 90
test "$(wc -l < /proc/net/route)" -le 1 || exit 91
exec "$2" "$3" "$1" --json
`;

test('the verifier runs without a network and on a read-only file system', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-alone-'));
  try {
    const input = await sampleExport(folder, [await sampleCase(join(folder, 'spool'), 'help', 'pass')]);
    await exportEvidence(input);
    const answer = execFileSync(
      'unshare',
      ['--net', '--mount', 'sh', '-c', ALONE, 'sh', input.target, process.execPath, verifier],
      { encoding: 'utf8' },
    );
    const verdict: { readonly verdict: string } = JSON.parse(answer);
    assert.equal(verdict.verdict, 'accepted');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
