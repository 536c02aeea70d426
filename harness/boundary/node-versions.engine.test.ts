import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import type { Platform } from './boundary.ts';
import { defaultBoundary } from './default-boundary.ts';
import { buildHostRootfs } from './testing/host-rootfs.ts';
import { runBundle, toBundleConfig } from './testing/runc-bundle.ts';

const PLATFORM: Platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';

/** Exact versions of the npm packages that carry a Node binary, one of each line that is supported. */
const VERSIONS = ['20.20.2', '22.23.5', '24.22.3', '26.12.1'];

/** Kept between runs: 100 MB a version. */
const CACHE = join(tmpdir(), `packproof-test-nodes-${process.getuid?.() ?? 0}`);

const folder = mkdtempSync(join(tmpdir(), 'packproof-nodes-'));
const rootfs = join(folder, 'rootfs');

/** The Node binary of a version, from the npm registry or from what an earlier run kept. */
function obtainNode(version: string): string {
  const file = join(CACHE, `node-${process.arch}-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  const unpacked = mkdtempSync(join(CACHE, 'unpack-'));
  try {
    const name = `node-linux-${process.arch}@${version}`;
    execFileSync('npm', ['pack', name, '--silent', '--pack-destination', unpacked], { stdio: 'ignore' });
    const archive = join(unpacked, `node-linux-${process.arch}-${version}.tgz`);
    execFileSync('tar', ['-xzf', archive, '-C', unpacked, 'package/bin/node']);
    renameSync(join(unpacked, 'package/bin/node'), file);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  return file;
}

before(() => {
  const nodes = VERSIONS.map((version): [string, string] => [
    `usr/local/bin/node-${version}`,
    obtainNode(version),
  ]);
  buildHostRootfs(rootfs, Object.fromEntries(nodes));
  copyFileSync(
    join(packageRoot(), 'harness/boundary/testing/node-exercise.cjs'),
    join(rootfs, 'srv/exercise.cjs'),
  );
});

after(() => rmSync(folder, { recursive: true, force: true }));

const ENVIRONMENT = ['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/home/node', 'TZ=UTC', 'LC_ALL=C'];

for (const version of VERSIONS) {
  test(`Node ${version} does its work in a box`, () => {
    const boundary = defaultBoundary(PLATFORM, { exec: false });
    const argv = [`/usr/local/bin/node-${version}`, '/srv/exercise.cjs'];
    const config = toBundleConfig(boundary, rootfs, { argv, env: ENVIRONMENT });
    const result = runBundle(folder, config, Buffer.alloc(0));
    const answer = JSON.parse(result.stdout.toString() || JSON.stringify({ stderr: result.stderr }));
    const failed = Object.entries(answer.results ?? answer).filter(([, outcome]) => outcome !== 'ok');
    assert.deepEqual(failed, []);
    assert.equal(answer.version, `v${version}`);
  });
}

test('without its policy for AF_NETLINK, Node could not list the interfaces', () => {
  const boundary = defaultBoundary(PLATFORM, { exec: false });
  const script = 'try { os.networkInterfaces() } catch (error) { console.log(error.code) }';
  const argv = [`/usr/local/bin/node-${VERSIONS[0]}`, '-e', script];
  const config = toBundleConfig(boundary, rootfs, { argv, env: ENVIRONMENT });
  assert.equal(runBundle(folder, config, Buffer.alloc(0)).stdout.toString(), '');
  const seccomp = JSON.parse(JSON.stringify(config.linux.seccomp));
  const netlink = 16;
  seccomp.syscalls = seccomp.syscalls.filter(
    (rule: { args?: readonly { valueTwo: number }[] }) => rule.args?.[0]?.valueTwo !== netlink,
  );
  const narrower = { ...config, linux: { ...config.linux, seccomp } };
  assert.equal(runBundle(folder, narrower, Buffer.alloc(0)).stdout.toString(), 'ERR_SYSTEM_ERROR\n');
});
