import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import { exportEvidence } from '../evidence/export.ts';
import type { ExportInput } from '../evidence/export-input.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';
import type { CaseRun } from '../run/result.ts';
import { plainCase, plainStep } from '../run/testing/plain-case.ts';
import type { CompiledCase, Expectation } from '../suite/compiled.ts';
import { assertedStreams, streamKey } from './asserted.ts';
import { compareBundles } from './compare-bundles.ts';
import { resultOf, strongestResult } from './difference.ts';
import { ReplayError } from './errors.ts';
import { findFirstBytes } from './first-bytes.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { ReplayDocument } from './replay-document.ts';
import { firstOwnStep } from './shell.ts';
import { StoredBundle } from './stored-bundle.ts';

const folder = await mkdtemp(join(tmpdir(), 'packproof-replay-'));
after(() => rm(folder, { recursive: true, force: true }));

let count = 0;

interface Made {
  readonly bundle: StoredBundle;
  readonly input: ExportInput;
}

/** A bundle of one case `help` that prints `help`, changed before it is written. */
async function bundle(change: (run: CaseRun) => CaseRun = (run) => run, text = 'help\n'): Promise<Made> {
  count += 1;
  const place = join(folder, String(count));
  const run = await sampleCase(join(place, 'spool'), 'help', 'pass');
  await writeFile(join(place, 'spool', 'help.stdout'), text);
  const input = await sampleExport(place, [change(run)]);
  await exportEvidence(input);
  return { bundle: await StoredBundle.open(input.target), input };
}

const HELP_STDOUT = { caseId: null, step: 'main', stream: 'stdout' } as const;

function caseWith(expect: Expectation): CompiledCase {
  const one = plainCase({ id: 'help' });
  const check = { id: 'c', severity: 'gate', why: 'w', advice: 'a', precondition: null, expect } as const;
  return { ...one, checks: [check] };
}

/** The case `help` with a reader that goes away after so many bytes. */
function closingAfter(closeAfterBytes: number): CompiledCase {
  const one = plainCase({ id: 'help' });
  return {
    ...one,
    steps: one.steps.map((step) => ({ ...step, name: 'main', stdout: { closeAfterBytes } })),
  };
}

async function compare(left: Made, right: Made, expect?: Expectation): Promise<ReplayDocument> {
  return compareAs(left, right, expect === undefined ? [] : [caseWith(expect)]);
}

async function compareAs(left: Made, right: Made, cases: readonly CompiledCase[]): Promise<ReplayDocument> {
  const suite = {
    formatVersion: 1,
    id: 'smoke',
    title: '',
    proves: [],
    doesNotProve: [],
    archives: [],
    exclusions: [],
    expectedUnsupported: [],
    cases,
  } as const;
  const run: RecordedRun = {
    report: left.input.report,
    selection: { only: [], shard: null, shuffle: null },
    budgetMs: 1000,
    archives: [],
    packageLock: Buffer.from('{}'),
    audit: Buffer.from('{}'),
    suites: [{ id: 'smoke', bytes: Buffer.from('{}'), sources: [], suite }],
    images: [],
  };
  return compareBundles({ run, recorded: left.bundle, replayed: right.bundle, durationMs: 1 });
}

/** Changes the one attempt of a case. */
function changeObservation(
  change: (seen: NonNullable<CaseRun['attempts'][number]['observation']>) => object,
): (run: CaseRun) => CaseRun {
  return (run) => ({
    ...run,
    attempts: run.attempts.map((attempt) =>
      attempt.observation === null
        ? attempt
        : { ...attempt, observation: { ...attempt.observation, ...change(attempt.observation) } },
    ),
  });
}

function says(text: string): (run: CaseRun) => CaseRun {
  const digest = Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64);
  return changeObservation(({ steps }) => ({
    steps: steps.map((step) => ({
      ...step,
      stdout: { ...step.stdout, totalBytes: text.length, totalSha256: digest, keptSha256: digest },
    })),
  }));
}

