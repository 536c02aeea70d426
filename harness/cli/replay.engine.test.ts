import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ReplayDocument } from '../replay/replay-document.ts';
import { packFault } from './testing/candidates.ts';
import { parseStdout } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];

describe('replay of real evidence', () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.open();
    const programs = {
      same: "console.log('same');",
      random: "import { randomUUID } from 'node:crypto'; console.log('id', randomUUID());",
    };
    await bench.writeFile('candidate.tgz', packFault(programPackage('candidate', programs)));
    const random = binCase('random', 'random');
    const of = { caseId: null, step: 'run', stream: 'stdout' } as const;
    const [check] = random.checks;
    assert.ok(check !== undefined);
    const stated = {
      ...check,
      id: 'stated',
      expect: { kind: 'stream-equals', of, contentBase64: '' },
    } as const;
    assert.equal((await bench.run(['keygen', '--out', 'key'])).exitCode, 0);
    const suites = {
      drift: [binCase('same', 'same'), random],
      stated: [{ ...random, checks: [stated] }],
      exec: [{ ...binCase('same', 'same'), exec: true }],
    };
    for (const [name, cases] of Object.entries(suites)) {
      await bench.writeFile(`${name}.json`, suiteBytes(cases));
      const args = [
        'check',
        'candidate.tgz',
        '--suite',
        `${name}.json`,
        '--out',
        name,
        '--node',
        '22',
        ...RUNC,
      ];
      const answer = await bench.run(name === 'drift' ? [...args, '--sign', 'key'] : args);
      assert.equal(answer.exitCode, name === 'stated' ? 1 : 0, answer.stderr);
      assert.match(answer.stdout, name === 'drift' ? /signed by [0-9a-f]{64}\)/ : /, unsigned\)/);
    }
  });

  after(() => bench.close());

  it('is equivalent when bytes differ that no check states, and says where', async () => {
    const answer = await bench.run(['replay', 'drift', '--json', '--out', 'again', ...RUNC]);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const document = parseStdout<ReplayDocument>(answer);
    assert.deepEqual(
      [document.result, document.counts],
      ['equivalent', { identical: 1, equivalent: 1, different: 0 }],
    );
    const [first] = document.cases.flatMap(({ differences }) => differences);
    assert.deepEqual(
      [first?.kind, first?.where, first?.bytes?.offset],
      ['stream', 'run stdout', 'id '.length],
    );
    assert.equal((await bench.run(['verify', 'again'])).exitCode, 0);
  });

  it('is different, exit code 1, when they are stated', async () => {
    const answer = await bench.run(['replay', 'stated', '--json', ...RUNC]);
    assert.equal(answer.exitCode, 1, answer.stderr);
    assert.equal(parseStdout<ReplayDocument>(answer).result, 'different');
  });

  it('lets a case execute what it wrote only when asked to', async () => {
    const refused = await bench.run(['replay', 'exec', ...RUNC]);
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /--allow-exec/);
    assert.equal((await bench.run(['replay', 'exec', '--allow-exec', '--quiet', ...RUNC])).exitCode, 0);
  });

  it('was given evidence that check signed', async () => {
    assert.ok((await readdir(join(bench.work, 'drift'))).includes('statement.dsse.json'));
    assert.ok(!(await readdir(join(bench.work, 'again'))).includes('statement.dsse.json'));
  });

  it('starts nothing for evidence that the verifier rejects', async () => {
    await cp(join(bench.work, 'drift'), join(bench.work, 'broken'), { recursive: true });
    const report = join(bench.work, 'broken', 'report.json');
    await writeFile(report, (await readFile(report, 'utf8')).replace('"runc"', '"rund"'));
    const answer = await bench.run(['replay', 'broken', '--out', 'never', ...RUNC]);
    assert.equal(answer.exitCode, 4, answer.stderr);
    assert.ok(!(await readdir(bench.work)).includes('never'));
  });

  it('leaves nothing behind', async () => {
    assert.deepEqual(await findLeftovers(bench), []);
  });
});
