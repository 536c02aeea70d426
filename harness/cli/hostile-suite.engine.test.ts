import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { file } from '../suite/testing/fault-package.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { type Answer, Workbench } from './testing/workbench.ts';

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

describe('the suite of hostile programs', () => {
  let bench: Workbench;
  let answer: Answer;
  let evidence = '';
  let port = 0;
  let visitors = 0;
  const canary = `canary-${randomBytes(12).toString('hex')}`;
  const count = (): void => {
    visitors += 1;
  };
  const loopback = createServer(count);
  const abstract = createServer(count);

  before(async () => {
    bench = await Workbench.open();
    evidence = join(bench.work, 'evidence');
    await listen(loopback, null);
    const address = loopback.address();
    port = address !== null && typeof address === 'object' ? address.port : 0;
    await listen(abstract, `\0packproof-${port}`);
    cpSync(join(FOLDER, 'suite.yaml'), join(bench.work, 'suite.yaml'));
    await bench.writeFile('port.txt', `${port}\n`);
    await bench.writeFile('hostile.tgz', packFolder());
    const args = ['check', 'hostile.tgz', '--suite', 'suite.yaml', '--out', 'evidence', '--json'];
    answer = await bench.run([...args, '--engine', 'runc', '--node', '22', '--case-timeout', '60s'], {
      env: { NPM_TOKEN: canary, GITHUB_TOKEN: canary, PACKPROOF_CANARY: canary },
    });
  });
  after(async () => {
    loopback.close();
    abstract.close();
    await bench.close();
  });

  it('passes: each behaviour is contained or seen, and the evidence is accepted', async () => {
    const result = parseResult(answer);
    assert.deepEqual(result.failures, []);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const cases = readFileSync(join(FOLDER, 'suite.yaml'), 'utf8').match(/^ {2}- id: /gm) ?? [];
    assert.equal(result.counts['pass'], cases.length);
    const verdict = await assertAccepted(bench, evidence, 0);
    assert.deepEqual(verdict.counts, result.counts);
  });

  it('reached no listener of the host, each of which the host itself reaches', async () => {
    assert.equal(visitors, 0);
    await reach({ port, host: '127.0.0.1' });
    await reach({ path: `\0packproof-${port}` });
    // Both connections are over before the servers have told of them.
    while (visitors < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(visitors, 2);
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

  it('let no program speak to the terminal or to a build system', () => {
    for (const text of [answer.stdout, answer.stderr]) {
      assert.doesNotMatch(text, /[^\n\t\u0020-\u007e\u00a0-\u2027\u2030-\u2065\u206a-\uffff]/);
      assert.doesNotMatch(text, /^\s*(::|##vso|ok \d)/m);
    }
  });

  it('left nothing behind', async () => {
    assert.deepEqual(await findLeftovers(bench), []);
  });

  it('has a row in its README for each case', () => {
    const table = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const ids = [...readFileSync(join(FOLDER, 'suite.yaml'), 'utf8').matchAll(/^ {2}- id: (\S+)/gm)];
    assert.deepEqual(
      ids.map(([, id]) => id).filter((id) => !table.includes(`\`${id}\``)),
      [],
    );
  });
});
