import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { HOSTILE_PROGRAMS } from '../run/testing/hostile-programs.ts';
import { file } from '../suite/testing/fault-package.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt, readStep } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { requireDocker, Workbench } from './testing/workbench.ts';

const { polite, hang, flood, daemon } = HOSTILE_PROGRAMS;
const PROGRAMS = {
  polite,
  hang,
  flood,
  daemon,
  deaf: HOSTILE_PROGRAMS['ignore-term'],
  forks: HOSTILE_PROGRAMS['fork-bomb'],
  memory: HOSTILE_PROGRAMS['memory-parent'],
  fill: HOSTILE_PROGRAMS['fill-work'],
  killer: HOSTILE_PROGRAMS['kill-all'],
};
type Program = keyof typeof PROGRAMS;

const LIMIT_MS = 3_000;
/** From a step's limit to the end of every process in its box. */
const END_MS = 2_000;

const step = (change = {}) => ({ timeoutMs: 60_000, ...change });
/** Each hostile program, and after each one a polite one, which must not notice. */
const HOSTILE: readonly (readonly [Program, ReturnType<typeof step>])[] = [
  ['hang', step({ timeoutMs: LIMIT_MS })],
  ['forks', step({ timeoutMs: LIMIT_MS })],
  ['memory', step()],
  ['fill', step()],
  ['flood', step()],
  [
    'deaf',
    step({ timeoutMs: LIMIT_MS, signals: [{ signal: 'SIGTERM', after: 'first-output', delayMs: 10 }] }),
  ],
  ['killer', step()],
  ['daemon', step()],
];
const CASES = HOSTILE.flatMap(([name, change]) => [
  { ...binCase(name, name, change), checks: [...binCase(name, name).checks, noLeftovers()] },
  binCase(`after-${name}`, 'polite'),
]);

function noLeftovers() {
  return {
    id: 'leftovers',
    severity: 'gate' as const,
    why: 'a test',
    advice: 'none',
    precondition: null,
    expect: { kind: 'no-leftovers' as const },
  };
}

describe('hostile candidates through the real program', () => {
  let bench: Workbench;
  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    await bench.writeFile('hostile.tgz', packFault(programPackage('hostile', PROGRAMS)));
    await bench.writeFile('suite.json', suiteBytes(CASES));
  });
  after(async () => {
    assert.deepEqual(await findLeftovers(bench), []);
    await bench.close();
  });

  for (const engine of ['runc', 'docker'] as const) {
    it(`each ends within its time on ${engine} with the right record, and the next case is unaffected`, async () => {
      const out = join(bench.work, engine);
      const flags = [
        '--engine',
        engine,
        '--node',
        '22',
        '--jobs',
        '1',
        '--budget',
        '280s',
        '--case-timeout',
        '60s',
      ];
      const answer = await bench.run([
        'check',
        'hostile.tgz',
        '--suite',
        'suite.json',
        '--out',
        out,
        '--json',
        ...flags,
      ]);
      assert.equal(answer.exitCode, 1, answer.stderr);
      const result = parseResult(answer);
      assert.equal(result.verdict, 'accepted');
      for (const [name] of HOSTILE) assert.equal(readReceipt(out, `after-${name}`).outcome, 'pass', name);
      assert.deepEqual([result.counts['error'], result.counts['unrun']], [0, 0]);

      const ends = Object.fromEntries(
        HOSTILE.map(([name]) => {
          const { termination, killedBy, oomKilled } = readStep(out, name);
          return [name, { termination, killedBy, oomKilled }];
        }),
      );
      const timedOut = {
        termination: { kind: 'timed-out', limitMs: LIMIT_MS },
        killedBy: 'packproof',
        oomKilled: false,
      };
      const exited = (code: number) => ({
        termination: { kind: 'exited', code },
        killedBy: null,
        oomKilled: false,
      });
      assert.deepEqual(ends, {
        hang: timedOut,
        forks: timedOut,
        memory: { termination: { kind: 'signaled', signal: 'SIGKILL' }, killedBy: 'oom', oomKilled: true },
        fill: exited(0),
        flood: {
          termination: { kind: 'output-limit', stream: 'stdout' },
          killedBy: 'packproof',
          oomKilled: false,
        },
        deaf: timedOut,
        killer: exited(1),
        daemon: exited(0),
      });
      for (const name of ['hang', 'forks', 'deaf'] as const) {
        const { teardown = [] } = readReceipt(out, name).attempts[0] ?? {};
        const killed = teardown.find(({ action }) => action === 'kill-all')?.atMs ?? Number.POSITIVE_INFINITY;
        assert.ok(killed < LIMIT_MS + END_MS, `${name}: ${killed} ms`);
      }
      const flooded = readStep(out, 'flood').stdout;
      assert.deepEqual([flooded.truncated, flooded.keptBytes], [true, 16 * 1024 * 1024]);
      assert.ok(flooded.totalBytes > flooded.keptBytes);
      const failed = (name: string): readonly string[] =>
        readReceipt(out, name).checks.flatMap(({ id, result: is }) => (is === 'fail' ? [id] : []));
      assert.deepEqual(failed('daemon'), ['leftovers']);
      assert.equal(readReceipt(out, 'daemon').attempts[0]?.leftovers.length, 1);
      await assertAccepted(bench, out, 1);
    });
  }

  it('no script and no build description of a candidate runs on the host', async () => {
    const marker = join(tmpdir(), `packproof-marker-${process.pid}`);
    const events = ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'postpack', 'prepublish'];
    const more = [
      'prepublishOnly',
      'preprepare',
      'postprepare',
      'dependencies',
      'preuninstall',
      'postuninstall',
    ];
    const touch = (name: string): string => `touch ${marker}-${name}`;
    const base = programPackage('marker', { marker: polite });
    const gyp = `{"targets":[{"target_name":"<!(${touch('gyp')})"}]}`;
    const bytes = packFault({
      manifest: {
        ...base.manifest,
        scripts: Object.fromEntries([...events, ...more].map((name) => [name, touch(name)])),
      },
      files: [
        ...base.files,
        file('binding.gyp', gyp),
        file('.npmrc', `script-shell=${touch('shell')}\nnode-options=--require ${marker}-options\n`),
        file('index.js', `require('node:fs').writeFileSync('${marker}-require', '')`),
      ],
    });
    await bench.writeFile('marker.tgz', bytes);
    const suite = await bench.writeFile('marker.json', suiteBytes([binCase('polite', 'marker')]));
    for (const flags of [[], ['--with-scripts']]) {
      const out = join(bench.work, `marker${flags.length}`);
      const args = [
        'check',
        'marker.tgz',
        '--suite',
        suite,
        '--out',
        out,
        '--engine',
        'runc',
        '--node',
        '22',
      ];
      const answer = await bench.run([...args, ...flags, '--json']);
      const left = (await readdir(tmpdir())).filter((name) =>
        name.startsWith(`packproof-marker-${process.pid}`),
      );
      assert.deepEqual(left, []);
      assert.ok(answer.exitCode === 0 || answer.exitCode === 1, answer.stderr);
      assert.equal(parseResult(answer).verdict, 'accepted');
    }
    // Control: on the host such a script does leave its marker.
    const { execFileSync } = await import('node:child_process');
    execFileSync('sh', ['-c', touch('control')]);
    assert.ok((await stat(`${marker}-control`)).isFile());
    await rm(`${marker}-control`);
  });
});
