import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportEvidence } from '../evidence/export.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';

const program = fileURLToPath(new URL('./main.js', import.meta.url));
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-cli-signing-'));
  const input = await sampleExport(folder, [await sampleCase(join(folder, 'spool'), 'help', 'pass')]);
  await exportEvidence(input);
});

after(() => rm(folder, { recursive: true, force: true }));

function packproof(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
}

test('a key is made, evidence is signed with it, and both say the same key id', async () => {
  const made = packproof('keygen', '--json');
  assert.equal(made.status, 0, made.stderr);
  const key: { keyId: string; privateFile: string; publicFile: string } = JSON.parse(made.stdout);
  assert.deepEqual([key.privateFile, key.publicFile], ['packproof.key', 'packproof.key.pub']);
  await cp(join(folder, 'evidence'), join(folder, 'signed'), { recursive: true });
  const signed = packproof('sign', 'signed', '--key', 'packproof.key', '--json');
  assert.equal(signed.status, 0, signed.stderr);
  assert.deepEqual(JSON.parse(signed.stdout), {
    formatVersion: 1,
    evidence: 'signed',
    keyId: key.keyId,
    runExitCode: 0,
  });
  const envelope: unknown = JSON.parse(await readFile(join(folder, 'signed', 'statement.dsse.json'), 'utf8'));
  assert.ok(JSON.stringify(envelope).includes(key.keyId));
  const verify = packproof('verify', 'signed', '--key', key.publicFile);
  assert.equal(verify.status, 0, verify.stdout + verify.stderr);
});

test('a signature of another key, and none at all, are told to whoever gives a key', () => {
  assert.equal(packproof('keygen', '--out', 'other.key').status, 0);
  const codes = (evidence: string, key: string): readonly string[] => {
    const answer = packproof('verify', evidence, '--json', '--key', key);
    assert.equal(answer.status, 4, answer.stderr);
    const verdict: { findings: { code: string }[] } = JSON.parse(answer.stdout);
    assert.equal(verdict.findings.length, 3, 'one for each statement');
    return [...new Set(verdict.findings.map(({ code }) => code))];
  };
  assert.deepEqual(codes('signed', 'other.key.pub'), ['SIGNATURE_INVALID']);
  assert.deepEqual(codes('evidence', 'packproof.key.pub'), ['SIGNATURE_MISSING']);
  assert.equal(packproof('verify', 'signed', '--key', 'packproof.key').status, 2);
});

test('a second key is not made over the first, nor a second signature beside the first', () => {
  const again = packproof('keygen');
  assert.equal(again.status, 2);
  assert.match(again.stderr, /KEY_EXISTS|packproof\.key/);
  const twice = packproof('sign', 'signed', '--key', 'packproof.key');
  assert.equal(twice.status, 2);
  assert.match(twice.stderr, /statement\.dsse\.json.*--replace.*\[SIGNED_ALREADY\]/);
});

test('another key signs in the place of the first when that is asked for', async () => {
  await cp(join(folder, 'signed'), join(folder, 'signed-anew'), { recursive: true });
  const anew = packproof('sign', 'signed-anew', '--key', 'other.key', '--replace');
  assert.equal(anew.status, 0, anew.stderr);
  assert.equal(packproof('verify', 'signed-anew', '--key', 'other.key.pub').status, 0);
  assert.equal(packproof('verify', 'signed-anew', '--key', 'packproof.key.pub').status, 4);
  await cp(join(folder, 'signed'), join(folder, 'changed'), { recursive: true });
  await appendFile(join(folder, 'changed', 'report.json'), ' ');
  const kept = await readFile(join(folder, 'changed', 'statement.dsse.json'));
  assert.equal(packproof('sign', 'changed', '--key', 'other.key', '--replace').status, 4);
  assert.deepEqual(await readFile(join(folder, 'changed', 'statement.dsse.json')), kept);
});

test('evidence that the verifier rejects is not signed', async () => {
  await cp(join(folder, 'evidence'), join(folder, 'broken'), { recursive: true });
  await appendFile(join(folder, 'broken', 'report.json'), ' ');
  const refused = packproof('sign', 'broken', '--key', 'packproof.key');
  assert.equal(refused.status, 4, refused.stderr);
  assert.equal(refused.stdout, '');
  assert.ok(!(await readdir(join(folder, 'broken'))).includes('statement.dsse.json'));
});

test('a key that cannot be used ends the command before anything starts', async () => {
  await writeFile(join(folder, 'no-key'), 'no key', { mode: 0o600 });
  assert.equal(packproof('sign', 'evidence', '--key', 'no-key').status, 2);
  assert.equal(packproof('sign', 'evidence', '--key', 'absent').status, 2);
  assert.equal(packproof('sign', 'evidence').status, 2);
  const check = packproof('check', 'absent.tgz', '--sign', 'no-key', '--out', 'out');
  assert.equal(check.status, 2);
  assert.match(check.stderr, /no-key/);
  assert.ok(!(await readdir(folder)).includes('out'));
});

test('there is no evidence to sign in an absent folder', () => {
  const absent = packproof('sign', 'nowhere', '--key', 'packproof.key');
  assert.equal(absent.status, 2);
  assert.match(absent.stderr, /nowhere: .*\[EVIDENCE_MISSING\]/);
});
