import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CompiledSuite } from '../suite/compiled.ts';
import type { ErrorDocument } from './error-document.ts';
import { packFault } from './testing/candidates.ts';
import {
  assertAccepted,
  parseResult,
  parseStdout,
  readReceipt,
  readReport,
  readStatement,
} from './testing/documents.ts';
import { differingCases, prepareMixed, showMixed } from './testing/mixed/show.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];
/** Of 30 attempts all or none end with 0 once in 2^29 runs. */
const ATTEMPTS = 30;
/** `npm run mixed` runs 300. */
const MIXED_CASES = 24;

describe('selection, exceptions, order and repetition through the real program', () => {
  let bench: Workbench;
  let number = 0;
  /** A context without exceptions. */
  let plain = '';

  before(async () => {
    bench = await Workbench.open();
    const programs = {
      says: "console.log('a line');",
      waits: 'setTimeout(() => {}, 300);',
      throws: "throw new Error('always');",
      coin: 'process.exitCode = Math.random() < 0.5 ? 0 : 1;',
    };
    await bench.writeFile('working.tgz', packFault(programPackage('working', programs)));
    plain = await prepare();
  });
  after(() => bench.close());

  /** A context of these cases; the candidate is the same each time. */
  async function prepare(
    exceptions: Partial<Pick<CompiledSuite, 'exclusions' | 'expectedUnsupported'>> = {},
  ): Promise<string> {
    number += 1;
    const cases = [
      { ...binCase('says.one', 'says'), tags: ['fast'] },
      { ...binCase('says.two', 'says'), tags: ['fast', 'twin'] },
      ...['a', 'b', 'c', 'd'].map((name) => binCase(`waits.${name}`, 'waits')),
      binCase('coin', 'coin'),
      binCase('throws', 'throws'),
    ];
    await bench.writeFile(`suite-${number}.json`, suiteBytes(cases, 'working', exceptions));
    const context = join(bench.work, `context-${number}`);
    const args = ['--suite', `suite-${number}.json`, '--out', context, ...RUNC, '--node', '22'];
    const prepared = await bench.run(['prepare', 'working.tgz', ...args]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
    return context;
  }

  function run(context: string, out: string, flags: readonly string[]): Promise<Answer> {
    return bench.run(['run', context, '--out', out, '--json', ...RUNC, ...flags]);
  }

  it('selects by glob and tag, says so in report and statement, and refuses to select nothing', async () => {
    const out = join(bench.work, 'tagged');
    const answer = await run(plain, out, ['--only', 'tag:tw*', 'says.{one,none}']);
    assert.equal(answer.exitCode, 0, answer.stderr);
    await assertAccepted(bench, out, 0);
    const told = (await bench.run(['verify', out])).stdout;
    assert.match(told, /exit code 0: 2 pass, 6 unrun\n.*6 of 8 cases, which did not run: 6 unrun\n/);
    assert.equal(parseResult(answer).counts['pass'], 2);
    assert.equal(parseResult(answer).counts['unrun'], 6);
    const { predicate } = readStatement(out);
    assert.deepEqual(
      [predicate.result, predicate.declaredTests, predicate.selectedTests, predicate.executedTests],
      ['FAILED', 8, 2, 2],
    );
    const nothing: readonly (readonly [readonly string[], string])[] = [
      [['--only', 'tag:none'], 'PATTERN_MATCHES_NOTHING'],
      [['--only', 'says.*', 'sasy.*'], 'PATTERN_MATCHES_NOTHING'],
      [['--only', 'says.one', '--shard', '77/99'], 'NO_CASES_SELECTED'],
      [['--only', '!says.one'], 'FLAG_VALUE'],
      [['--only', '**'], 'FLAG_VALUE'],
      [['--shuffle', 'a seed'], 'FLAG_VALUE'],
    ];
    for (const [flags, code] of nothing) {
      const refused = await run(plain, join(bench.work, 'none'), flags);
      assert.equal(refused.exitCode, 2, refused.stderr);
      assert.match(refused.stderr, new RegExp(`\\[${code}\\]`));
      assert.equal(parseStdout<ErrorDocument>(refused).error.code, code);
    }
  });

  it('comes to the same in every order and split, on both engines, as the cases themselves say', async () => {
    requireDocker();
    const mixed = await prepareMixed(bench, MIXED_CASES);
    const seeds = ['one', 'two'];
    const whole = await showMixed(bench, mixed, { engine: 'runc', seeds, shards: 0 });
    const split = await showMixed(bench, mixed, { engine: 'docker', seeds: [], shards: 2 });
    assert.deepEqual(differingCases([...whole, ...split]), []);
    assert.equal(whole.length + split.length, 3);
    const shuffles = seeds.map((seed) => readReport(join(bench.work, `runc-${seed}`)).selection.shuffle);
    assert.deepEqual(shuffles, seeds);
    // What is compared tells one case from another, and so would tell two ends of one.
    const [first = ''] = whole[0]?.words.values() ?? [];
    const changed = new Map(whole[0]?.words).set('class', first.replace('"exited"', '"signaled"'));
    assert.equal(differingCases([...whole, { name: 'changed', words: changed, seconds: 0 }]).length, 1);
  });

  it('finds a flaky program, fails, and keeps every attempt', async () => {
    const out = join(bench.work, 'flaky');
    const flags = ['--only', 'coin', 'says.one', '--repeat', String(ATTEMPTS)];
    const answer = await run(plain, out, flags);
    assert.equal(answer.exitCode, 1, answer.stderr);
    await assertAccepted(bench, out, 1);
    const result = parseResult(answer);
    assert.deepEqual([result.counts['flaky'], result.counts['pass']], [1, 1]);
    const receipt = readReceipt(out, 'coin');
    assert.deepEqual([receipt.outcome, receipt.reason], ['flaky', 'attempts-differ']);
    assert.equal(receipt.attempts.length, ATTEMPTS);
    const codes = receipt.attempts.map(({ steps }) => JSON.stringify(steps[0]?.termination));
    assert.equal(new Set(codes).size, 2, codes.join());
  });

  it('excludes with the reason, and fails when an expectation is stale', async () => {
    const context = await prepare({
      exclusions: [{ cases: 'waits.*', reason: 'too slow here', count: 4 }],
      expectedUnsupported: [{ cases: 'says.two', reason: 'comes later', count: 1 }],
    });
    const out = join(bench.work, 'excepted');
    const answer = await run(context, out, ['--only', 'says.*']);
    assert.equal(answer.exitCode, 1, answer.stderr);
    await assertAccepted(bench, out, 1);
    const receipt = readReceipt(out, 'waits.a');
    assert.deepEqual(
      [receipt.outcome, receipt.reason, receipt.detail, receipt.attempts],
      ['excluded', 'exclusion', 'too slow here', []],
    );
    const [stale] = parseResult(answer).failures;
    assert.deepEqual([stale?.check, stale?.severity], ['EXPECTED_UNSUPPORTED_STALE', 'gate']);
    assert.match(stale?.message ?? '', /comes later.*is pass/);
    const { exclusions, expectedUnsupported, staleExpectations } = readReport(out);
    assert.equal(exclusions.length, 4);
    assert.deepEqual(expectedUnsupported, [{ caseId: 'says.two', reason: 'comes later' }]);
    assert.deepEqual(
      staleExpectations.map(({ caseId, outcome }) => [caseId, outcome]),
      [['says.two', 'pass']],
    );
    const quiet = await run(context, join(bench.work, 'quiet'), ['--only', 'says.one']);
    assert.equal(quiet.exitCode, 0, quiet.stderr);
    const excluded = await run(context, join(bench.work, 'left'), ['--only', 'waits.*']);
    assert.equal(excluded.exitCode, 2, excluded.stderr);
    assert.match(excluded.stderr, /\[PATTERN_MATCHES_NOTHING\]/);
  });

  it('refuses a suite whose exceptions are stale, before anything is fetched', async () => {
    const text = [
      ...['formatVersion: 1', 'id: own', 'title: a', 'proves: b', 'doesNotProve: c', 'cases:'],
      ...['  - { id: one, why: d, steps: [{ argv: [node] }] }', 'exclusions:'],
      '  - { cases: "two*", reason: gone, count: 1 }',
    ];
    await bench.writeFile('stale.yaml', `${text.join('\n')}\n`);
    const answer = await bench.run(['check', 'absent.tgz', '--suite', 'stale.yaml', ...RUNC]);
    assert.equal(answer.exitCode, 2);
    assert.match(answer.stderr, /stale\.yaml:9:5: .*\[EXCEPTION_STALE\]/);
  });
});
