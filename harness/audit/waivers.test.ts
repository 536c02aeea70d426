import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditCandidate } from './audit.ts';
import { AuditError, type AuditErrorCode } from './errors.ts';
import { isUnsafe, listGates } from './report.ts';
import { buildGoodPackage, GOOD_MANIFEST } from './testing/package-builder.ts';
import { applyWaivers, parseWaivers } from './waivers.ts';

const WAIVER = { code: 'BIN_SHEBANG_CRLF', reason: 'npm mends it', expires: '2030-01-31' };
const BEFORE = new Date('2030-01-31T23:59:59Z');
const AFTER = new Date('2030-02-01T00:00:00Z');

const CRLF = buildGoodPackage({ files: { 'cli.js': '#!/usr/bin/env node\r\nconsole.log(1);\r\n' } });
const UNSAFE = buildGoodPackage({ extra: [{ name: 'package/../../evil', content: 'x' }] });

function read(value: unknown): ReturnType<typeof parseWaivers> {
  return parseWaivers(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
}

describe('a waiver file', () => {
  it('is read with and without a path', () => {
    assert.deepEqual(read([WAIVER, { ...WAIVER, path: 'package/cli.js' }]), [
      { ...WAIVER, path: null },
      { ...WAIVER, path: 'package/cli.js' },
    ]);
  });

  it('knows every day of the calendar', () => {
    for (let time = Date.UTC(1999, 0, 1); time < Date.UTC(2005, 0, 1); time += 86_400_000) {
      const expires = new Date(time).toISOString().slice(0, 10);
      assert.equal(read([{ ...WAIVER, expires }])[0]?.expires, expires);
    }
    assert.equal(read([{ ...WAIVER, expires: '2000-02-29' }]).length, 1);
  });

  it('is named in what is wrong with it', () => {
    for (const [text, where] of [
      ['{', 'own.json'],
      ['[{"code":"NO_SUCH_CODE"}]', 'own.json/0/code'],
    ] as const) {
      assert.throws(
        () => parseWaivers(Buffer.from(text), 'own.json'),
        (error) => error instanceof AuditError && error.where === where,
      );
    }
  });

  const refused: readonly (readonly [string, unknown, AuditErrorCode, string])[] = [
    ['cut off', '[{', 'WAIVER_FILE_INVALID', 'waivers'],
    ['an object', {}, 'WAIVER_FILE_INVALID', 'waivers'],
    ['a list of texts', ['BIN_NONE'], 'WAIVER_FILE_INVALID', 'waivers/0'],
    ['an unknown field', [{ ...WAIVER, until: 'x' }], 'WAIVER_FILE_INVALID', 'waivers/0/until'],
    ['no reason', [{ ...WAIVER, reason: ' ' }], 'WAIVER_FILE_INVALID', 'waivers/0/reason'],
    ['no code', [{ ...WAIVER, code: undefined }], 'WAIVER_FILE_INVALID', 'waivers/0/code'],
    ['a path that is a number', [{ ...WAIVER, path: 1 }], 'WAIVER_FILE_INVALID', 'waivers/0/path'],
    [
      'a day that does not exist',
      [{ ...WAIVER, expires: '2030-02-30' }],
      'WAIVER_FILE_INVALID',
      'waivers/0/expires',
    ],
    [
      'a leap day of another year',
      [{ ...WAIVER, expires: '2100-02-29' }],
      'WAIVER_FILE_INVALID',
      'waivers/0/expires',
    ],
    [
      'a date with a time',
      [{ ...WAIVER, expires: '2030-01-31T00:00:00Z' }],
      'WAIVER_FILE_INVALID',
      'waivers/0/expires',
    ],
    [
      'a key given twice',
      `[{"code":"BIN_NONE","code":"BIN_EMPTY"}]`,
      'WAIVER_FILE_INVALID',
      'waivers/0/code',
    ],
    ['an unknown code', [{ ...WAIVER, code: 'BIN_NOON' }], 'WAIVER_CODE_UNKNOWN', 'waivers/0/code'],
    [
      'a code from a prototype',
      [{ ...WAIVER, code: 'constructor' }],
      'WAIVER_CODE_UNKNOWN',
      'waivers/0/code',
    ],
    ['an unsafe code', [{ ...WAIVER, code: 'NAME_DOT_DOT' }], 'WAIVER_CODE_UNSAFE', 'waivers/0/code'],
    ['a waiver for waivers', [{ ...WAIVER, code: 'WAIVER_EXPIRED' }], 'WAIVER_CODE_UNSAFE', 'waivers/0/code'],
    ['the same waiver twice', [WAIVER, WAIVER], 'WAIVER_REPEATED', 'waivers/1'],
    ['too large', `[${' '.repeat(1024 * 1024)}]`, 'WAIVER_FILE_TOO_LARGE', 'waivers'],
  ];
  for (const [defect, value, code, where] of refused) {
    it(`is refused when it has ${defect}`, () => {
      assert.throws(
        () => read(value),
        (error) =>
          error instanceof AuditError &&
          error.code === code &&
          error.where === where &&
          error.kind === 'usage',
      );
    });
  }
});

describe('waivers', () => {
  const report = auditCandidate(CRLF);

  it('leave a gate without one', () => {
    assert.deepEqual(
      listGates(report).map((finding) => finding.code),
      ['BIN_SHEBANG_CRLF'],
    );
  });

  it('cover their finding up to the end of their day, and stay visible', () => {
    const waived = applyWaivers(report, read([WAIVER]), BEFORE);
    assert.deepEqual(listGates(waived), []);
    assert.deepEqual(waived.findings[0]?.waived, { reason: WAIVER.reason, expires: WAIVER.expires });
    assert.deepEqual(waived.waivers, [{ ...WAIVER, path: null, state: 'used' }]);
  });

  it('cover nothing the day after, and say so', () => {
    const waived = applyWaivers(report, read([WAIVER]), AFTER);
    assert.deepEqual(
      listGates(waived).map((finding) => [finding.code, finding.path]),
      [
        ['BIN_SHEBANG_CRLF', 'package/cli.js'],
        ['WAIVER_EXPIRED', 'waivers/0'],
      ],
    );
  });

  it('for another path cover nothing, and are told to be unused', () => {
    const waived = applyWaivers(report, read([{ ...WAIVER, path: 'package/other.js' }]), BEFORE);
    assert.deepEqual(
      waived.findings.map((finding) => [finding.code, finding.path, finding.waived]),
      [
        ['BIN_SHEBANG_CRLF', 'package/cli.js', null],
        ['WAIVER_UNUSED', 'waivers/0', null],
      ],
    );
  });

  it('never cover an unsafe finding, even when made without the parser', () => {
    const forged = { ...WAIVER, code: 'NAME_DOT_DOT', path: null } as const;
    const waived = applyWaivers(auditCandidate(UNSAFE), [forged], BEFORE);
    assert.equal(isUnsafe(waived), true);
    assert.deepEqual(
      listGates(waived).map((finding) => finding.code),
      ['NAME_DOT_DOT'],
    );
  });

  it('of a good package are all unused', () => {
    const waived = applyWaivers(
      auditCandidate(buildGoodPackage({ manifest: GOOD_MANIFEST })),
      read([WAIVER]),
      BEFORE,
    );
    assert.deepEqual(
      waived.findings.map((finding) => finding.code),
      ['WAIVER_UNUSED'],
    );
  });
});
