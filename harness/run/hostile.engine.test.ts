import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import { OUTPUT_BYTES_LIMIT } from '../suite/limits.ts';
import type { CaseObservation, KilledBy, StepObservation, Termination } from '../suite/observation.ts';
import { KEPT_BYTES_LIMIT } from './limits.ts';
import type { CaseAttempt } from './result.ts';
import { runWith } from './runner.ts';
import { openDockerLab } from './testing/docker-lab.ts';
import type { HostileProgram } from './testing/hostile-programs.ts';
import { hostileCase, LAB_TOOLS, type Lab } from './testing/lab.ts';
import { openRuncLab } from './testing/runc-lab.ts';

/** From a step's limit to the end of every process in its box. */
const END_MS = 2_000;
/** For programs that end by what they do, which takes its time on a loaded machine. */
const PATIENT_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

interface Seen {
  readonly attempt: CaseAttempt;
  readonly observation: CaseObservation;
  readonly step: StepObservation;
}

interface Expected {
  readonly program: HostileProgram;
  readonly what: string;
  readonly step?: Partial<CompiledStep>;
  readonly termination: Termination;
  readonly killedBy: KilledBy;
  readonly oomKilled?: boolean;
  readonly more?: (seen: Seen) => void;
}

const timedOut = (limitMs: number): Termination => ({ kind: 'timed-out', limitMs });
const exited = (code: number): Termination => ({ kind: 'exited', code });
const signaled = (signal: string): Termination => ({ kind: 'signaled', signal });
const FILL = { kind: 'fill', sizeBytes: 5_000_000, thenClose: true } as const;

function stdoutOf({ attempt }: Seen): string {
  const file = attempt.spooled[0]?.stdout ?? null;
  return file === null ? '' : readFileSync(file, 'utf8');
}