test('two runs that print the same are identical, whatever their times', async () => {
  const later = changeObservation(({ steps }) => ({
    boxId: 'another',
    steps: steps.map((step) => ({ ...step, startedAt: '2027-01-02T03:04:05.000Z', durationMs: 77 })),
  }));
  const document = await compare(await bundle(), await bundle(later));
  assert.deepEqual([document.result, document.exitCode, document.sameBoundary], ['identical', 0, true]);
  assert.deepEqual(document.counts, { identical: 1, equivalent: 0, different: 0 });
  assert.notEqual(document.recorded.bundleSha256, document.replayed.bundleSha256);
});

test('bytes that no check states are drift, shown from the first that differs', async () => {
  const document = await compare(await bundle(), await bundle(says('held\n'), 'held\n'));
  assert.deepEqual([document.result, document.exitCode], ['equivalent', 0]);
  const [difference] = document.cases[0]?.differences ?? [];
  assert.deepEqual(
    [difference?.kind, difference?.where, difference?.decisive],
    ['stream', 'main stdout', false],
  );
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  assert.deepEqual(difference?.bytes, { offset: 3, recordedHex: hex('p\n'), replayedHex: hex('d\n') });
});

test('the same bytes make a replay different when a check states them', async () => {
  const expect = { kind: 'stream-equals', of: HELP_STDOUT, contentBase64: '' } as const;
  const document = await compare(await bundle(), await bundle(says('held\n'), 'held\n'), expect);
  assert.deepEqual([document.result, document.exitCode], ['different', 1]);
  assert.equal(document.cases[0]?.differences[0]?.decisive, true);
});

test('an outcome, a check, a termination, a number of attempts or a step that changed is decisive', async () => {
  const changes: readonly (readonly [string, string, (run: CaseRun) => CaseRun])[] = [
    ['outcome', '', (run) => ({ ...run, outcome: 'fail' })],
    ['outcome', '', (run) => ({ ...run, reason: 'budget' })],
    ['check', 'says-its-name', (run) => ({ ...run, checks: [] })],
    ['attempts', '', (run) => ({ ...run, attempts: [] })],
    ['steps', 'attempt 1', changeObservation(() => ({ steps: [] }))],
    [
      'termination',
      'main',
      changeObservation(({ steps }) => ({
        steps: steps.map((step) => ({ ...step, termination: { kind: 'exited', code: 1 } })),
      })),
    ],
    [
      'termination',
      'main',
      changeObservation(({ steps }) => ({ steps: steps.map((step) => ({ ...step, oomKilled: true })) })),
    ],
  ];
  const recorded = await bundle();
  for (const [kind, where, change] of changes) {
    const document = await compare(recorded, await bundle(change));
    const [difference] = document.cases[0]?.differences ?? [];
    assert.deepEqual([document.result, difference?.kind, difference?.where], ['different', kind, where]);
  }
});

test('the end of a step whose reader goes away midway is drift, and no other end is', async () => {
  const failing = changeObservation(({ steps }) => ({
    steps: steps.map((step) => ({ ...step, termination: { kind: 'exited', code: 1 } })),
  }));
  const [recorded, replayed] = [await bundle(), await bundle(failing)];
  const ends = async (closeAfterBytes: number): Promise<readonly unknown[]> => {
    const { result, cases } = await compareAs(recorded, replayed, [closingAfter(closeAfterBytes)]);
    return [result, ...(cases[0]?.differences.map(({ kind, decisive }) => [kind, decisive]) ?? [])];
  };
  assert.deepEqual(await ends(1), ['equivalent', ['termination', false]]);
  assert.deepEqual(await ends(0), ['different', ['termination', true]]);
});

/** The case states the whole stream, and what of it may differ. */
function volatileIn(
  part: { readonly pattern: string | null },
  ...asserts: readonly Expectation[]
): CompiledCase {
  const stated = asserts[0] ?? { kind: 'stream-includes', of: HELP_STDOUT, text: 'h' };
  const why = 'prints the time';
  return {
    ...caseWith(stated),
    volatile: [{ kind: 'stream', step: 'main', stream: 'stdout', why, ...part }],
  };
}

