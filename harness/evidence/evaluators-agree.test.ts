import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256Hex } from '../document/digest.ts';
import type { Snapshot, SnapshotEntry, StreamName } from '../engine/engine.ts';
import { classify as runnersClass } from '../suite/classify.ts';
import type {
  CompiledCase,
  CompiledCheck,
  CompiledControl,
  CompiledReference,
  Expectation,
  StreamReference,
} from '../suite/compiled.ts';
import { evaluateCase } from '../suite/evaluate/evaluator.ts';
import type {
  CaseObservation,
  StepAction,
  StepObservation,
  StreamObservation,
  Termination,
} from '../suite/observation.ts';
import { USUAL_CASE } from '../suite/usual-case.ts';
import { toSeenCase } from '../verify/cases/seen-case.ts';
import { classify as verifiersClass } from '../verify/evaluate/classify.ts';
import { evaluateCase as verifierEvaluate } from '../verify/evaluate/evaluate.ts';
import { loadPatterns } from '../verify/evaluate/patterns.ts';
import { Scene, type SeenCase } from '../verify/evaluate/scene.ts';
import { parseShape } from '../verify/shape/shape.ts';
import { suiteShape } from '../verify/shape/suite.ts';
import { toAttemptRecord, toControlLines, toFilesLines, toTranscriptLines } from './receipt.ts';

/** Observations of one run of this test; an argument asks for more. */
const RUNS = Number(process.argv[2] ?? 10_000);
/** Fixed, so that a red run can be repeated. */
const SEED = 20_260_104;

const STEPS = ['help', 'session', 'third'];

/** Pieces of output, each of which some rule reads in a way of its own. */
const FRAGMENTS = [
  '',
  '\n',
  '\r\n',
  ' \t\v\f',
  '\ufeff',
  'usage: x [options]\n',
  '1.2.3',
  '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"a/b":{"m~n":"v"}}}\n',
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}\r\n',
  '{"jsonrpc":"2.0","id":"two","result":null}\n',
  '{"jsonrpc":"2.0","id":2,"error":null}\n',
  '{"jsonrpc":"2.0","method":"ping","id":3,"result":1}\n',
  '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"n"}]\n',
  '[]\n',
  '{"__proto__":{"jsonrpc":"2.0"}}\n',
  '42\n',
  '"text"\n',
  '{"broken":\n',
  "Error: Cannot find module 'x'\nRequire stack:\n- /a\n",
  "Cannot find module '/work/elsewhere/config' imported from /opt/x\n",
  'env: node\r: No such file or directory\n',
  '/opt/candidate/node_modules/.bin/x: 1: Syntax error\n',
  'TypeError: process.stdin.setRawMode is not a function\n',
  'stdin is not a TTY\n',
  'SyntaxError: Unexpected token\n    at wrapSafe (node:internal)\n',
  'Node.js v22.1.0\n',
] as const;
const RAW = [
  Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d]),
  Buffer.from([0xc2, 0x85]),
  Buffer.from([0xc2]),
  Buffer.from([0xe0, 0xc2, 0x9b]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xf0, 0x9f, 0x98]),
  Buffer.from('é😀', 'utf8'),
  Buffer.from([0x0d, 0x0d, 0x0a]),
  Buffer.from([0]),
];
const PATTERNS = [
  '^usage',
  '(?i)usage',
  'no$',
  '\\bEPIPE\\b',
  '(?m)^Node',
  '^\\s*$',
  '[0-9]+\\.[0-9]+',
  '\\z',
  'x{0,3}',
];

/** Every keyword of the subset, each true and false of some fragment. */
const SCHEMAS = [
  'true',
  '{"type":["integer","string","array"]}',
  '{"const":42}',
  '{"enum":[[],"text",42]}',
  '{"properties":{"id":{"type":"integer"}},"required":["id","result"]}',
  '{"additionalProperties":{"type":["number","string"]},"properties":{"result":true}}',
  '{"items":{"required":["jsonrpc"]},"minItems":1}',
  '{"maxItems":0}',
  '{"maxLength":4,"minLength":4,"pattern":"^t"}',
  '{"maximum":42,"minimum":2,"type":"number"}',
  '{"anyOf":[{"type":"null"},{"not":{"required":["id"]}}]}',
  '{"allOf":[{"type":"object"},{"properties":{"id":{"minimum":2}}}]}',
];

