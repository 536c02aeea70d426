import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { file } from '../suite/testing/fault-package.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

const FOLDER = join(packageRoot(), 'cases', 'hostile');

/** The folder `package/` as `npm pack` would pack it. */
function packFolder(): Buffer {
  const root = join(FOLDER, 'package');
  const behaviours = readdirSync(join(root, 'behaviours')).map((name) => join('behaviours', name));
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const manifest: Record<string, unknown> = JSON.parse(read('package.json'));
  const files = behaviours.map((path) => file(path, read(path)));
  return packFault({ manifest, files: [file('hostile.js', read('hostile.js'), 0o755), ...files] });
}

function listen(server: Server, where: string | null): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (where === null) server.listen(0, '127.0.0.1', resolve);
    else server.listen(where, resolve);
  });
}

function reach(options: NetConnectOpts): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => socket.end(resolve));
    socket.once('error', reject);
  });
}

function* filesBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

const ENGINES = ['runc', 'docker'] as const;

/** Programs that are safe outside of a box, and a line that only the boundary keeps them from printing. */
const CONTROLS: readonly (readonly [behaviour: string, line: RegExp, args?: readonly string[]])[] = [
  ['threads', /^1024 threads 0$/ms],
  ['set-id', /^set-id files some$.*^NoNewPrivs 0$/ms, ['/usr/bin']],
  ['execution', /^\. 0$.*^loader done$.*^memory done$/ms, ['.']],
  ['syscalls', /^(socket-vsock|socket-alg|io_uring_setup|keyctl|unshare-user) done$/ms],
  ['environment', /^PACKPROOF_CANARY=canary$/ms],
  ['preload', /^hooked true$.*^options --require=/ms, ['look']],
  ['fingerprint', /^hostname (?!box$)/m],
  ['forgery', /^::error/m],
];

/** An unprivileged user like that of a box. */
const USER = 1000;

/** The package in a folder of that user, in which its programs run as on a person's machine. */
function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'packproof-control-'));
  cpSync(join(FOLDER, 'package'), join(home, 'package'), { recursive: true });
  writeFileSync(join(home, 'hook.cjs'), "require('fs').writeFileSync(process.env.TMPDIR + '/hooked', '')");
  chownSync(home, USER, USER);
  return home;
}