test('what a case says may differ is cut out of both sides, and hides nothing else', async () => {
  const expect = { kind: 'stream-equals', of: HELP_STDOUT, contentBase64: '' } as const;
  const at = (text: string) => bundle(says(text), text);
  const recorded = await at('ready at 11:58\n');
  const tell = async (text: string, one: CompiledCase): Promise<readonly unknown[]> => {
    const { result, cases } = await compareAs(recorded, await at(text), [one]);
    return [result, ...(cases[0]?.differences.map(({ decisive, volatile }) => [decisive, volatile]) ?? [])];
  };
  const time = { pattern: '[0-9]{2}:[0-9]{2}' };
  const stated = volatileIn(time, expect);
  const explained = ['equivalent', [false, 'prints the time']];
  // The control: without the statement it is a difference, and with it what it does not match stays one.
  assert.deepEqual(await tell('ready at 12:03\n', caseWith(expect)), ['different', [true, null]]);
  assert.deepEqual(await tell('ready at 12:03\n', stated), explained);
  assert.deepEqual(await tell('steady at 12:03\n', stated), ['different', [true, null]]);
  assert.deepEqual(await tell('ready at 12:03 12:04\n', stated), ['different', [true, null]]);
  assert.deepEqual(await tell('ready at \n', stated), ['different', [true, null]]);
  assert.deepEqual(await tell('12:03ready at \n', stated), ['different', [true, null]]);
  // Of a stated stream something is left; all of another one may go.
  assert.deepEqual(await tell('other\n', volatileIn({ pattern: '(?s).+' }, expect)), [
    'different',
    [true, null],
  ]);
  assert.deepEqual(await tell('other\n', volatileIn({ pattern: null })), explained);
  assert.deepEqual(await tell('steady at 12:03\n', volatileIn(time)), ['equivalent', [false, null]]);
});

test('a file of other content is drift and its time is nothing', async () => {
  const holds = (change: object): ((run: CaseRun) => CaseRun) =>
    changeObservation(() => ({ after: { way: 'host', entries: [{ ...ENTRY, ...change }], truncated: [] } }));
  const recorded = await bundle(holds({}));
  assert.equal((await compare(recorded, await bundle(holds({ mtimeMs: 2 })))).result, 'identical');
  const document = await compare(recorded, await bundle(holds({ sha256: 'b'.repeat(64) })));
  assert.equal(document.result, 'equivalent');
  assert.deepEqual(
    document.cases[0]?.differences.map(({ kind, where, recorded: was, replayed }) => [
      kind,
      where,
      was,
      replayed,
    ]),
    [['files', 'after /work/a', `sha256 ${'a'.repeat(64)}`, `sha256 ${'b'.repeat(64)}`]],
  );
  const gone = await compare(recorded, await bundle());
  assert.deepEqual(
    gone.cases[0]?.differences.map(({ where, recorded: was, replayed }) => [where, was, replayed]),
    [['after /work/a', 'file', 'absent']],
  );
});

test('files that a case says may differ are told apart from others, with the reason', async () => {
  const entry = (path: string, digit: string) => ({ ...ENTRY, path, sha256: digit.repeat(64) });
  const left = (digit: string): ((run: CaseRun) => CaseRun) =>
    changeObservation(() => ({
      after: {
        way: 'host',
        entries: ['/tmp/cache/a', '/tmp/cached'].map((path) => entry(path, digit)),
        truncated: [],
      },
    }));
  const one: CompiledCase = {
    ...caseWith({ kind: 'no-leftovers' }),
    volatile: [{ kind: 'files', path: '/tmp/cache', why: 'a cache' }],
  };
  const document = await compareAs(await bundle(left('a')), await bundle(left('b')), [one]);
  assert.equal(document.result, 'equivalent');
  assert.deepEqual(
    document.cases[0]?.differences.map(({ where, volatile }) => [where, volatile]),
    [
      ['after /tmp/cache/a', 'a cache'],
      ['after /tmp/cached', null],
    ],
  );
});