const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(...FRAGMENTS).map((text) => Buffer.from(text, 'utf8')),
      fc.constantFrom(...RAW),
    ),
    {
      maxLength: 3,
    },
  )
  .map((parts) => Buffer.concat(parts));

const stepName = fc.constantFrom(...STEPS);
const time = fc.constantFrom(0, 5, 9.7, 100, 250.5, 1000);
/** What a suite declares is whole milliseconds. */
const declaredTime = fc.constantFrom(0, 5, 10, 100, 1000);
const termination: fc.Arbitrary<Termination> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 1, 127, 137).map((code) => ({ kind: 'exited' as const, code })),
  },
  fc.constantFrom('SIGKILL', 'SIGTERM', 'SIGSEGV').map((signal) => ({ kind: 'signaled' as const, signal })),
  fc.constantFrom<Termination>(
    { kind: 'timed-out', limitMs: 1000 },
    { kind: 'output-limit', stream: 'stdout' },
    { kind: 'not-started', errno: 'ENOENT' },
  ),
  { weight: 1, arbitrary: fc.constantFrom<Termination>({ kind: 'budget' }, { kind: 'interrupted' }) },
);
const action: fc.Arbitrary<StepAction> = fc.record({
  kind: fc.constantFrom('signal', 'stdin', 'stdin-closed', 'output-closed'),
  detail: fc.constantFrom('SIGTERM', 'SIGKILL', '10 bytes written', '10 bytes broken-pipe', '', 'stdout'),
  atMs: time,
});

interface StreamDraw {
  readonly observation: StreamObservation;
  readonly stored: Buffer | null;
}

const stream: fc.Arbitrary<StreamDraw> = fc
  .record({
    kept: bytes,
    lost: fc.option(bytes, { nil: null, freq: 4 }),
    eofSeen: fc.boolean(),
    lastByteAtMs: time,
    missing: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
  })
  .map(({ kept, lost, eofSeen, lastByteAtMs, missing }) => {
    const all = Buffer.concat([kept, lost ?? Buffer.alloc(0)]);
    const observation = {
      totalBytes: all.length,
      keptBytes: kept.length,
      totalSha256: sha256Hex(all),
      keptSha256: sha256Hex(kept),
      truncated: all.length > kept.length,
      eofSeen,
      lastByteAtMs: all.length === 0 ? null : lastByteAtMs,
    };
    return { observation, stored: missing ? null : kept };
  });

interface StepDraw {
  readonly observation: StepObservation;
  readonly stored: Readonly<Record<StreamName, Buffer | null>>;
}

const step: fc.Arbitrary<StepDraw> = fc
  .record({
    name: stepName,
    durationMs: time,
    termination,
    killedBy: fc.constantFrom(null, 'candidate' as const, 'packproof' as const),
    oomKilled: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
    stdout: stream,
    stderr: stream,
    // As the runner records them: in the order of time.
    actions: fc.array(action, { maxLength: 3 }).map((list) => list.sort((a, b) => a.atMs - b.atMs)),
  })
  .map(({ stdout, stderr, ...rest }) => ({
    observation: {
      ...rest,
      argv: ['x'],
      startedAt: '2026-01-01T00:00:00.000Z',
      stdout: stdout.observation,
      stderr: stderr.observation,
      arrivals: [],
    },
    stored: { stdout: stdout.stored, stderr: stderr.stored },
  }));

/** Contents of files, few enough that each can be found again by its digest. */
const contents = fc.constantFrom(...FRAGMENTS.slice(0, 10).map((text) => Buffer.from(text, 'utf8')));
const CONTENTS: ReadonlyMap<string, Buffer> = new Map(
  FRAGMENTS.slice(0, 10).map((text) => [sha256Hex(Buffer.from(text)), Buffer.from(text)]),
);
const PATHS = ['/work/a', '/work/out/b%FF', '/work/out/b%25FF', '/home/node/c', '/tmp/d'];
const entry: fc.Arbitrary<SnapshotEntry> = fc
  .record({
    path: fc.constantFrom(...PATHS),
    content: contents,
    kind: fc.constantFrom('file', 'file', 'file', 'directory', 'symlink'),
    read: fc.boolean(),
    mode: fc.constantFrom('0644', '0644', '0600'),
    mtimeMs: fc.constantFrom(0, 0, 1),
  })
  .map(({ path, content, kind, read, mode, mtimeMs }) => ({
    path,
    kind: kind as SnapshotEntry['kind'],
    mode,
    uid: 1000,
    gid: 1000,
    mtimeMs,
    sizeBytes: content.length,
    sha256: read && kind === 'file' ? sha256Hex(content) : null,
    target: kind === 'symlink' ? '/nowhere' : null,
  }));
