import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCandidate, readCandidateFile } from './candidate.ts';
import { faultOf, inFolder } from './testing/folder.ts';

test('a path is a file, and npm: names one published archive', () => {
  assert.deepEqual(parseCandidate('./a.tgz'), { kind: 'file', path: './a.tgz' });
  assert.deepEqual(parseCandidate('npm:@s/a@1.2.3'), { kind: 'registry', name: '@s/a', requested: '1.2.3' });
  assert.deepEqual(parseCandidate('npm:a@next'), { kind: 'registry', name: 'a', requested: 'next' });
  assert.deepEqual(parseCandidate('npm:a'), { kind: 'registry', name: 'a', requested: 'latest' });
});

for (const argument of [
  '',
  'npm:',
  'npm:a@^1.0.0',
  'npm:a@*',
  'npm:a@file:../b',
  'npm:a@https://example.invalid/a.tgz',
  'npm:github:a/b',
  'npm:../a',
  'npm:a@npm:b@1.0.0',
  'npm:A B@1.0.0',
]) {
  test(`the candidate ${JSON.stringify(argument)} is refused`, () => {
    assert.throws(() => parseCandidate(argument), faultOf('CANDIDATE_SPEC_INVALID', argument));
  });
}

test('a regular file is read whole; a link to one counts as the file', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.tgz');
    await writeFile(path, 'bytes');
    await symlink(path, join(folder, 'link.tgz'));
    assert.deepEqual(await readCandidateFile(path), { fileName: 'a.tgz', bytes: Buffer.from('bytes') });
    assert.equal((await readCandidateFile(join(folder, 'link.tgz'))).bytes.toString(), 'bytes');
  }));

test('a missing file, a folder, a FIFO, a socket and a giant are refused, each with its code', () =>
  inFolder(async (folder) => {
    const at = (name: string): string => join(folder, name);
    await assert.rejects(readCandidateFile(at('none.tgz')), faultOf('CANDIDATE_MISSING', at('none.tgz')));
    await mkdir(at('package'));
    await assert.rejects(readCandidateFile(at('package')), faultOf('CANDIDATE_IS_FOLDER', at('package')));
    await assert.rejects(readCandidateFile(at('package')), /run `npm pack` there/u);
    execFileSync('mkfifo', [at('fifo')]);
    await assert.rejects(readCandidateFile(at('fifo')), faultOf('CANDIDATE_NOT_REGULAR', at('fifo')));
    const server = createServer().listen(at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await assert.rejects(readCandidateFile(at('socket')), faultOf('CANDIDATE_NOT_REGULAR', at('socket')));
    server.close();
    await writeFile(at('big.tgz'), '123456');
    await assert.rejects(readCandidateFile(at('big.tgz'), 5), faultOf('CANDIDATE_TOO_LARGE', at('big.tgz')));
  }));