const BEHAVIOURS: readonly Expected[] = [
  {
    program: 'hang',
    what: 'a program that never ends times out and keeps its output',
    step: { timeoutMs: 1_000 },
    termination: timedOut(1_000),
    killedBy: 'packproof',
    more: (seen) => assert.equal(stdoutOf(seen), 'before\n'),
  },
  {
    program: 'ignore-term',
    what: 'a program that ignores SIGTERM is ended at its limit',
    step: { timeoutMs: 1_500, signals: [{ signal: 'SIGTERM', after: 'first-output', delayMs: 10 }] },
    termination: timedOut(1_500),
    killedBy: 'packproof',
    more: (seen) => assert.equal(stdoutOf(seen), 'up\nno\n'),
  },
  {
    program: 'stop',
    what: 'a program that stops itself is ended at its limit',
    step: { timeoutMs: 500 },
    termination: timedOut(500),
    killedBy: 'packproof',
  },
  {
    program: 'fork-bomb',
    what: 'a fork bomb ends with all it made',
    step: { timeoutMs: 1_500 },
    termination: timedOut(1_500),
    killedBy: 'packproof',
    more: ({ observation }) => assert.ok(observation.leftovers.length > 1, 'many processes are named'),
  },
  {
    program: 'memory-parent',
    what: 'memory taken by the program itself is an out-of-memory kill',
    step: { timeoutMs: PATIENT_MS },
    termination: signaled('SIGKILL'),
    killedBy: 'oom',
    oomKilled: true,
  },
  {
    program: 'memory-child',
    what: 'memory taken by a child shows although the program exits with 0',
    step: { timeoutMs: PATIENT_MS },
    termination: exited(0),
    killedBy: null,
    oomKilled: true,
    more: ({ observation }) => assert.equal(observation.end.oomKilled, true),
  },
  {
    program: 'fill-work',
    what: 'a full disk is the program own affair and its file is in the record',
    step: { timeoutMs: PATIENT_MS },
    termination: exited(0),
    killedBy: null,
    more: (seen) => {
      assert.match(stdoutOf(seen), /^ENOSPC \d+\n$/);
      const full = seen.observation.after?.entries.find(({ path }) => path === '/work/full');
      assert.ok((full?.sizeBytes ?? 0) > 255 * MEBIBYTE);
    },
  },
  {
    program: 'inode-bomb',
    what: 'the number of files is limited too',
    step: { timeoutMs: PATIENT_MS },
    termination: exited(0),
    killedBy: null,
    more: (seen) => assert.equal(stdoutOf(seen), 'ENOSPC\n'),
  },
  {
    program: 'flood',
    what: 'a gigabyte of output ends the program, kept up to the limit and counted beyond it',
    step: { timeoutMs: PATIENT_MS },
    termination: { kind: 'output-limit', stream: 'stdout' },
    killedBy: 'packproof',
    more: ({ attempt, step }) => {
      const file = attempt.spooled[0]?.stdout ?? '';
      assert.equal(step.stdout.keptBytes, KEPT_BYTES_LIMIT);
      assert.equal(statSync(file).size, KEPT_BYTES_LIMIT);
      assert.equal(step.stdout.keptSha256, sha256Hex(readFileSync(file)));
      assert.equal(step.stdout.totalSha256, sha256Hex(Buffer.alloc(step.stdout.totalBytes, 120)));
      assert.equal(step.stdout.truncated, true);
      assert.ok(step.stdout.totalBytes > OUTPUT_BYTES_LIMIT);
      assert.ok(step.stdout.totalBytes < OUTPUT_BYTES_LIMIT + 8 * MEBIBYTE);
    },
  },
  {
    program: 'kill-all',
    what: 'kill(-1) finds nobody else to kill',
    termination: exited(1),
    killedBy: null,
    more: (seen) => assert.equal(stdoutOf(seen), 'killing\n'),
  },
  {
    program: 'kill-holder',
    what: 'signals to process 1 change nothing',
    termination: exited(0),
    killedBy: null,
  },
  {
    program: 'daemon',
    what: 'a daemon that holds the output is named, ended, and does not delay the case',
    termination: exited(0),
    killedBy: null,
    more: ({ observation, step }) => {
      assert.equal(observation.leftovers.length, 1);
      assert.match(observation.leftovers[0]?.argv.join(' ') ?? '', /setInterval/);
      assert.equal(step.stdout.eofSeen, true);
    },
  },
  {
    program: 'close-stdin',
    what: 'a program that closes stdin early is told of as a broken pipe',
    step: { stdin: FILL },
    termination: exited(0),
    killedBy: null,
    more: ({ step }) => assert.match(step.actions[0]?.detail ?? '', /^\d+ of 5000000 .* broken-pipe$/),
  },
  {
    program: 'never-read',
    what: 'a program that never reads its input ends when it wants to',
    step: { stdin: FILL },
    termination: exited(0),
    killedBy: null,
    more: (seen) => assert.equal(stdoutOf(seen), 'unread\n'),
  },
  {
    program: 'read-to-end',
    what: 'idle stdin stays open until the step is over',
    step: { stdin: { kind: 'idle' }, timeoutMs: 500 },
    termination: timedOut(500),
    killedBy: 'packproof',
    more: (seen) => assert.equal(stdoutOf(seen), ''),
  },
  {
    program: 'exit-137',
    what: 'exit code 137 is an exit',
    termination: exited(137),
    killedBy: null,
  },
  {
    program: 'self-kill',
    what: 'a SIGKILL by itself is a signal of the candidate own',
    termination: signaled('SIGKILL'),
    killedBy: 'candidate',
  },
  {
    program: 'segv',
    what: 'a crash is its signal',
    termination: signaled('SIGSEGV'),
    killedBy: 'candidate',
  },
  {
    program: 'write-for-ever',
    what: 'closed output is an error that the program meets',
    step: { stdout: { closeAfterBytes: 100_000 } },
    termination: exited(1),
    killedBy: null,
    more: ({ step }) => assert.equal(step.stdout.eofSeen, false),
  },
];