const look = fc.option(fc.uniqueArray(entry, { maxLength: 3, selector: ({ path }) => path }), {
  nil: null,
  freq: 6,
});
const entries = fc.uniqueArray(entry, { maxLength: 4, selector: ({ path }) => path });

interface CaseDraw {
  readonly observation: CaseObservation;
  readonly stored: ReadonlyMap<string, Buffer | null>;
  /** Kept bytes of files by digest. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

function toSnapshot(found: readonly SnapshotEntry[] | null): Snapshot | null {
  return found === null ? null : { way: 'host', entries: found, truncated: [] };
}

function toLook(when: string, found: readonly SnapshotEntry[] | null): CaseObservation['teardown'] {
  return found === null
    ? []
    : [{ action: 'snapshot', atMs: 0, detail: `help ${when}: ${found.length} entries` }];
}

function drawCase(caseId: string): fc.Arbitrary<CaseDraw> {
  return fc
    .record({
      steps: fc.uniqueArray(step, {
        minLength: 2,
        maxLength: 3,
        selector: ({ observation }) => observation.name,
      }),
      before: entries,
      same: fc.boolean(),
      looks: fc.option(fc.record({ ran: look, undone: look, again: fc.boolean() }), { nil: null }),
      keeps: fc.integer({ min: 0, max: 4 }).map((draw) => draw > 0),
      changed: fc.option(entries, { nil: null, freq: 6 }),
      truncated: fc.integer({ min: 0, max: 5 }).map((draw) => (draw === 0 ? ['entries'] : [])),
      leftovers: fc.integer({ min: 0, max: 3 }).map((draw) => Math.max(0, draw - 2)),
      oomKills: fc.constantFrom(null, 0, 0, 1),
    })
    .map(({ same, changed, ...rest }) => ({
      ...rest,
      // Two listings drawn apart are never alike.
      after: same && changed !== null ? rest.before : changed,
    }))
    .map(({ steps, before, after, truncated, leftovers, oomKills, keeps, looks }) => ({
      kept: keeps ? CONTENTS : new Map<string, Buffer>(),
      observation: {
        caseId,
        attempt: 1,
        node: '22.1.0',
        boxId: 'box',
        steps: steps.map(({ observation }) => observation),
        leftovers: Array.from({ length: leftovers }, () => ({
          pid: 7,
          parentPid: 1,
          argv: ['x'],
          state: 'S',
        })),
        before: { way: 'host', entries: before, truncated: after === null ? truncated : [] },
        controls:
          looks === null
            ? []
            : [
                {
                  step: 'help',
                  laid: toSnapshot([]),
                  program: [],
                  ran: toSnapshot(looks.ran),
                  undone: toSnapshot(looks.again ? before : looks.undone),
                },
              ],
        after: after === null ? null : { way: 'host', entries: after, truncated },
        outside: { inspect: {}, status: null, mounts: null, namespaces: null, limits: null },
        end: { oomKilled: false, oomKills, inspect: {} },
        teardown: [
          ...(looks === null
            ? []
            : [...toLook('ran', looks.ran), ...toLook('undone', looks.again ? before : looks.undone)]),
          ...(after === null
            ? []
            : [{ action: 'snapshot' as const, atMs: 1, detail: `${after.length} entries` }]),
        ],
      },
      stored: new Map(
        steps.flatMap(({ observation, stored }) =>
          (['stdout', 'stderr'] as const).map((name): [string, Buffer | null] => [
            `${observation.name}/${name}`,
            stored[name],
          ]),
        ),
      ),
    }));
}

const reference: fc.Arbitrary<StreamReference> = fc.record({
  caseId: fc.constantFrom(null, null, null, 'own', 'other', 'absent'),
  step: stepName,
  stream: fc.constantFrom('stdout', 'stderr'),
});
const id = fc.constantFrom<string | number>(1, 2, 'two', 'none');
const below = fc.constantFrom(['/work'], ['/home/node', '/tmp'], ['/work/a'], []);
const bound = fc.constantFrom(null, 0, 1, 10, 1000);
const classes = fc.subarray([
  'cli',
  'reads-stdin',
  'server',
  'mcp-server',
  'needs-terminal',
  'broken',
  'unclear',
] as const);

const control = fc.constantFrom(null, null, null, 'help');

const plain: fc.Arbitrary<Expectation> = fc.oneof(
  fc.record({
    kind: fc.constant('termination' as const),
    step: stepName,
    caseId: fc.constantFrom(null, 'other'),
    anyOf: fc.array(
      fc.constantFrom(
        { kind: 'exited', codes: 'any' } as const,
        { kind: 'exited', codes: 'nonzero' } as const,
        { kind: 'exited', codes: [0, 137] } as const,
        { kind: 'signaled', signals: 'any' } as const,
        { kind: 'signaled', signals: ['SIGTERM'] } as const,
        { kind: 'timed-out' } as const,
        { kind: 'not-started' } as const,
        { kind: 'output-limit' } as const,
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  fc.record({
    kind: fc.constant('stream-equals' as const),
    of: reference,
    contentBase64: fc.constantFrom(
      ...Array.from({ length: 12 }, () => ''),
      ...FRAGMENTS.slice(1, 8).map((text) => Buffer.from(text).toString('base64')),
    ),
  }),
  fc.record({ kind: fc.constant('stream-empty' as const), of: reference, ignoreWhitespace: fc.boolean() }),
  fc.record({
    kind: fc.constant('stream-includes' as const),
    of: reference,
    text: fc.constantFrom('usage', '1.2.3', '\ufffd', 'é', '\n', '\u0000'),
  }),
  fc.record({
    kind: fc.constant('stream-matches' as const),
    of: reference,
    pattern: fc.constantFrom(...PATTERNS),
  }),
  fc.record({ kind: fc.constantFrom('stream-no-escapes' as const, 'stream-utf8' as const), of: reference }),
  fc.record({ kind: fc.constant('stream-size' as const), of: reference, minBytes: bound, maxBytes: bound }),
  fc.record({ kind: fc.constant('streams-equal' as const), left: reference, right: reference }),
  fc.record({
    kind: fc.constant('file-equals-stream' as const),
    path: fc.constantFrom(...PATHS),
    of: reference,
  }),
  fc.record({
    kind: fc.constant('file-not-longer' as const),
    path: fc.constantFrom(...PATHS),
    than: reference,
  }),
  fc.record({
    kind: fc.constant('json-lines' as const),
    of: reference,
    jsonRpc: fc.boolean(),
    nonJson: fc.constantFrom('refuse' as const, 'skip' as const),
  }),
  fc.record({
    kind: fc.constant('json-rpc-answer' as const),
    of: reference,
    id,
    resultHas: fc.subarray(['', '/tools', '/tools/0/name', '/a~1b/m~0n', '/constructor', '/tools/-']),
  }),
  fc.record({
    kind: fc.constant('json-rpc-value' as const),
    of: reference,
    id,
    pointer: fc.constantFrom('/tools/0/name', '/a~1b/m~0n', ''),
    anyOf: fc.constantFrom(['a'], ['v', 'a'], ['b']),
  }),
  fc.record({
    kind: fc.constant('json-rpc-error' as const),
    of: reference,
    id,
    codes: fc.constantFrom([], [-32601], [1]),
  }),
  fc.record({ kind: fc.constant('json-rpc-ids' as const), of: reference, sent: fc.uniqueArray(id) }),
  fc.record({
    kind: fc.constant('json-value' as const),
    of: reference,
    scope: fc.constantFrom('stream' as const, 'every-line' as const, 'some-line' as const),
    rule: fc.constantFrom('equals' as const, 'subset' as const),
    json: fc.constantFrom(
      '42',
      '[]',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"id":"two","jsonrpc":"2.0","result":null}',
      '{"id":1,"result":{"tools":[{}]}}',
      '[{"id":1},{"method":"n"}]',
    ),
  }),
  fc.record({
    kind: fc.constant('json-value' as const),
    of: reference,
    scope: fc.constantFrom('stream' as const, 'every-line' as const, 'some-line' as const),
    rule: fc.constant('schema' as const),
    json: fc.constantFrom(...SCHEMAS),
  }),
  fc.record({
    kind: fc.constant('files-unchanged' as const),
    below,
    except: below,
    compare: fc.subarray(['bytes', 'modes', 'times'] as const, { minLength: 1 }),
  }),
  fc.record({
    kind: fc.constant('path-changed' as const),
    path: fc.constantFrom(...PATHS),
    change: fc.constantFrom('created' as const, 'removed' as const, 'changed' as const),
    control,
  }),
  fc.record({
    kind: fc.constant('path-absent' as const),
    path: fc.constantFrom(...PATHS, '/work/a/below'),
    control,
  }),
  fc.record({ kind: fc.constant('control-undone' as const), control: fc.constantFrom('help', 'session') }),
  fc.record({
    kind: fc.constant('file-is' as const),
    path: fc.constantFrom(...PATHS),
    type: fc.constantFrom('file' as const, 'directory' as const, 'symlink' as const),
    mode: fc.constantFrom(null, '0644', '0600'),
    sha256: fc.constantFrom(null, sha256Hex(Buffer.alloc(0)), sha256Hex(Buffer.from('\n'))),
    target: fc.constantFrom(null, '/nowhere'),
    control,
  }),
  fc.record({
    kind: fc.constant('no-canaries' as const),
    texts: fc.constantFrom(['jsonrpc'], ['nowhere', 'never-said'], ['never-said'], ['usage: x']),
  }),
  fc.record({
    kind: fc.constant('duration' as const),
    step: stepName,
    minMs: fc.constantFrom(null, 0, 10, 100),
    maxMs: fc.constantFrom(null, 10, 1000),
  }),
  fc.constantFrom<Expectation>({ kind: 'no-leftovers' }, { kind: 'no-oom-kill' }),
  fc.record({ kind: fc.constant('no-files-created' as const), below, except: below }),
  fc.record({ kind: fc.constant('exit-lag' as const), step: stepName, maxMs: declaredTime }),
  fc.record({
    kind: fc.constant('ended-after-signal' as const),
    step: stepName,
    signal: fc.constantFrom('SIGTERM', 'SIGKILL'),
    withinMs: declaredTime,
  }),
  fc.record({
    kind: fc.constant('action-absent' as const),
    step: stepName,
    action: fc.constant('signal' as const),
    detail: fc.constantFrom('SIGTERM', 'SIGKILL'),
  }),
  fc.record({
    kind: fc.constant('classified' as const),
    caseId: fc.constantFrom(null, 'other', 'absent'),
    classes,
  }),
);

const { expectation } = fc.letrec<{ expectation: Expectation; list: readonly Expectation[] }>((tie) => ({
  expectation: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: plain },
    fc.record({ kind: fc.constantFrom('all' as const, 'any' as const), of: tie('list') }),
    fc.record({ kind: fc.constant('not' as const), of: tie('expectation') }),
  ),
  list: fc.array(tie('expectation'), { maxLength: 3 }),
}));

const check: fc.Arbitrary<CompiledCheck> = fc.record({
  id: fc.constant('check'),
  severity: fc.constantFrom('gate', 'gate', 'warn', 'info'),
  why: fc.constant(''),
  advice: fc.constant(''),
  precondition: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, expectation),
  expect: expectation,
});

function toCompiled(
  checks: readonly CompiledCheck[],
  first: Partial<Pick<CompiledCase, 'controls' | 'references'>> = {},
): CompiledCase {
  return {
    id: 'own',
    why: '',
    tags: [],
    ...USUAL_CASE,
    node: 'first',
    settleMs: 0,
    steps: STEPS.map((name) => ({
      name,
      argv: ['x'],
      env: {},
      cwd: '/work/a',
      stdin: { kind: 'closed' },
      stdout: 'pipe',
      signals: [],
      timeoutMs: 1000,
    })),
    controls: first.controls ?? [],
    references: first.references ?? [],
    checks: checks.map((one, index) => ({ ...one, id: `check-${index}` })),
  };
}

const CONTROL: CompiledControl = { step: 'help', phase: 'positive', files: [], remove: [], restore: [] };
const REFERENCE: CompiledReference = { step: 'help', archive: 'native', files: [] };

/** By way of the stored form, so that writing and reading it is part of what must agree. */
function throughTheBundle(
  { observation, stored, kept }: CaseDraw,
  references: readonly string[] = [],
): SeenCase {
  return toSeenCase({
    references,
    attempt: JSON.parse(JSON.stringify(toAttemptRecord(observation, '0'.repeat(64)))),
    files: JSON.parse(JSON.stringify(toFilesLines(observation))),
    transcript: JSON.parse(JSON.stringify(toTranscriptLines(observation))),
    lookLines: JSON.parse(JSON.stringify(toControlLines(observation))),
    bytes: (name, which) => stored.get(`${name}/${which}`) ?? null,
    fileBytes: (sha256) => kept.get(sha256) ?? null,
  });
}

test('the suite of the generated cases is one by the verifier’s own reading', () => {
  fc.assert(
    fc.property(fc.array(check, { minLength: 1, maxLength: 3 }), (checks) => {
      const suite = {
        formatVersion: 1,
        id: 's',
        title: '',
        proves: [],
        doesNotProve: [],
        archives: [],
        cases: [toCompiled(checks)],
        exclusions: [],
        expectedUnsupported: [],
      };
      assert.deepEqual(parseShape(suiteShape, suite), { value: suite });
    }),
    { seed: SEED, numRuns: 200 },
  );
});

test(`runner and verifier evaluate ${RUNS} generated observations alike`, async () => {
  await loadPatterns();
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      drawCase('own'),
      drawCase('other'),
      fc.array(check, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('control', 'reference', null, null, null, null),
      (own, other, checks, first) => {
        const compiled = toCompiled(checks, {
          controls: first === 'control' ? [CONTROL] : [],
          references: first === 'reference' ? [REFERENCE] : [],
        });
        const references = compiled.references.map(({ step }) => step);
        const draws = new Map([own, other].map((draw) => [draw.observation.caseId, draw]));
        const runner = evaluateCase(compiled, [own.observation, other.observation], {
          stream: (caseId, name, which) => draws.get(caseId)?.stored.get(`${name}/${which}`) ?? null,
          file: (caseId, sha256) => draws.get(caseId)?.kept.get(sha256) ?? null,
        });
        const parsed = parseShape(suiteShape, {
          formatVersion: 1,
          id: 's',
          title: '',
          proves: [],
          doesNotProve: [],
          archives: [],
          cases: [compiled],
          exclusions: [],
          expectedUnsupported: [],
        });
        assert.ok('value' in parsed);
        const [declared] = parsed.value.cases;
        assert.ok(declared !== undefined);
        const others = throughTheBundle(other);
        const scene = new Scene('own', throughTheBundle(own, references), (caseId) =>
          caseId === 'other' ? others : null,
        );
        const verifier = verifierEvaluate(declared, scene);
        assert.deepEqual(
          { results: verifier.results, outcome: verifier.outcome, reason: verifier.reason },
          {
            results: runner.checks.map(({ result }) => result),
            outcome: runner.outcome,
            reason: runner.reason,
          },
        );
        runner.checks.forEach(({ result }, index) => {
          seen.add(`${checks[index]?.expect.kind} ${result}`);
        });
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  // What never came out shows nothing: every kind of statement passed, failed and was unknown somewhere.
  for (const kind of [
    'stream-equals',
    'stream-matches',
    'stream-size',
    'json-lines',
    'json-rpc-ids',
    'classified',
    'json-value',
    'files-unchanged',
    'path-changed',
    'path-absent',
    'file-is',
  ]) {
    for (const result of ['pass', 'fail', 'error'])
      assert.ok(seen.has(`${kind} ${result}`), `${kind} ${result}`);
  }
  // That it passes needs every stream whole, which is rare here.
  for (const result of ['fail', 'error']) assert.ok(seen.has(`no-canaries ${result}`), result);
});

test(`runner and verifier classify ${RUNS} generated observations alike`, async () => {
  await loadPatterns();
  const classesSeen = new Set<string>();
  fc.assert(
    fc.property(drawCase('own'), (own) => {
      const found = runnersClass(
        own.observation,
        (_, name, which) => own.stored.get(`${name}/${which}`) ?? null,
      );
      assert.equal(verifiersClass(new Scene('own', throughTheBundle(own), () => null), null), found);
      classesSeen.add(found);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  assert.deepEqual([...classesSeen].sort(), [
    'broken',
    'cli',
    'mcp-server',
    'needs-terminal',
    'reads-stdin',
    'server',
    'unclear',
  ]);
});

/** What generated streams are too small to reach: the ends of what patterns and JSON lines look at. */
const LARGE: readonly { readonly name: string; readonly stdout: Buffer }[] = [
  { name: 'a MiB and its last byte', stdout: Buffer.from(`${'a'.repeat(1024 * 1024 - 1)}Z`) },
  { name: 'a byte beyond a MiB', stdout: Buffer.from(`${'a'.repeat(1024 * 1024)}Z`) },
  { name: 'a character across the MiB', stdout: Buffer.from(`${'a'.repeat(1024 * 1024 - 1)}éZ`) },
  { name: 'an escape beyond the MiB', stdout: Buffer.from(`${'a'.repeat(1024 * 1024)}\u001b[0m`) },
  { name: 'as many JSON lines as are read', stdout: Buffer.from('{}\n'.repeat(20_000)) },
  { name: 'one JSON line more', stdout: Buffer.from('{}\n'.repeat(20_001)) },
  { name: 'blank lines beyond', stdout: Buffer.from(`${'{}\n'.repeat(20_000)}\n\r\n \n`) },
];

for (const { name, stdout } of LARGE) {
  test(`runner and verifier read a large stream alike: ${name}`, async () => {
    await loadPatterns();
    const of = { caseId: null, step: 'help', stream: 'stdout' } as const;
    const stated: readonly Expectation[] = [
      { kind: 'stream-matches', of, pattern: 'Z' },
      { kind: 'stream-matches', of, pattern: 'Z$' },
      { kind: 'stream-matches', of, pattern: '^a+$' },
      { kind: 'stream-matches', of, pattern: '\ufffd' },
      { kind: 'stream-no-escapes', of },
      { kind: 'stream-utf8', of },
      { kind: 'json-lines', of, jsonRpc: false, nonJson: 'refuse' },
      { kind: 'json-rpc-ids', of, sent: [] },
      { kind: 'json-rpc-error', of, id: 1, codes: [] },
    ];
    const observation: StreamObservation = {
      totalBytes: stdout.length,
      keptBytes: stdout.length,
      totalSha256: sha256Hex(stdout),
      keptSha256: sha256Hex(stdout),
      truncated: false,
      eofSeen: true,
      lastByteAtMs: 1,
    };
    const own: CaseDraw = {
      observation: {
        caseId: 'own',
        attempt: 1,
        node: '22.1.0',
        boxId: 'box',
        steps: [
          {
            name: 'help',
            argv: ['x'],
            startedAt: '2026-01-01T00:00:00.000Z',
            durationMs: 1,
            termination: { kind: 'exited', code: 0 },
            killedBy: null,
            oomKilled: false,
            stdout: observation,
            stderr: observation,
            arrivals: [],
            actions: [],
          },
        ],
        leftovers: [],
        controls: [],
        before: { way: 'host', entries: [], truncated: [] },
        after: null,
        outside: { inspect: {}, status: null, mounts: null, namespaces: null, limits: null },
        end: { oomKilled: false, oomKills: null, inspect: {} },
        teardown: [],
      },
      kept: new Map(),
      stored: new Map([
        ['help/stdout', stdout],
        ['help/stderr', stdout],
      ]),
    };
    const compiled = toCompiled(
      stated.map((expect) => ({
        id: 'x',
        severity: 'gate',
        why: '',
        advice: '',
        precondition: null,
        expect,
      })),
    );
    const runner = evaluateCase(compiled, [own.observation], () => stdout);
    const scene = new Scene('own', throughTheBundle(own), () => null);
    assert.deepEqual(
      verifierEvaluate(compiled, scene).results,
      runner.checks.map(({ result }) => result),
    );
  });
}
