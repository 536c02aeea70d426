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
import type { ErrorDocument } from './error-document.ts';
import { errorShape } from './result-shapes.ts';

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
  assert.equal(packproof('verify', 'evidence', '--key', 'nowhere').status, 2);
});

/** Of a command with `--json` that ended before its result: one document, and on stderr the same in one line. */
function assertError(args: readonly string[], exitCode: number, code: string): ErrorDocument {
  const answer = packproof(...args, '--json');
  assert.equal(answer.status, exitCode, answer.stderr);
  assert.match(answer.stdout, /^\{.*\}\n$/, args.join(' '));
  const document: ErrorDocument = JSON.parse(answer.stdout);
  const wrong: string[] = [];
  errorShape.check(document, '', wrong);
  assert.deepEqual(wrong, []);
  assert.deepEqual([document.exitCode, document.error.code], [exitCode, code]);
  assert.ok(answer.stderr.endsWith(` [${code}]\n`), answer.stderr);
  assert.equal(answer.stderr.match(/\n/g)?.length, 1, answer.stderr);
  const plain = packproof(...args);
  assert.deepEqual([plain.status, plain.stdout], [exitCode, '']);
  return document;
}

test('a name of nothing is wrong usage, a folder without a bundle is rejected evidence', async () => {
  await mkdir(join(folder, 'empty'));
  for (const args of [
    ['verify', 'nowhere'],
    ['tamper', 'nowhere'],
    ['replay', 'nowhere'],
    ['merge', 'evidence', 'nowhere', '--out', 'merged'],
    ['sign', 'nowhere', '--key', 'key'],
  ]) {
    const { error } = assertError(args, 2, 'EVIDENCE_MISSING');
    assert.deepEqual(error, {
      code: 'EVIDENCE_MISSING',
      what: 'evidence',
      where: 'nowhere',
      expected: 'a folder of evidence',
      actual: 'nothing of this name',
    });
  }
  for (const args of [
    ['verify', 'empty'],
    ['tamper', 'empty'],
    ['replay', 'empty'],
    ['merge', 'empty', '--out', 'merged'],
    ['sign', 'empty', '--key', 'key'],
  ]) {
    assert.equal(packproof(...args).status, 4, args.join(' '));
  }
});

test('wrong values for the verifier are told with flag, expected and actual value', async () => {
  const sha = 'a'.repeat(63);
  for (const [flag, value, actual] of [
    ['--suite', sha, sha],
    ['--candidate', 'nowhere', 'nowhere (ENOENT)'],
    ['--key', 'nowhere', 'nowhere (ENOENT)'],
    [
      '--key',
      'key',
      'key (a private key in it; its public half is meant, which keygen writes to a file in .pub)',
    ],
    ['--finished-after', 'noon', 'noon'],
    ['--archives', 'nowhere', 'nowhere'],
    ['--replay', 'nowhere', 'nowhere (ENOENT)'],
    ['--require', 'signd', 'signd'],
  ] as const) {
    const { error } = assertError(['verify', 'evidence', flag, value], 2, 'FLAG_VALUE');
    assert.deepEqual([error.what, error.where, error.actual], ['flag', flag, actual]);
  }
});

test('what is wrong before a command begins has a document too, but for scope', () => {
  assertError(['check', 'nowhere.tgz', '--budget', '5'], 2, 'FLAG_VALUE');
  assertError(['chekc'], 2, 'COMMAND_UNKNOWN');
  assertError(['audit', 'nowhere.tgz'], 2, 'CANDIDATE_MISSING');
  assert.deepEqual(packproof('scope', '', '--json').stdout, '');
  assert.match(
    packproof('scope', '.', '--client', 'emacs').stderr,
    /--client: expected one of .*, got emacs \[FLAG_VALUE\]\n$/,
  );
  assertError(['audit', '.'], 2, 'CANDIDATE_IS_FOLDER');
  assertError(['init', 'npm:../x@1'], 2, 'CANDIDATE_SPEC_INVALID');
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
        const said = args.includes('--json') ? JSON.parse(answer.stdout).error.code : answer.stdout;
        assert.equal(said, args.includes('--json') ? 'VERIFIER_FAILED' : '');
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