const ENGINES: Readonly<Record<string, () => Promise<Lab>>> = {
  runc: () => openRuncLab('hostile'),
  'Docker, read from the host': () => openDockerLab('hostile', 'host'),
  'Docker, read through the engine': () => openDockerLab('hostile', 'engine-archive'),
};

for (const [name, open] of Object.entries(ENGINES))
  describe(`hostile programs on ${name}`, () => {
    let lab: Lab;
    before(async () => {
      lab = await open();
    });
    after(() => lab.close());

    for (const expected of BEHAVIOURS) {
      it(`${expected.what}; the next case is not affected`, async () => {
        const next = hostileCase('polite', {}, { id: 'next' });
        const request = lab.request([hostileCase(expected.program, expected.step), next], { jobs: 1 });
        const result = await runWith(request, LAB_TOOLS);
        const attempt = result.cases[0]?.attempts[0];
        const observation = attempt?.observation ?? null;
        const step = observation?.steps[0];
        if (attempt === undefined || observation === null || step === undefined) {
          assert.fail(JSON.stringify(result.cases[0]));
        }
        assert.deepEqual(step.termination, expected.termination);
        assert.equal(step.killedBy, expected.killedBy);
        assert.equal(step.oomKilled, expected.oomKilled ?? false);
        expected.more?.({ attempt, observation, step });
        assert.equal(observation.teardown.at(-1)?.action, 'close');
        const killed = observation.teardown.find(({ action }) => action === 'kill-all')?.atMs ?? Infinity;
        const limitMs = expected.step?.timeoutMs ?? null;
        if (limitMs !== null) assert.ok(killed < limitMs + END_MS, `${killed} ms`);
        assert.equal(result.cases[1]?.outcome, 'pass');
        assert.deepEqual(result.cases[1]?.attempts[0]?.observation?.leftovers, []);
      });
    }

    it('left-overs of one step are gone before the next step of the case looks', async () => {
      const base = hostileCase('daemon');
      const look = {
        name: 'look',
        argv: ['/bin/sh', '-c', 'for p in /proc/[0-9]*; do echo $p; done'],
      };
      const [first] = base.steps;
      if (first === undefined) assert.fail('a case has a step');
      const result = await runWith(
        lab.request([{ ...base, steps: [first, { ...first, ...look }] }]),
        LAB_TOOLS,
      );
      const attempt = result.cases[0]?.attempts[0];
      const seen = readFileSync(attempt?.spooled[1]?.stdout ?? '', 'utf8')
        .trim()
        .split('\n');
      assert.equal(seen.length, 2, seen.join(' '));
      assert.equal(attempt?.observation?.leftovers.length, 1);
    });

    it('what one case leaves in its box is not there in the next one', async () => {
      const writes = hostileCase('fill-work', {}, { id: 'writes' });
      const looks = hostileCase('polite', {}, { id: 'looks' });
      const result = await runWith(lab.request([writes, looks], { jobs: 1 }), LAB_TOOLS);
      const before = result.cases[1]?.attempts[0]?.observation?.before.entries.map(({ path }) => path);
      assert.deepEqual(before, ['/work/program.mjs']);
    });

    it('a program that is not there, and a folder that is not there, are not started and have an errno', async () => {
      const absent = hostileCase('polite', { argv: ['/usr/bin/absent'] }, { id: 'absent' });
      const nowhere = hostileCase('polite', { cwd: '/absent' }, { id: 'nowhere' });
      const result = await runWith(lab.request([absent, nowhere]), LAB_TOOLS);
      for (const { attempts } of result.cases) {
        assert.deepEqual(attempts[0]?.observation?.steps[0]?.termination, {
          kind: 'not-started',
          errno: 'ENOENT',
        });
        assert.equal(attempts[0]?.observation?.steps[0]?.killedBy, null);
      }
    });
  });
