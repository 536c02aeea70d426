import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Failure, ResultDocument } from './result-document.ts';
import { toResultText } from './result-text.ts';

const FAILURE: Failure = {
  case: 'bin.x.arguments@22.0.0',
  check: 'version.matches',
  severity: 'gate',
  message: 'printed 1.2.2',
  advice: 'print the version of your package.json',
  evidencePath: 'cases/x/receipt.json',
};

function counted(change: Partial<ResultDocument['counts']>): ResultDocument['counts'] {
  return { pass: 0, fail: 0, error: 0, unrun: 0, excluded: 0, unsupported: 0, flaky: 0, ...change };
}

function result(change: Partial<ResultDocument> = {}): ResultDocument {
  return {
    formatVersion: 1,
    result: 'passed',
    exitCode: 0,
    candidate: { name: 'x', version: '1.2.3', sha256: '', sha512: '' },
    engine: { name: 'runc', version: '1.1.15' },
    counts: counted({ pass: 3, fail: 0, error: 0, unrun: 0, excluded: 0, unsupported: 2, flaky: 0 }),
    failures: [],
    audit: [],
    evidence: '.packproof/evidence/x@1.2.3/1',
    verdict: 'accepted',
    signedBy: null,
    budget: { limitMs: 180_000, usedMs: 900, exhausted: false },
    prepareMs: null,
    selfCheck: null,
    durationMs: 1_234,
    ...change,
  };
}

describe('the result for people', () => {
  it('says in one line what was found, and where the evidence lies', () => {
    assert.equal(
      toResultText(result(), false),
      'passed  x@1.2.3  3 pass, 2 unsupported  on runc, 1.2 s, exit 0\n  evidence .packproof/evidence/x@1.2.3/1 (accepted, unsigned)\n',
    );
  });

  it('tells apart what the budget does not count', () => {
    const text = toResultText(result({ prepareMs: 340 }), false);
    assert.match(text, /on runc, 1\.2 s \(0\.3 s to prepare, not in the budget\), exit 0\n/);
  });

  it('names the key that signed the evidence', () => {
    const signed = toResultText(result({ signedBy: 'ab12' }), false);
    assert.match(signed, /\(accepted, signed by ab12\)\n$/);
  });

  it('always tells the number of passed cases, also none', () => {
    const counts = counted({ unrun: 4 });
    const text = toResultText(result({ counts, engine: null, result: 'failed', exitCode: 1 }), false);
    assert.match(text, /^failed {2}x@1\.2\.3 {2}0 pass, 4 unrun {2}on no engine, 1\.2 s, exit 1\n/);
  });

  it('names what failed with its advice, and the findings that are more than information', () => {
    const finding = {
      unsafe: false,
      path: 'package/cli.js',
      expected: '#!',
      actual: 'x',
      advice: 'write one',
      waived: false,
    };
    const text = toResultText(
      result({
        failures: [FAILURE, { ...FAILURE, check: '', severity: 'warn', advice: '' }],
        audit: [
          { ...finding, code: 'BIN_SHEBANG_MISSING', severity: 'gate' },
          { ...finding, code: 'REPOSITORY_MISSING', severity: 'info' },
          { ...finding, code: 'SECRET_FILE', severity: 'warn', waived: true },
        ],
      }),
      false,
    );
    assert.deepEqual(text.split('\n').slice(1), [
      '  gate bin.x.arguments@22.0.0 version.matches: printed 1.2.2',
      '       - print the version of your package.json',
      '  warn bin.x.arguments@22.0.0: printed 1.2.2',
      '       in cases/x/receipt.json',
      '  gate BIN_SHEBANG_MISSING package/cli.js: expected #!, got x',
      '       - write one',
      '  waiv SECRET_FILE package/cli.js: expected #!, got x',
      '  evidence .packproof/evidence/x@1.2.3/1 (accepted, unsigned)',
      '',
    ]);
  });

  it('is cut after forty failures and says how many more there are', () => {
    const lines = toResultText(result({ failures: Array.from({ length: 50 }, () => FAILURE) }), false).split(
      '\n',
    );
    assert.equal(lines.filter((line) => line.startsWith('  gate')).length, 40);
    assert.equal(lines.filter((line) => line === '  … 10 more').length, 1);
  });

  it('lets no text of a candidate command a terminal or a CI system', () => {
    const evil = 'a\n::error::b\u001b[2J\u009b##[error]c\r\u202e';
    const finding: ResultDocument['audit'][number] = {
      code: 'X',
      severity: 'gate',
      unsafe: false,
      path: evil,
      expected: evil,
      actual: evil,
      advice: evil,
      waived: false,
    };
    const text = toResultText(
      result({
        candidate: { name: evil, version: evil, sha256: '', sha512: '' },
        failures: [{ ...FAILURE, case: evil, check: evil, message: evil, advice: evil }],
        audit: [finding],
        evidence: evil,
      }),
      false,
    );
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|##\[/);
    assert.equal(text.split('\n').length, 8);
    assert.doesNotMatch(text, /^\s*::/m);
  });

  it('is coloured only when asked for', () => {
    assert.doesNotMatch(toResultText(result({ failures: [FAILURE] }), false), /\u001b/);
    assert.match(toResultText(result({ failures: [FAILURE] }), true), /^\u001b\[32mpassed\u001b\[0m/);
  });
});
