import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readAsset } from '../document/assets.ts';
import { reseal } from '../evidence/testing/forge.ts';
import type { ReplayDocument } from '../replay/replay-document.ts';
import { makeRootfs, packRoot, readBase, TestRegistry } from './testing/base-lab.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseStdout, type Verdict } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { programPackage } from './testing/suites.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];
const NODE = ['--node', '22'];
const NO_DOCKER = { env: { DOCKER_HOST: 'unix:///nonexistent/docker.sock' } };

const SUITE = `# the reasons stand here
formatVersion: 1
id: reads
title: what is stated of a base
proves: that the candidate finds the file of its base
doesNotProve: anything else
cases:
  - id: reads
    why: the base was brought for it
    files: [{ path: input.txt, from: fixtures/Input.txt }]
    steps: [{ argv: ["\${bin:reads}"] }]
`;

/** Reads a file that only the brought base has, and finds a name without a hosts file. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { lookup } from 'node:dns/promises';
  console.log(readFileSync('/etc/of-this-base', 'utf8').trim(), (await lookup('localhost')).address);`;

describe('a base that somebody brings', () => {
  let bench: Workbench;
  let registry: TestRegistry;
  let image = '';
  let own: Answer;

  const check = (out: string, base: string, ...more: readonly string[]): Promise<Answer> =>
    bench.run([
      'check',
      'candidate.tgz',
      '--suite',
      'suite.yaml',
      '--out',
      out,
      '--base',
      base,
      ...NODE,
      ...more,
    ]);
  const prepare = (out: string, ...more: readonly string[]): Promise<Answer> =>
    bench.run(['prepare', 'candidate.tgz', '--suite', 'suite.yaml', '--out', out, ...NODE, ...more]);

  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    registry = await TestRegistry.start();
    await bench.writeFile('candidate.tgz', packFault(programPackage('candidate', { reads: PROGRAM })));
    await bench.writeFile('suite.yaml', SUITE);
    await bench.makeFolder('fixtures');
    await bench.writeFile('fixtures/Input.txt', 'as written\r\n');
    own = await check('own', 'debian', ...RUNC);
    await mkdir(join(bench.work, 'root/etc'), { recursive: true });
    await writeFile(join(bench.work, 'root/etc/of-this-base'), 'brought\n');
    // Where the layers above have files too, and a folder of which nothing else tells.
    await mkdir(join(bench.work, 'root/usr/local/lib/empty'), { recursive: true });
    await writeFile(join(bench.work, 'root/usr/local/lib/own'), 'own\n');
    const rootfs = await makeRootfs(bench.work, join(bench.work, 'own.context/archives/sha256'));
    image = `image:${registry.repository}:1@sha256:${await registry.push(rootfs)}`;
  });

  after(async () => {
    await registry.close();
    await bench.close();
  });

  it('is what the candidate sees; our own base has no such file', async () => {
    const answer = await check('file', 'rootfs:rootfs.tar.gz', '--lock', 'file.lock', ...RUNC);
    assert.equal(answer.exitCode, 0, answer.stderr);
    await assertAccepted(bench, 'file', 0);
    assert.equal(own.exitCode, 1, own.stderr);
  });

  it('leaves the sources of its suite in context and evidence, byte for byte', async () => {
    for (const place of ['file.context/suites', 'file/inputs/suites']) {
      const read = (path: string): Promise<string> =>
        readFile(join(bench.work, place, 'reads', path), 'utf8');
      assert.equal(await read('suite.yaml'), SUITE);
      assert.equal(await read('fixtures/%49nput.txt'), 'as written\r\n');
    }
  });

  it('is demanded from the verifier by kind and by digest', async () => {
    const { rootfs } = readBase(join(bench.work, 'file.context'));
    for (const value of ['rootfs', `rootfs@sha256:${rootfs.sha256}`]) {
      const met = await bench.run(['verify', 'file', '--require', `base=${value}`]);
      assert.equal(met.exitCode, 0, met.stdout);
    }
    for (const value of ['debian', 'image', `rootfs@sha256:${'0'.repeat(64)}`]) {
      const unmet = await bench.run(['verify', 'file', '--json', '--require', `base=${value}`]);
      assert.equal(unmet.exitCode, 4);
      const { findings } = parseStdout<Verdict>(unmet);
      assert.deepEqual(
        findings.map(({ code, path }) => `${code} ${path}`),
        ['REQUIREMENT_UNMET --require'],
      );
    }
  });

  it('is rebuilt by a replay from the archive, without the file', async () => {
    const answer = await bench.run(['replay', 'file', '--json', ...RUNC]);
    assert.equal(answer.exitCode, 0, answer.stderr);
    assert.equal(parseStdout<ReplayDocument>(answer).result, 'identical');
  });

  it('is rebuilt by the verifier from its archive, and left open where that is not given', async () => {
    const { rootfs } = readBase(join(bench.work, 'file.context'));
    const given = join(bench.work, 'given');
    await cp(join(bench.work, 'file.context/archives/sha256'), given, { recursive: true });
    for (const name of ['harness/engine/holder/holder.pl', 'harness/boundary/probe.pl'] as const) {
      await writeFile(join(given, name.replaceAll('/', '-')), readAsset(name));
    }
    const verify = async (evidence: string): Promise<Verdict> =>
      parseStdout<Verdict>(await bench.run(['verify', evidence, '--json', '--archives', given]));
    const whole = await verify('file');
    assert.deepEqual(whole.findings, []);
    assert.deepEqual(
      whole.unchecked.filter((item) => item.includes('layer')),
      [],
    );
    const relaid = join(bench.work, 'relaid');
    await cp(join(bench.work, 'file'), relaid, { recursive: true });
    const inventory = join(relaid, 'image/inventory.ndjson');
    const text = await readFile(inventory, 'utf8');
    await writeFile(inventory, text.replaceAll('"usr/local/lib/empty"', '"usr/local/lib/emptier"'));
    await reseal(relaid);
    const { findings } = await verify('relaid');
    assert.deepEqual(
      findings.map(({ code, path }) => `${code} ${path}`),
      [
        'ARCHIVE_FILE image/inventory.ndjson usr/local/lib/empty',
        'LAYER_DIGEST image/config.json diff_ids[0]',
      ],
    );
    await rm(join(given, rootfs.sha256));
    const lacking = await verify('relaid');
    assert.deepEqual(lacking.findings, []);
    assert.deepEqual(
      lacking.unchecked.filter((item) => item.includes('layer')),
      [`that the base layer of image has its diff id: rootfs@sha256:${rootfs.sha256}: it is not at hand`],
    );
  });

  it('is the lock’s under --frozen, also unnamed, and no other one', async () => {
    const frozen = ['--lock', 'file.lock', '--frozen', ...RUNC];
    const unnamed = await prepare('unnamed', ...frozen);
    assert.equal(unnamed.exitCode, 0, unnamed.stderr);
    assert.deepEqual(readBase(join(bench.work, 'unnamed')).kind, 'rootfs');
    await appendFile(join(bench.work, 'root/etc/of-this-base'), 'changed\n');
    await packRoot(bench.work, 'other.tar.gz');
    for (const base of ['debian', 'rootfs:other.tar.gz']) {
      const answer = await prepare('never', '--base', base, ...frozen);
      assert.equal(answer.exitCode, 2, answer.stderr);
      assert.match(answer.stderr, /lock: base: .*\[LOCK_BASE\]/);
    }
    assert.ok(!(await readdir(bench.work)).includes('never'));
  });

  it('comes out of an image of a registry, and runs on Docker', async () => {
    const answer = await check('image', image, '--lock', 'image.lock', '--engine', 'docker');
    assert.equal(answer.exitCode, 0, answer.stderr);
    const met = await bench.run(['verify', 'image', '--require', `base=${image}`]);
    assert.equal(met.exitCode, 0, met.stdout);
  });

  it('needs no Docker afterwards: neither by its name nor by the lock alone', async () => {
    const { rootfs } = readBase(join(bench.work, 'image.context'));
    for (const [out, which] of [
      ['named', ['--base', image]],
      ['locked', ['--lock', 'image.lock', '--frozen', '--archives', 'image.context/archives']],
    ] as const) {
      const args = [
        'prepare',
        'candidate.tgz',
        '--suite',
        'suite.yaml',
        '--out',
        out,
        ...NODE,
        ...which,
        ...RUNC,
      ];
      const answer = await bench.run(args, NO_DOCKER);
      assert.equal(answer.exitCode, 0, answer.stderr);
      assert.equal(readBase(join(bench.work, out)).rootfs.sha256, rootfs.sha256);
    }
  });

  it('is refused with its own code when it cannot be one, and leaves nothing', async () => {
    const unknown = image.replace(/[0-9a-f]{64}$/, '0'.repeat(64));
    await rm(join(bench.work, 'root/usr/bin/env'));
    await packRoot(bench.work, 'no-env.tar.gz');
    await bench.writeFile('no.tar', 'no tar');
    const refused: readonly (readonly [string, number, string, string[]?])[] = [
      ['rootfs:no-env.tar.gz', 2, 'ROOTFS_INCOMPLETE'],
      ['rootfs:no.tar', 2, 'ROOTFS_UNREADABLE'],
      ['rootfs:absent.tar', 2, 'BASE_FILE_MISSING'],
      ['rootfs:root', 2, 'BASE_FILE_NOT_REGULAR'],
      ['image:debian:12', 2, 'BASE_DIGEST_MISSING'],
      ['alpine', 2, 'BASE_SELECTION_INVALID'],
      [image, 2, 'IMAGE_OTHER_PLATFORM', ['--platform', 'linux/arm64']],
      [unknown, 3, 'IMAGE_PULL_FAILED'],
    ];
    for (const [base, exitCode, code, more = []] of refused) {
      const answer = await prepare('never', '--base', base, ...more, ...RUNC);
      assert.equal(answer.exitCode, exitCode, `${base}: ${answer.stderr}`);
      assert.match(answer.stderr, new RegExp(`\\[${code}\\]`));
    }
    const absent = await bench.run(
      ['prepare', 'candidate.tgz', '--out', 'never', '--base', unknown, ...NODE, ...RUNC],
      NO_DOCKER,
    );
    assert.equal(absent.exitCode, 3);
    assert.match(absent.stderr, /\[BASE_IMAGE_UNAVAILABLE\]/);
    assert.ok(!(await readdir(bench.work)).includes('never'));
    assert.deepEqual(await findLeftovers(bench), []);
  });
});
