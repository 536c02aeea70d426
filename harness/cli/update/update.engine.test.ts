import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { packFault } from '../testing/candidates.ts';
import { programPackage } from '../testing/suites.ts';
import { programPath, Workbench } from '../testing/workbench.ts';

const RUNC = ['--engine', 'runc'];

const SUITE = `# what users rely on
formatVersion: 1
id: own
title: own
proves: [that tool says what it said]
doesNotProve: [anything else]
fixture: fx
cases:
  - id: own.words # the words
    why: scripts read them
    node: [">=22 <23"] # of these
    steps:
      - argv: ["\${bin:tool}"]
    checks:
      - stdout: { equals: "old\\n" } # kept
      - stderr: { equalsFile: fx/err.txt }
      - termination: { exited: 3 } # kept too
`;

/** What is written lies in a fixture too, whose document says more of it. */
const FIXTURE =
  'formatVersion: 1\nentries: [{ path: ., mode: "0711" }, { path: err.txt, mode: "0600", owner: root }]\n';

const BYTES = `  - id: own.bytes
    why: no text
    severity: warn
    steps:
      - argv: ["\${bin:bytes}"]
    checks:
      - stdout: { equals: "old" }
`;

describe('--update', () => {
  let bench: Workbench;
  const suite = (): Promise<string> => readFile(join(bench.work, 'suite.yaml'), 'utf8');
  const run = ['run', 'context', '--update', '--suite', 'suite.yaml', ...RUNC];

  const prepare = async (out: string): Promise<void> => {
    const args = ['prepare', 'candidate.tgz', '--suite', 'suite.yaml', '--node', '22', '--out', out, ...RUNC];
    const answer = await bench.run(args);
    assert.equal(answer.exitCode, 0, answer.stderr);
  };

  /** At a terminal, with these lines typed. */
  const atTerminal = (args: readonly string[], input: string) => {
    const command = [process.execPath, programPath(), ...args].map((part) => `'${part}'`).join(' ');
    const options = { cwd: bench.work, env: bench.environment(), extendEnv: false, input, reject: false };
    return execa('script', ['-qec', command, '/dev/null'], options);
  };

  before(async () => {
    bench = await Workbench.open();
    const programs = {
      tool: "console.log('new'); console.error('said'); process.exitCode = 4;",
      bytes: 'process.stdout.write(Buffer.from([0xff]));',
    };
    await bench.writeFile('candidate.tgz', packFault(programPackage('candidate', programs)));
    await bench.writeFile('suite.yaml', `${SUITE}${BYTES}`);
    await bench.makeFolder('fx');
    await bench.writeFile('fx/fixture.yaml', FIXTURE);
    await bench.writeFile('fx/err.txt', 'other\n');
    await prepare('context');
  });

  after(() => bench.close());

  it('is refused before anything runs when nobody can be asked, or the file is another', async () => {
    const nobody = await bench.run([...run, '--out', 'none']);
    assert.deepEqual([nobody.exitCode, /\[NO_TERMINAL\]/.test(nobody.stderr)], [2, true]);
    await bench.writeFile('other.yaml', SUITE);
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['--update', '--yes', '--suite', 'other.yaml'], /other\.yaml.*\[SUITE_CHANGED\]/],
      [['--update', '--yes', '--suite', 'nothing.yaml'], /nothing\.yaml.*ENOENT.*\[SUITE_NOT_WRITTEN\]/],
      [['--update', '--yes', '--suite', 'suite.json'], /\[SUITE_NOT_WRITTEN\]/],
      [['--yes'], /--yes.*\[FLAG_MISSING\]/],
      [['--suite', 'suite.yaml'], /--suite.*\[FLAG_MISSING\]/],
    ];
    for (const [flags, said] of refusals) {
      const answer = await bench.run(['run', 'context', '--out', 'none', ...flags, ...RUNC]);
      assert.equal(answer.exitCode, 2, answer.stderr);
      assert.match(answer.stderr, said);
    }
    assert.equal(existsSync(join(bench.work, 'none')), false);
  });

  it('writes nothing that is declined, and only what is accepted', async () => {
    const answer = await atTerminal([...run, '--out', 'declined'], 'n\ny\nno\n');
    assert.equal(answer.exitCode, 1, answer.stdout);
    assert.match(answer.stdout, /-old\r\n\+new\r/);
    assert.match(answer.stdout, /1 of 4 written/);
    assert.equal(await suite(), `${SUITE}${BYTES}`);
    assert.equal(await readFile(join(bench.work, 'fx/err.txt'), 'utf8'), 'said\n');
  });

  it('keeps comments and the exit code of the run, offers no other bytes than text, and is green then', async () => {
    await bench.writeFile('fx/err.txt', 'touched since\n');
    const moved = await bench.run([
      'run',
      'context',
      '--update',
      '--yes',
      '--suite',
      'suite.yaml',
      '--out',
      'moved',
      ...RUNC,
    ]);
    assert.equal(moved.exitCode, 1, moved.stderr);
    assert.match(moved.stderr, /nothing written: .*err\.txt.*\[SUITE_CHANGED\]/);
    assert.equal(await suite(), `${SUITE}${BYTES}`);
    await bench.writeFile('fx/err.txt', 'said\n');
    const check = ['check', 'candidate.tgz', '--suite', 'suite.yaml', '--node', '22', ...RUNC];
    const answer = await bench.run([...check, '--update', '--yes', '--out', 'accepted']);
    assert.equal(answer.exitCode, 1, answer.stderr);
    assert.match(answer.stderr, /not offered: own\.bytes \S+: the output is not UTF-8/);
    assert.match(answer.stderr, /-exited: 3\n\+exited: 4\n/);
    const expected = SUITE.replace('old', 'new').replace('exited: 3', 'exited: 4');
    assert.equal(await suite(), `${expected}${BYTES}`);
    const green = await bench.run([...check, '--out', 'green']);
    assert.equal(green.exitCode, 0, green.stderr);
    assert.equal(await readFile(join(bench.work, 'fx/fixture.yaml'), 'utf8'), FIXTURE);
    assert.deepEqual(await readdir(join(bench.work, 'fx')), ['err.txt', 'fixture.yaml']);
  });
});
