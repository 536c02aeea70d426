import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SuiteError } from './errors.ts';
import { evaluateCase } from './evaluate/evaluator.ts';
import { EvaluatorChild } from './evaluator-child.ts';
import type { KeptCase } from './evaluator-protocol.ts';
import { bytesOf, compiledCase, compiledCheck, type Observed, observe } from './testing/observations.ts';

const LIMIT_MS = 30_000;
const matches = (pattern: string) =>
  compiledCheck({ kind: 'stream-matches', of: { caseId: null, step: 'step', stream: 'stdout' }, pattern });

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'packproof-evaluator-'));
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

function keep(observed: Observed, name: string): KeptCase {
  const path = join(folder, name);
  writeFileSync(path, observed.bytes.get('case/step/stdout') ?? '');
  return {
    observation: observed.observation,
    spooled: [{ name: 'step', stdout: path, stderr: null }],
    kept: [],
  };
}

/** Kept bytes that block whoever reads them, in place of a text that takes too long to match. */
function keepBlocking(observed: Observed): KeptCase {
  const path = join(folder, 'blocking');
  execFileSync('mkfifo', [path]);
  return {
    observation: observed.observation,
    spooled: [{ name: 'step', stdout: path, stderr: null }],
    kept: [],
  };
}

async function codeOf(promise: Promise<unknown>): Promise<{ readonly code: string; readonly where: string }> {
  const error = await promise.then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SuiteError, String(error));
  assert.equal(error.kind, 'infrastructure');
  return { code: error.code, where: error.where };
}

describe('evaluation in another process', () => {
  test('gives the same answer as in this one, to many questions at once', async () => {
    const child = new EvaluatorChild();
    try {
      const observed = observe({ steps: [{ stdout: 'hello\n' }] });
      const kept = keep(observed, 'same');
      const cases = [matches('hello'), matches('jello')].map((check) => compiledCase([check]));
      const answers = await Promise.all(cases.map((one) => child.evaluate(one, [kept], LIMIT_MS)));
      assert.deepEqual(
        answers,
        cases.map((one) => evaluateCase(one, [observed.observation], bytesOf(observed))),
      );
      assert.deepEqual(
        answers.map((answer) => answer.outcome),
        ['pass', 'fail'],
      );
      assert.equal(await child.classify(kept, LIMIT_MS), 'unclear');
    } finally {
      await child.close();
    }
  });

  test('takes a stream without a file as empty and a lost file as unknown', async () => {
    const child = new EvaluatorChild();
    try {
      const { observation } = observe({ steps: [{}] });
      const empty = compiledCase([
        compiledCheck({
          kind: 'stream-empty',
          of: { caseId: null, step: 'step', stream: 'stdout' },
          ignoreWhitespace: false,
        }),
      ]);
      const none = { observation, spooled: [{ name: 'step', stdout: null, stderr: null }], kept: [] };
      assert.equal((await child.evaluate(empty, [none], LIMIT_MS)).outcome, 'pass');
      const lost = {
        observation,
        spooled: [{ name: 'step', stdout: join(folder, 'absent'), stderr: null }],
        kept: [],
      };
      assert.equal((await child.evaluate(empty, [lost], LIMIT_MS)).outcome, 'error');
    } finally {
      await child.close();
    }
  });

  test('is killed when it takes too long, and answers the next question anew', async () => {
    const child = new EvaluatorChild();
    try {
      const observed = observe({ steps: [{ stdout: 'hello\n' }] });
      assert.equal(await child.classify(keep(observed, 'warm'), LIMIT_MS), 'unclear');
      const slow = child.evaluate(compiledCase([matches('x')]), [keepBlocking(observed)], 200);
      const next = child.evaluate(compiledCase([matches('hello')]), [keep(observed, 'next')], LIMIT_MS);
      assert.deepEqual(await codeOf(slow), { code: 'EVALUATOR_TIMED_OUT', where: 'case' });
      assert.equal((await next).outcome, 'pass');
    } finally {
      await child.close();
    }
  });

  test('says so when a question makes no sense', async () => {
    const child = new EvaluatorChild();
    try {
      const kept = keep(observe({ steps: [{ stdout: 'x' }] }), 'senseless');
      const broken = compiledCase([matches('(')]);
      assert.deepEqual(await codeOf(child.evaluate(broken, [kept], LIMIT_MS)), {
        code: 'EVALUATOR_REQUEST_MALFORMED',
        where: 'case',
      });
    } finally {
      await child.close();
    }
  });

  test('answers nothing once it is closed', async () => {
    const child = new EvaluatorChild();
    await child.close();
    const kept = keep(observe({ steps: [{}] }), 'closed');
    assert.deepEqual(await codeOf(child.classify(kept, LIMIT_MS)), { code: 'EVALUATOR_LOST', where: 'case' });
  });
});
