import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Platform } from '../boundary/boundary.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, parseStdout } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { requireDocker, Workbench } from './testing/workbench.ts';

interface Prepared {
  readonly result: string;
  readonly exitCode: number;
  readonly contextSha256: string;
  readonly platform: Platform;
  readonly nodes: readonly string[];
  readonly packages: number;
}

interface Readback {
  readonly configDigest: string;
  readonly diffIds: readonly string[];
  readonly filesCompared: number;
}

/** SIOCSIFFLAGS with IFF_UP: a new network namespace has its loopback down, and a resolver serves there. */
const LOOPBACK_UP = 'socket(S,2,2,0);$r=pack("a16 s x22","lo",1);ioctl(S,0x8914,$r) or die;exec @ARGV or die';
const NO_NETWORK = ['unshare', '--net', 'perl', '-e', LOOPBACK_UP];

describe('contexts and images, through the real program', () => {
  let bench: Workbench;
  /** Another machine, as far as one can be had here: nothing but pinned archives, and other surroundings. */
  let other: Workbench;
  let first: Prepared;
  const NODE_22 = ['--node', '22'];
  const RUNC = ['--engine', 'runc'];

  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    other = await Workbench.open('own');
    const base = programPackage('uses-ms', { 'uses-ms': "import ms from 'ms'; console.log(ms('1d'));" });
    const bytes = packFault({ ...base, manifest: { ...base.manifest, dependencies: { ms: '2.1.3' } } });
    for (const place of [bench, other]) {
      await place.writeFile('candidate.tgz', bytes);
      await place.writeFile('suite.json', suiteBytes([binCase('runs', 'uses-ms')]));
    }
    first = await prepare(bench, ['--out', 'context']);
  });
  after(async () => {
    for (const place of [bench, other]) {
      assert.deepEqual(await findLeftovers(place), []);
      await place.close();
    }
  });

  async function prepare(
    place: Workbench,
    args: readonly string[],
    options: Parameters<Workbench['run']>[1] = {},
  ): Promise<Prepared> {
    const all = ['prepare', 'candidate.tgz', '--suite', 'suite.json', ...NODE_22, ...RUNC, ...args, '--json'];
    const answer = await place.run(all, options);
    assert.equal(answer.exitCode, 0, answer.stderr);
    return parseStdout<Prepared>(answer);
  }

  it('a context runs, also from another place and another folder, and stays as it is', async () => {
    assert.deepEqual([first.result, first.packages], ['passed', 2]);
    const moved = join(await bench.makeFolder('moved'), 'away');
    await cp(join(bench.work, 'context'), moved, { recursive: true });
    const before = await listDigests(moved);
    const cwd = await bench.makeFolder('elsewhere');
    const answer = await bench.run(['run', '../moved/away', '--out', 'evidence', '--json', ...RUNC], { cwd });
    assert.equal(answer.exitCode, 0, answer.stderr);
    assert.equal(parseResult(answer).evidence, 'evidence');
    await assertAccepted(bench, join(cwd, 'evidence'), 0);
    assert.deepEqual(await readdir(cwd), ['evidence']);
    assert.equal(await listDigests(moved), before);
  });

  it('a context with one byte changed is refused', async () => {
    const spoilt = join(bench.work, 'spoilt');
    await cp(join(bench.work, 'context'), spoilt, { recursive: true });
    const lock = join(spoilt, 'package-lock.json');
    await rename(lock, `${lock}.gone`);
    const answer = await bench.run(['run', spoilt, '--out', 'never', ...RUNC]);
    assert.ok(answer.exitCode === 2 || answer.exitCode === 3, answer.stderr);
    assert.match(answer.stderr, /\[CONTEXT_FILE_(MISSING|EXTRA)\]\n$/);
    assert.ok(!(await readdir(bench.work)).includes('never'));
  });

  it('a second prepare asks nobody: it gives the same context without a network', async () => {
    const second = await prepare(bench, ['--out', 'second'], { under: NO_NETWORK });
    assert.equal(second.contextSha256, first.contextSha256);
  });

  it('control: without a network and with an empty cache nothing can be prepared', async () => {
    // The user's own npm setting: without it npm's client waits a minute before it gives up.
    const env = { XDG_CACHE_HOME: join(bench.folder, 'cold'), npm_config_fetch_retries: '0' };
    const answer = await bench.run(['prepare', 'candidate.tgz', ...NODE_22, ...RUNC, '--out', 'never'], {
      under: NO_NETWORK,
      env,
    });
    assert.equal(answer.exitCode, 3, answer.stderr);
    assert.match(answer.stderr, /\[(REGISTRY_UNREACHABLE|BASE_UNREACHABLE)\]\n$/);
    assert.ok(!(await readdir(bench.work)).includes('never'));
  });

  it('a folder of archives is enough for an empty cache without a network', async () => {
    const archives = join(bench.work, 'context', 'archives');
    const env = { XDG_CACHE_HOME: join(bench.folder, 'air') };
    const third = await prepare(bench, ['--archives', archives, '--out', 'third'], {
      under: NO_NETWORK,
      env,
    });
    assert.equal(third.result, 'passed');
    assert.equal(await readInputs(bench, 'third'), await readInputs(bench, 'context'));
  });

  it('both engines and another machine build the same image, bit for bit', async () => {
    const env = { TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' };
    const options = { under: ['sh', '-c', 'umask 077; exec "$@"', 'sh'], env };
    const elsewhere = await prepare(other, ['--out', 'deeper/context', '--engine', 'docker'], options);
    assert.equal(elsewhere.result, 'passed');
    assert.equal(await readInputs(other, 'deeper/context'), await readInputs(bench, 'context'));
    const runs = [
      { place: bench, context: 'context', engine: 'runc', options: {} },
      { place: other, context: 'deeper/context', engine: 'docker', options },
    ];
    const images = [];
    for (const { place, context, engine, options } of runs) {
      const out = join(place.work, `same-${engine}`);
      const answer = await place.run(['run', context, '--out', out, '--engine', engine, '--json'], options);
      assert.equal(answer.exitCode, 0, answer.stderr);
      assert.equal(parseResult(answer).engine?.name, engine);
      images.push(await readImage(out));
    }
    const [ours, theirs] = images;
    assert.ok((ours?.readback.diffIds.length ?? 0) >= 3);
    assert.ok((ours?.readback.filesCompared ?? 0) > 100);
    assert.deepEqual(ours, theirs);
  });

  /** All that a context pins; only when it was resolved may differ. */
  async function readInputs(place: Workbench, context: string): Promise<string> {
    const text = await readFile(join(place.work, context, 'context.json'), 'utf8');
    assert.equal(text.match(/"resolvedAt":/g)?.length, 1);
    return text.replace(/"resolvedAt":"[^"]+"/, '');
  }

  async function readImage(evidence: string) {
    const read = (name: string): Promise<Buffer> => readFile(join(evidence, 'image', name));
    const { configDigest, diffIds, filesCompared }: Readback = JSON.parse(
      (await read('readback.json')).toString(),
    );
    return {
      readback: { configDigest, diffIds, filesCompared },
      config: (await read('config.json')).toString('base64'),
      inventory: (await read('inventory.ndjson')).toString(),
    };
  }

  /** Names and sizes of every file; the bytes are held against `context.json` by the run itself. */
  async function listDigests(folder: string): Promise<string> {
    const names = await readdir(folder, { recursive: true });
    return names.sort().join('\n');
  }
});