describe('the suite of hostile programs', () => {
  let bench: Workbench;
  let port = 0;
  let visitors = 0;
  const canary = `canary-${randomBytes(12).toString('hex')}`;
  const secrets = { NPM_TOKEN: canary, GITHUB_TOKEN: canary, PACKPROOF_CANARY: canary };
  const count = (): void => {
    visitors += 1;
  };
  const loopback = createServer(count);
  const abstract = createServer(count);

  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    await listen(loopback, null);
    const address = loopback.address();
    port = address !== null && typeof address === 'object' ? address.port : 0;
    await listen(abstract, `\0packproof-${port}`);
    cpSync(join(FOLDER, 'suite.yaml'), join(bench.work, 'suite.yaml'));
    await bench.writeFile('port.txt', `${port}\n`);
    await bench.writeFile('hostile.tgz', packFolder());
    const args = ['prepare', 'hostile.tgz', '--suite', 'suite.yaml', '--out', 'context', '--quiet'];
    const prepared = await bench.run([...args, '--engine', 'runc', '--node', '22']);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
  });
  after(async () => {
    loopback.close();
    abstract.close();
    await bench.close();
  });

  for (const engine of ENGINES) {
    describe(`on ${engine}`, () => {
      let answer: Answer;
      let evidence = '';

      before(async () => {
        evidence = join(bench.work, `evidence-${engine}`);
        const args = ['run', 'context', '--out', evidence, '--engine', engine, '--json'];
        answer = await bench.run([...args, '--case-timeout', '60s'], { env: secrets });
      });

      it('passes: each behaviour is contained or seen, and the evidence is accepted', async () => {
        const result = parseResult(answer);
        assert.deepEqual(
          result.failures.filter(({ severity }) => severity !== 'info'),
          [],
        );
        assert.equal(answer.exitCode, 0, answer.stderr);
        const cases = readFileSync(join(FOLDER, 'suite.yaml'), 'utf8').match(/^ {2}- id: /gm) ?? [];
        assert.equal(result.counts['pass'], cases.length);
        const verdict = await assertAccepted(bench, evidence, 0);
        assert.deepEqual(verdict.counts, result.counts);
      });

      it('reached no listener of the host', () => {
        assert.equal(visitors, 0);
      });

      it('carries nothing of the environment of the host', () => {
        const paths = [...filesBelow(evidence)];
        assert.ok(paths.length > 100, `${paths.length} files`);
        assert.deepEqual(
          paths.filter((path) => readFileSync(path).includes(canary)),
          [],
        );
        // The same search finds what the programs did print.
        assert.ok(paths.some((path) => readFileSync(path).includes('::stop-commands::x')));
      });

      it('recorded a time by the clock of the host', () => {
        const [step] = readReceipt(evidence, 'hostile.clock').attempts[0]?.steps ?? [];
        const said = readFileSync(join(evidence, 'cases/hostile.clock@22.23.5/steps/1-run/stdout'), 'utf8');
        const [time = ''] = said.split('\n');
        const away = Date.parse(time) - Date.parse(step?.startedAt ?? '');
        assert.ok(away >= -1_000 && away <= 60_000, `${away} ms after the start of the step`);
      });

      it('let no program speak to the terminal or to a build system', () => {
        for (const text of [answer.stdout, answer.stderr]) {
          assert.doesNotMatch(text, /[^\n\t\u0020-\u007e\u00a0-\u2027\u2030-\u2065\u206a-\uffff]/);
          assert.doesNotMatch(text, /^\s*(::|##vso|ok \d)/m);
        }
      });

      it('left nothing behind', async () => {
        assert.deepEqual(await findLeftovers(bench), []);
      });
    });
  }

  it('is flaky where a program decides by chance, once it is repeated', async () => {
    // The chance that all of them agree is one in half a million.
    const args = ['--engine', 'runc', '--only', 'hostile.chance', '--repeat', '20', '--json'];
    const answer = await bench.run(['run', 'context', '--out', 'repeated', ...args]);
    assert.equal(parseResult(answer).counts['flaky'], 1, answer.stderr);
    assert.equal(answer.exitCode, 1);
    await assertAccepted(bench, join(bench.work, 'repeated'), 1);
  });

  it('reaches with its listeners whoever is not in a box', async () => {
    await reach({ port, host: '127.0.0.1' });
    await reach({ path: `\0packproof-${port}` });
    // Both connections are over before the servers have told of them.
    while (visitors < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(visitors, 2);
  });

  for (const [behaviour, line, args = []] of CONTROLS) {
    it(`is about the boundary: outside of it, ${behaviour} gets further`, () => {
      const home = makeHome();
      const hook = `--require=${join(home, 'hook.cjs')}`;
      const more = behaviour === 'preload' ? { NODE_OPTIONS: hook } : { PACKPROOF_CANARY: 'canary' };
      const words = [join(home, 'package', 'hostile.js'), behaviour, ...args];
      const { stdout, stderr } = spawnSync(process.execPath, words, {
        cwd: home,
        uid: USER,
        gid: USER,
        env: { PATH: process.env['PATH'] ?? '', TMPDIR: home, ...more },
        encoding: 'utf8',
      });
      rmSync(home, { recursive: true });
      assert.match(stdout, line, stderr);
    });
  }

  it('has a row in its README for each case', () => {
    const table = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const ids = [...readFileSync(join(FOLDER, 'suite.yaml'), 'utf8').matchAll(/^ {2}- id: (\S+)/gm)];
    assert.deepEqual(
      ids.map(([, id]) => id).filter((id) => !table.includes(`\`${id}\``)),
      [],
    );
  });
});