const ENTRY = {
  path: '/work/a',
  kind: 'file',
  mode: '0644',
  uid: 1000,
  gid: 1000,
  sizeBytes: 1,
  mtimeMs: 1,
  sha256: 'a'.repeat(64),
  target: null,
} as const;

/** The case with one control, of whose looks one has this entry and the others none. */
function controlSaw(look: 'laid' | 'ran' | 'undone', change: object | null): (run: CaseRun) => CaseRun {
  const none = { way: 'host', entries: [], truncated: [] } as const;
  const some = { ...none, entries: change === null ? [] : [{ ...ENTRY, ...change }] };
  return changeObservation(() => ({
    controls: [{ step: 'works', laid: none, program: [], ran: none, undone: none, [look]: some }],
  }));
}

/** The same of which the looks are empty and the program is this file, or none that is listed. */
function controlRan(sha256: string | null): (run: CaseRun) => CaseRun {
  const none = { way: 'host', entries: [], truncated: [] } as const;
  const file = sha256 === null ? null : { path: '/bin/a', mode: '0755', sizeBytes: 1, sha256 };
  return changeObservation(() => ({
    controls: [{ step: 'works', laid: none, program: [{ word: 0, file }], ran: none, undone: none }],
  }));
}

test('another program of a control is decisive', async () => {
  const shown = async (recorded: string | null, replayed: string | null): Promise<readonly unknown[]> => {
    const [left, right] = [await bundle(controlRan(recorded)), await bundle(controlRan(replayed))];
    const { result, cases } = await compare(left, right);
    return [
      result,
      ...(cases[0]?.differences.map((one) => [one.kind, one.where, one.recorded, one.replayed]) ?? []),
    ];
  };
  const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
  assert.deepEqual(await shown(one, one), ['identical']);
  assert.deepEqual(await shown(one, other), [
    'different',
    ['control', 'works program argv[0]', `sha256 ${one}`, `sha256 ${other}`],
  ]);
  const [result, difference] = await shown(one, null);
  assert.deepEqual(
    [result, Array.isArray(difference) ? difference[1] : null],
    ['different', 'works program argv[0]'],
  );
});

test('what a control did is decisive, and other bytes in what it left are drift', async () => {
  const shown = async (
    look: 'laid' | 'ran' | 'undone',
    changes: readonly [recorded: object | null, replayed: object | null],
  ): Promise<readonly unknown[]> => {
    const [left, right] = changes.map((change) => controlSaw(look, change));
    const { result, cases } = await compare(await bundle(left), await bundle(right));
    return [result, ...(cases[0]?.differences.map(({ kind, where }) => `${kind} ${where}`) ?? [])];
  };
  const other = { sha256: 'b'.repeat(64) };
  assert.deepEqual(await shown('ran', [{}, { mtimeMs: 2 }]), ['identical']);
  assert.deepEqual(await shown('ran', [{}, other]), ['equivalent', 'control works ran /work/a']);
  assert.deepEqual(await shown('ran', [{}, null]), ['different', 'control works ran /work/a']);
  assert.deepEqual(await shown('ran', [{}, { kind: 'fifo', sha256: null }]), [
    'different',
    'control works ran /work/a',
  ]);
  assert.deepEqual(await shown('laid', [{}, other]), ['different', 'control works laid /work/a']);
  assert.deepEqual(await shown('undone', [null, {}]), ['different', 'control works undone /work/a']);
});

/** The case `help` whose step `main` is a reference, with a check of that step and one of the candidate's. */
function withReference(expect: Expectation): CompiledCase {
  const one = caseWith(expect);
  return { ...one, references: [{ step: 'main', archive: 'parser', files: [] }] };
}

