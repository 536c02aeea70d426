import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Progress, paint, toJsonLine, toLogText, wantsColor } from './output.ts';
import { toPrepareReporter, toRunReporter } from './run-reporter.ts';

/** What a hostile package may call itself, and what no log may hold of it. */
const HOSTILE =
  'a\u001b[31m\r\n::error::x\u009b2J\u202eb##[error]y##vso[task.setvariable variable=p]z ##TeamCity[x]';
const FORBIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|##[a-z]*\[/i;

/** All that `use` writes to stderr. */
function capture(use: () => void): string {
  const parts: string[] = [];
  const write = mock.method(process.stderr, 'write', (text: string) => parts.push(text) > 0);
  try {
    use();
  } finally {
    write.mock.restore();
  }
  return parts.join('');
}

describe('progress', () => {
  it('is one line for each event, and nothing of a candidate commands a terminal or a CI system', () => {
    const progress = new Progress({ quiet: false, color: false });
    const text = capture(() => {
      progress.say('audit', HOSTILE);
      progress.error(HOSTILE);
      toPrepareReporter(progress)({ stage: 'resolve', detail: HOSTILE, done: null, total: null });
    });
    const lines = text.split('\n');
    assert.equal(lines.length, 4, JSON.stringify(text));
    assert.doesNotMatch(text, FORBIDDEN);
    for (const line of lines.slice(0, 3)) assert.match(line, /^( +[\d.]+s (audit|resolve) |packproof: )/);
  });

  it('is silent with --quiet, but for errors', () => {
    const progress = new Progress({ quiet: true, color: false });
    assert.equal(
      capture(() => progress.say('run', 'x')),
      '',
    );
    assert.equal(
      capture(() => progress.error('x')),
      'packproof: x\n',
    );
  });

  it('of counted work is told at every tenth part and at the end', () => {
    const report = toPrepareReporter(new Progress({ quiet: false, color: false }));
    const text = capture(() => {
      for (let done = 1; done <= 45; done += 1)
        report({ stage: 'fetch', detail: `d${done}`, done, total: 45 });
    });
    const told = text.split('\n').map((line) => /\d+\/45/.exec(line)?.[0]);
    assert.deepEqual(told.slice(0, -1), [
      '5/45',
      '10/45',
      '15/45',
      '20/45',
      '25/45',
      '30/45',
      '35/45',
      '40/45',
      '45/45',
    ]);
  });

  it('of a run tells each case with its outcome, its reason, and not what was not selected', () => {
    const reporter = toRunReporter(new Progress({ quiet: false, color: false }));
    const run = { suiteId: 's', node: '22.0.0', attempts: [], checks: [], detail: '', durationMs: 5 };
    const text = capture(() => {
      reporter.phase('cases', 2);
      reporter.caseEnded({ ...run, caseId: 'a', outcome: 'pass', reason: null });
      reporter.caseEnded({ ...run, caseId: 'b', outcome: 'unrun', reason: 'budget' });
      reporter.caseEnded({ ...run, caseId: 'd', outcome: 'excluded', reason: 'exclusion' });
      reporter.caseEnded({ ...run, caseId: 'c', outcome: 'unrun', reason: 'selection' });
    });
    const lines = text.split('\n').map((line) => line.replace(/^.* run +/, ''));
    assert.deepEqual(lines, [
      '2 cases',
      '1/2 pass a@22.0.0 5 ms',
      '2/2 unrun (budget) b@22.0.0 5 ms',
      '- excluded (exclusion) d@22.0.0 5 ms',
      '',
    ]);
  });
});

describe('text of a candidate', () => {
  it('keeps its letters and loses its power', () => {
    assert.equal(toLogText('plain ü 語 # [x] ##x'), 'plain ü 語 # [x] ##x');
    assert.equal(toLogText('##[error]a'), '\\u{23}#[error]a');
    assert.equal(toLogText('###vso[a]'), '#\\u{23}#vso[a]');
    assert.doesNotMatch(toLogText(HOSTILE), FORBIDDEN);
    assert.equal(toLogText('x'.repeat(300)).length, 201);
  });

  it('in JSON is the same value on one line', () => {
    const value = { text: HOSTILE, more: ['\u2028\u2029\u0085', 'C:\\##[x]', '\\'] };
    const line = toJsonLine(value);
    assert.deepEqual(JSON.parse(line), value);
    assert.equal(line.indexOf('\n'), line.length - 1);
    assert.doesNotMatch(line.trimEnd(), /[\u2028\u2029\u0085]/);
    assert.doesNotMatch(line.trimEnd(), FORBIDDEN);
  });
});

describe('colour', () => {
  it('is for terminals, unless somebody says otherwise', () => {
    const table: readonly (readonly [boolean, NodeJS.ProcessEnv, boolean, boolean])[] = [
      [true, {}, true, true],
      [true, {}, false, false],
      [false, { FORCE_COLOR: '1' }, true, false],
      [true, { NO_COLOR: '1' }, true, false],
      [true, { NO_COLOR: '' }, true, true],
      [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
      [true, { FORCE_COLOR: '1' }, false, true],
      [true, { FORCE_COLOR: '0' }, true, false],
      [true, { FORCE_COLOR: '' }, false, false],
      [true, { TERM: 'dumb' }, true, false],
    ];
    for (const [flag, env, terminal, expected] of table) {
      assert.equal(wantsColor(flag, env, terminal), expected, JSON.stringify([flag, env, terminal]));
    }
  });

  it('ends where it began', () => {
    assert.equal(paint('x', 'red', true), '\u001b[31mx\u001b[0m');
    assert.equal(paint('x', 'red', false), 'x');
  });
});
