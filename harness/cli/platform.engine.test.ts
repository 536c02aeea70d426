import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Platform } from '../boundary/boundary.ts';
import { hostPlatform } from '../job/engines.ts';
import type { ContextDocument } from '../prepare/context-document.ts';
import type { PreparedImage } from '../prepare/prepare-options.ts';
import { packFault } from './testing/candidates.ts';
import { parseStdout } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { programPackage } from './testing/suites.ts';
import { Workbench } from './testing/workbench.ts';

interface Prepared {
  readonly platform: Platform;
  readonly untested: boolean;
  readonly base: string;
  readonly images: readonly PreparedImage[];
}

/** The other platform, its names for npm, and its e_machine of ELF. */
const OTHERS = {
  'linux/amd64': { platform: 'linux/arm64', cpu: 'arm64', machine: 183 },
  'linux/arm64': { platform: 'linux/amd64', cpu: 'x64', machine: 62 },
} as const;

describe('a platform that this machine does not have', () => {
  const other = OTHERS[hostPlatform()];
  const own = other.cpu === 'arm64' ? 'x64' : 'arm64';
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.open();
    const made = programPackage('candidate', { builds: "import 'esbuild';" });
    const manifest = { ...made.manifest, dependencies: { esbuild: '0.25.9' } };
    await bench.writeFile('candidate.tgz', packFault({ ...made, manifest }));
  });
  after(() => bench.close());

  const prepare = (out: string, ...more: readonly string[]) =>
    bench.run(['prepare', 'candidate.tgz', '--node', '22', '--engine', 'runc', '--out', out, ...more]);

  it('gets its own package of those that differ by platform, and is said to be untested', async () => {
    const answer = await prepare('there', '--platform', other.platform, '--json');
    assert.equal(answer.exitCode, 0, answer.stderr);
    const { platform, untested, base, images } = parseStdout<Prepared>(answer);
    assert.deepEqual([platform, untested, base, images.length], [other.platform, true, 'debian', 1]);
    const document: ContextDocument = JSON.parse(
      readFileSync(join(bench.work, 'there', 'context.json'), 'utf8'),
    );
    assert.deepEqual(
      document.dependencies.map(({ name }) => name).filter((name) => name.startsWith('@esbuild/')),
      [`@esbuild/linux-${other.cpu}`],
    );
    const [image] = images;
    const files = listLayers(bench, image?.diffIds ?? []);
    assert.equal(image?.files, new Set(files).size);
    const program = `opt/candidate/node_modules/@esbuild/linux-${other.cpu}/bin/esbuild`;
    assert.ok(files.includes(program));
    assert.ok(!files.some((path) => path.includes(`@esbuild/linux-${own}`)));
    for (const path of [program, 'usr/local/bin/node', '.packproof/perl']) {
      assert.equal(readMachine(bench, image?.diffIds ?? [], path), other.machine, path);
    }
  });

  it('says the same in words, and nothing of the kind for its own platform', async () => {
    const there = await prepare('words', '--platform', other.platform);
    assert.match(there.stdout, /^ {2}image for node 22\.\d+\.\d+: \d+ files, config [0-9a-f]{64}$/m);
    assert.equal(there.stdout.match(/^ {4}layer [0-9a-f]{64}$/gm)?.length, 3);
    assert.match(there.stdout, new RegExp(`untested: ${other.platform} does not run on this machine`));
    const here = parseStdout<Prepared>(await prepare('here', '--json'));
    assert.deepEqual([here.platform, here.untested], [hostPlatform(), false]);
    assert.ok(
      listLayers(bench, here.images[0]?.diffIds ?? []).some((path) => path.includes(`@esbuild/linux-${own}`)),
    );
    assert.deepEqual(await findLeftovers(bench), []);
  });
});

function layerFile(bench: Workbench, diffId: string): string {
  return join(bench.cacheHome, 'packproof', 'layers', `${diffId}.tar`);
}

/** What the system's own tar finds in the layers. */
function listLayers(bench: Workbench, diffIds: readonly string[]): readonly string[] {
  return diffIds.flatMap((diffId) =>
    execFileSync('tar', ['-tf', layerFile(bench, diffId)], { encoding: 'utf8', maxBuffer: 1 << 26 })
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/\/$/, '')),
  );
}

/** e_machine of a program in one of the layers. */
function readMachine(bench: Workbench, diffIds: readonly string[], path: string): number | null {
  for (const diffId of diffIds) {
    if (!listLayers(bench, [diffId]).includes(path)) continue;
    const bytes = execFileSync('tar', ['-xOf', layerFile(bench, diffId), path], { maxBuffer: 1 << 28 });
    return bytes.toString('latin1', 1, 4) === 'ELF' ? bytes.readUInt16LE(18) : null;
  }
  return null;
}