test('whatever a reference did is drift, and the same of a step of the candidate is not', async () => {
  const expect = { kind: 'stream-equals', of: HELP_STDOUT, contentBase64: '' } as const;
  const tell = async (
    change: (run: CaseRun) => CaseRun,
    one: CompiledCase,
    left: (run: CaseRun) => CaseRun = (run) => run,
  ): Promise<readonly unknown[]> => {
    const { result, cases } = await compareAs(await bundle(left), await bundle(change), [one]);
    return [result, ...(cases[0]?.differences.map(({ kind, decisive }) => [kind, decisive]) ?? [])];
  };
  const changes: readonly (readonly [string, (run: CaseRun) => CaseRun])[] = [
    [
      'termination',
      changeObservation(({ steps }) => ({
        steps: steps.map((step) => ({ ...step, termination: { kind: 'exited', code: 127 } })),
      })),
    ],
    ['stream', says('held\n')],
    [
      'check',
      (run) => ({ ...run, checks: run.checks.map((check) => ({ ...check, id: 'c', result: 'fail' })) }),
    ],
  ];
  const recorded = (run: CaseRun): CaseRun => ({
    ...run,
    checks: run.checks.map((check) => ({ ...check, id: 'c' })),
  });
  for (const [kind, change] of changes) {
    const changed = (run: CaseRun): CaseRun => change(recorded(run));
    assert.deepEqual(await tell(changed, withReference(expect), recorded), ['equivalent', [kind, false]]);
    assert.deepEqual(await tell(changed, caseWith(expect), recorded), ['different', [kind, true]]);
  }
  // The undo of a reference is our own doing: a check of it stays decisive.
  const undone = withReference({ kind: 'control-undone', control: 'main' });
  const failing = (run: CaseRun): CaseRun => changes[2]?.[1](recorded(run)) ?? run;
  assert.deepEqual(await tell(failing, undone, recorded), ['different', ['check', true]]);
  // The files around it are only drift: what matters of them is in that check.
  const of = (step: string): CompiledCase => ({
    ...withReference(expect),
    references: [{ step, archive: 'parser', files: [] }],
  });
  const looks = [controlSaw('undone', null), controlSaw('undone', {})] as const;
  assert.deepEqual(await tell(looks[1], of('works'), looks[0]), ['equivalent', ['control', false]]);
  assert.deepEqual(await tell(looks[1], of('other'), looks[0]), ['different', ['control', true]]);
});

test('the environment of a shell is that of the first step of the candidate', () => {
  const [control, reference, own] = ['works', 'reference', 'run'].map((name) => plainStep({ name }));
  assert.ok(control !== undefined && reference !== undefined && own !== undefined);
  const references = [{ step: 'reference', archive: 'parser', files: [] }];
  const controls = [{ step: 'works', phase: 'positive', files: [], remove: [], restore: [] } as const];
  const one = plainCase({ steps: [control, reference, own], controls, references });
  assert.equal(firstOwnStep(one).name, 'run');
  assert.equal(firstOwnStep({ ...one, steps: [control, own], references: [] }).name, 'run');
  assert.throws(() => firstOwnStep({ ...one, steps: [control, reference] }));
});

/** The case that left `/work/a` with this text, of which the bytes were kept or not. */
async function leaves(text: string, isKept: boolean): Promise<(run: CaseRun) => CaseRun> {
  const sha256 = sha256Hex(Buffer.from(text));
  const file = join(folder, `kept-${sha256}`);
  await writeFile(file, text);
  const seen = changeObservation(() => ({
    after: { way: 'host', entries: [{ ...ENTRY, sha256, sizeBytes: text.length }], truncated: [] },
  }));
  const kept = isKept ? [{ sha256, file }] : [];
  return (run) => {
    const { attempts, ...rest } = seen(run);
    return { ...rest, attempts: attempts.map((attempt) => ({ ...attempt, kept })) };
  };
}

test('kept files are compared byte by byte, and one that was looked into in one run alone is decisive', async () => {
  const recorded = await bundle(await leaves('some text', true));
  assert.equal((await compare(recorded, await bundle(await leaves('some text', true)))).result, 'identical');
  const drift = await compare(recorded, await bundle(await leaves('some word', true)));
  assert.equal(drift.result, 'equivalent');
  assert.deepEqual(
    drift.cases[0]?.differences.map(({ kind, where, bytes }) => [kind, where, bytes?.offset ?? null]),
    [
      ['files', 'after /work/a', null],
      ['kept-file', 'after /work/a', 'some '.length],
    ],
  );
  const unseen = await compare(recorded, await bundle(await leaves('some text', false)));
  assert.deepEqual(
    [unseen.result, unseen.cases[0]?.differences.map(({ kind, replayed }) => [kind, replayed])],
    ['different', [['kept-file', 'not kept']]],
  );
});

