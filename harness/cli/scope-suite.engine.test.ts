import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { toCanonicalBytes } from '../document/canonical.ts';
import type { ReplayDocument } from '../replay/replay-document.ts';
import { assertAccepted, parseResult, parseStdout } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { buildScopeSuite } from './testing/scope-cases/suite.ts';
import { packTwins } from './testing/scope-cases/twin-package.ts';
import { buildTwinSuite, readTwins } from './testing/scope-cases/twins.ts';
import { requireDocker, Workbench } from './testing/workbench.ts';

/** Ample for a machine that runs other tests beside; the replay keeps to it too. */
const BUDGET = ['--budget', '600s'];

/** As `npm pack` makes it, without building again. */
function packOwn(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  return execFileSync('npm', args, { cwd: packageRoot(), encoding: 'utf8' }).trim();
}

describe('the suite of packproof scope on packproof’s own archive', () => {
  const suite = buildScopeSuite();
  let bench: Workbench;
  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    await bench.writeFile('scope.json', toCanonicalBytes(suite));
    assert.equal((await bench.run(['keygen', '--out', 'key'])).exitCode, 0);
  });
  after(() => bench.close());

  it('passes on runc, and its signed evidence is accepted', async () => {
    const own = packOwn(bench.work);
    const args = ['check', own, '--suite', 'scope.json', '--node', '22', '--engine', 'runc', '--json'];
    const answer = await bench.run([...args, ...BUDGET, '--sign', 'key', '--out', 'evidence']);
    const result = parseResult(answer);
    assert.deepEqual(result.failures, []);
    assert.deepEqual(
      [result.counts['pass'], result.counts['excluded']],
      [suite.cases.length - suite.exclusions.length, suite.exclusions.length],
    );
    await assertAccepted(bench, join(bench.work, 'evidence'), 0);
  });

  it('comes to the same on Docker when that evidence is replayed there', async () => {
    const args = ['replay', 'evidence', '--engine', 'docker', '--out', 'again', '--json', '--quiet'];
    const answer = await bench.run(args);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const { result, cases } = parseStdout<ReplayDocument>(answer);
    assert.equal(cases.length, suite.cases.length);
    assert.equal(result, 'identical');
    const verdict = await assertAccepted(bench, join(bench.work, 'again'), 0);
    assert.deepEqual(
      [verdict.counts['pass'], verdict.counts['excluded']],
      [suite.cases.length - suite.exclusions.length, suite.exclusions.length],
    );
  });

  it('catches each broken twin with the checks that name its rule, and no other', async () => {
    const twins = readTwins();
    await bench.writeFile('twins.tgz', await packTwins(twins));
    await bench.writeFile('twins.json', toCanonicalBytes(buildTwinSuite(twins)));
    const args = ['check', 'twins.tgz', '--suite', 'twins.json', '--node', '22', '--engine', 'runc'];
    const result = parseResult(await bench.run([...args, ...BUDGET, '--json', '--out', 'caught']));
    assert.deepEqual(result.failures, []);
    assert.equal(result.counts['pass'], twins.length + 1);
    await assertAccepted(bench, join(bench.work, 'caught'), 0);
  });

  it('left nothing behind', async () => {
    assert.deepEqual(await findLeftovers(bench), []);
  });
});
