import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { exportEvidence } from '../evidence/export.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';

let folder = '';
let installed = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-verifier-'));
  const input = await sampleExport(folder, [await sampleCase(join(folder, 'spool'), 'help', 'pass')]);
  await exportEvidence(input);
  installed = join(folder, 'installed');
  for (const part of ['bin', 'package.json', 'docker/seccomp.json']) {
    await mkdir(join(installed, 'docker'), { recursive: true });
    await cp(join(packageRoot(), part), join(installed, part), { recursive: true });
  }
  assert.equal(packproof('keygen', '--out', 'key').status, 0);
});

after(() => rm(folder, { recursive: true, force: true }));

function packproof(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const program = join(installed, 'bin', 'packproof.js');
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
}

/** Programs in the verifier's place, and what is wrong with their answer. */
const BROKEN: Readonly<Record<string, string>> = {
  'breaks off': 'throw new Error("broken");',
  'says nothing': '',
  'says no JSON': 'console.log("fine");',
  'says null': 'console.log("null");',
  'says another word': 'console.log(JSON.stringify({ verdict: "perhaps" }));',
  'accepts with the exit code of a rejection':
    'console.log(JSON.stringify({ verdict: "accepted", runExitCode: 0 })); process.exitCode = 4;',
  'accepts with another exit code than that of the run':
    'console.log(JSON.stringify({ verdict: "accepted", runExitCode: 1 }));',
  'rejects with the exit code of a good run':
    'console.log(JSON.stringify({ verdict: "rejected", findings: [] }));',
  'is killed': 'process.kill(process.pid, "SIGKILL");',
};

test('a verifier that answers is passed on', () => {
  assert.equal(packproof('verify', 'evidence').status, 0);
  assert.equal(packproof('verify', 'evidence', '--json').status, 0);
  assert.equal(packproof('verify', 'nowhere').status, 4);
  assert.equal(packproof('verify', 'evidence', '--key', 'nowhere').status, 2);
});

for (const [what, program] of Object.entries(BROKEN)) {
  test(`a verifier that ${what} has not judged: exit code 3, and nothing is signed`, async () => {
    const bin = join(installed, 'bin', 'packproof-verify.js');
    const good = await readFile(bin);
    try {
      await writeFile(bin, program);
      for (const args of [
        ['verify', 'evidence', '--json'],
        ['verify', 'evidence'],
        ['sign', 'evidence', '--key', 'key'],
      ]) {
        const answer = packproof(...args);
        assert.equal(answer.status, 3, `${args.join(' ')}: ${answer.stdout}${answer.stderr}`);
        assert.match(answer.stderr, /VERIFIER_FAILED/);
        assert.equal(answer.stdout, '');
      }
    } finally {
      await writeFile(bin, good);
    }
    assert.ok(!(await readdir(join(folder, 'evidence'))).includes('statement.dsse.json'));
  });
}

test('the verifier is one file that says its version, and its digest is published', async () => {
  const bin = join(installed, 'bin', 'packproof-verify.js');
  const alone = join(folder, 'alone.mjs');
  await cp(bin, alone);
  const run = (...args: readonly string[]): string =>
    spawnSync(process.execPath, [alone, ...args], { encoding: 'utf8' }).stdout;
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  );
  assert.equal(run('--version'), `${manifest.version}\n`);
  assert.match(run('--help'), /^packproof-verify EVIDENCE \[options\]\n/);
  assert.match(run(join(folder, 'evidence')), /^accepted run /);
  const sha256 = createHash('sha256')
    .update(await readFile(bin))
    .digest('hex');
  const sums = await readFile(join(installed, 'bin', 'SHA256SUMS'), 'utf8');
  assert.ok(sums.split('\n').includes(`${sha256}  packproof-verify.js`));
});