test('a case in only one of the two is decisive, and another boundary makes everything different', async () => {
  const recorded = await bundle();
  const renamed = await compare(recorded, await bundle((run) => ({ ...run, caseId: 'other' })));
  assert.equal(renamed.result, 'different');
  assert.deepEqual(
    renamed.cases.map(({ differences }) => [differences[0]?.kind, differences[0]?.recorded]),
    [
      ['case-absent', 'present'],
      ['case-absent', 'absent'],
    ],
  );
  const target = join(folder, 'relaxed');
  await exportEvidence({
    ...recorded.input,
    target,
    boundary: {
      declared: { formatVersion: 1, boundaries: [], seccomp: {} },
      engine: {},
      measured: { formatVersion: 1, views: [] },
    },
  });
  const relaxed = await compare(recorded, { ...recorded, bundle: await StoredBundle.open(target) });
  assert.deepEqual([relaxed.result, relaxed.sameBoundary, relaxed.counts.different], ['different', false, 0]);
});

test('a document that is changed after the index was read is not used', async () => {
  const { bundle: stored } = await bundle();
  await writeFile(stored.path('report.json'), '{}');
  await assert.rejects(stored.read('report.json'), (error: unknown) => {
    assert.ok(error instanceof ReplayError);
    assert.deepEqual([error.code, error.where], ['EVIDENCE_CHANGED', 'report.json']);
    return true;
  });
});

test('whole streams are found through every combination, patterns are not', () => {
  const of = (stream: 'stdout' | 'stderr', caseId: string | null = null) => ({ caseId, step: 's', stream });
  const expect: Expectation = {
    kind: 'all',
    of: [
      { kind: 'not', of: { kind: 'stream-empty', of: of('stderr'), ignoreWhitespace: false } },
      { kind: 'any', of: [{ kind: 'streams-equal', left: of('stdout'), right: of('stdout', 'other') }] },
      { kind: 'stream-matches', of: of('stderr', 'third'), pattern: 'x' },
    ],
  };
  assert.deepEqual(
    [...assertedStreams([caseWith(expect)])].sort(),
    [
      streamKey('help', 's', 'stderr'),
      streamKey('help', 's', 'stdout'),
      streamKey('other', 's', 'stdout'),
    ].sort(),
  );
});

test('the first differing byte is found across chunks and at the end of the shorter file', async () => {
  const [left, right] = [join(folder, 'left'), join(folder, 'right')];
  const bytes = Buffer.alloc(300 * 1024, 7);
  await writeFile(left, bytes);
  await writeFile(right, bytes);
  assert.equal(await findFirstBytes(left, right), null);
  const other = Buffer.from(bytes);
  other[299 * 1024] = 8;
  await writeFile(right, other);
  const found = await findFirstBytes(left, right);
  assert.deepEqual(
    [found?.offset, found?.recordedHex.slice(0, 4), found?.replayedHex.slice(0, 4)],
    [299 * 1024, '0707', '0807'],
  );
  await writeFile(right, bytes.subarray(0, 256 * 1024));
  assert.deepEqual(await findFirstBytes(left, right), {
    offset: 256 * 1024,
    recordedHex: '07'.repeat(32),
    replayedHex: '',
  });
});

test('one decisive difference outweighs any number of others', () => {
  const one = { kind: 'files', volatile: null, where: '', recorded: '', replayed: '', bytes: null } as const;
  assert.equal(resultOf([]), 'identical');
  assert.equal(resultOf([{ ...one, decisive: false }]), 'equivalent');
  assert.equal(
    resultOf([
      { ...one, decisive: false },
      { ...one, decisive: true },
    ]),
    'different',
  );
  assert.equal(strongestResult(['identical', 'equivalent']), 'equivalent');
  assert.equal(strongestResult(['different', 'identical']), 'different');
});
