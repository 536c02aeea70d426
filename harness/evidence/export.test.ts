import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EvidenceError } from './errors.ts';
import { exportEvidence } from './export.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';

const verifier = fileURLToPath(new URL('../verify/main.js', import.meta.url));
let folder = '';
let evidence = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-evidence-'));
  const cases = [
    await sampleCase(join(folder, 'spool'), 'help', 'pass'),
    await sampleCase(join(folder, 'spool'), 'version', 'pass'),
  ];
  const input = await sampleExport(folder, cases);
  await exportEvidence(input);
  evidence = input.target;
});

after(() => rm(folder, { recursive: true, force: true }));

interface Answer {
  readonly status: number | null;
  readonly codes: readonly string[];
  readonly paths: readonly string[];
}

function verify(root: string, ...args: string[]): Answer {
  const result = spawnSync(process.execPath, [verifier, root, '--json', ...args], { encoding: 'utf8' });
  const verdict: { findings: { code: string; path: string }[] } = JSON.parse(result.stdout);
  return {
    status: result.status,
    codes: verdict.findings.map((finding) => finding.code),
    paths: verdict.findings.map((finding) => finding.path),
  };
}

async function mutated(name: string, mutate: (root: string) => Promise<void>): Promise<Answer> {
  const root = join(folder, name);
  await cp(evidence, root, { recursive: true, verbatimSymlinks: true });
  await mutate(root);
  return verify(root);
}

test('a bundle as exported is accepted and repeats the exit code of its run', () => {
  assert.deepEqual(verify(evidence), { status: 0, codes: [], paths: [] });
});

test('a run with a failed gate is accepted with the exit code 1', async () => {
  const place = join(folder, 'failing');
  const input = await sampleExport(place, [await sampleCase(join(place, 'spool'), 'help', 'fail')]);
  await exportEvidence(input);
  assert.deepEqual(verify(input.target), { status: 1, codes: [], paths: [] });
});

test('sha256sum alone checks every file of the bundle', () => {
  const output = execFileSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], {
    cwd: evidence,
    encoding: 'utf8',
  });
  assert.match(output, /^bundle\.json: OK$/m);
  assert.match(output, /^statement\.json: OK$/m);
});

test('boxes that look alike are one stored view, which every receipt names', async () => {
  const [view, ...more] = await readdir(join(evidence, 'boundary/outside'));
  assert.deepEqual(more, []);
  const named = ['help', 'version'].map((id) => {
    const receipt = JSON.parse(readFileSync(join(evidence, `cases/${id}@22.23.5/receipt.json`), 'utf8'));
    return `${receipt.attempts[0].outsideSha256}.json`;
  });
  assert.deepEqual(named, [view, view]);
});

test('the same input gives the same bytes', async () => {
  const place = join(folder, 'again');
  const cases = [
    await sampleCase(join(folder, 'spool'), 'help', 'pass'),
    await sampleCase(join(folder, 'spool'), 'version', 'pass'),
  ];
  const input = await sampleExport(place, cases);
  await exportEvidence(input);
  assert.deepEqual(
    await readFile(join(input.target, 'bundle.json')),
    await readFile(join(evidence, 'bundle.json')),
  );
});

const STDOUT = 'cases/help@22.23.5/steps/1-main/stdout';

const MUTATIONS: readonly {
  name: string;
  code: string;
  path: string;
  mutate: (root: string) => Promise<void>;
}[] = [
  {
    name: 'a flipped byte',
    code: 'FILE_DIGEST',
    path: STDOUT,
    mutate: (root) => writeFile(join(root, STDOUT), 'helq\n'),
  },
  {
    name: 'an appended byte',
    code: 'FILE_SIZE',
    path: STDOUT,
    mutate: (root) => appendFile(join(root, STDOUT), 'x'),
  },
  { name: 'a missing file', code: 'FILE_MISSING', path: STDOUT, mutate: (root) => rm(join(root, STDOUT)) },
  {
    name: 'an extra file',
    code: 'FILE_EXTRA',
    path: 'extra',
    mutate: (root) => writeFile(join(root, 'extra'), ''),
  },
  {
    name: 'a file replaced by a link to itself',
    code: 'FILE_NOT_REGULAR',
    path: STDOUT,
    mutate: async (root) => {
      await rename(join(root, STDOUT), join(folder, 'moved'));
      await symlink(join(folder, 'moved'), join(root, STDOUT));
    },
  },
  {
    name: 'an index with another spelling',
    code: 'DOCUMENT_NOT_CANONICAL',
    path: 'bundle.json',
    mutate: (root) => appendFile(join(root, 'bundle.json'), '\n'),
  },
  {
    name: 'an index that is no JSON',
    code: 'DOCUMENT_NOT_JSON',
    path: 'bundle.json',
    mutate: (root) => writeFile(join(root, 'bundle.json'), 'no'),
  },
  {
    name: 'no index',
    code: 'INDEX_UNREADABLE',
    path: 'bundle.json',
    mutate: (root) => rm(join(root, 'bundle.json')),
  },
  {
    name: 'another checksum list',
    code: 'SUMS_MISMATCH',
    path: 'SHA256SUMS',
    mutate: (root) => appendFile(join(root, 'SHA256SUMS'), '\n'),
  },
  {
    name: 'no statement',
    code: 'REQUIRED_FILE_MISSING',
    path: 'statement.json',
    mutate: (root) => rm(join(root, 'statement.json')),
  },
];

for (const { name, code, path, mutate } of MUTATIONS) {
  test(`${name} is rejected as ${code}`, async () => {
    const answer = await mutated(`mutation-${name.replace(/[^a-z]/g, '-')}`, mutate);
    assert.equal(answer.status, 4);
    assert.ok(
      answer.codes.some((found, index) => found === code && answer.paths[index] === path),
      JSON.stringify(answer),
    );
  });
}

test('evidence about another candidate or another nonce is rejected', () => {
  assert.deepEqual(verify(evidence, '--candidate', '0'.repeat(128)).codes, ['CANDIDATE_DIGEST']);
  assert.deepEqual(verify(evidence, '--nonce', 'asked').codes, ['NONCE_MISMATCH']);
});

test('an output folder that is not empty is refused and left as it was', async () => {
  const place = join(folder, 'taken');
  const input = await sampleExport(place, [await sampleCase(join(place, 'spool'), 'help', 'pass')]);
  await mkdir(input.target);
  await writeFile(join(input.target, 'mine'), 'kept');
  await assert.rejects(exportEvidence(input), (error: unknown) => {
    assert.ok(error instanceof EvidenceError);
    assert.equal(error.code, 'OUT_NOT_EMPTY');
    assert.equal(error.where, input.target);
    return true;
  });
  assert.deepEqual(await readdir(input.target), ['mine']);
});

test('a spool file that is gone leaves neither a bundle nor a partial one', async () => {
  const place = join(folder, 'lost');
  const run = await sampleCase(join(place, 'spool'), 'help', 'pass');
  const input = await sampleExport(place, [run]);
  await rm(join(place, 'spool'), { recursive: true });
  await assert.rejects(exportEvidence(input), (error: unknown) => {
    assert.ok(error instanceof EvidenceError);
    assert.equal(error.code, 'WRITE_FAILED');
    assert.equal(error.where, STDOUT);
    return true;
  });
  assert.deepEqual(
    (await readdir(place)).filter((name) => name.includes('evidence')),
    [],
  );
});
