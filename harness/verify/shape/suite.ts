import { toCanonicalText } from '../canonical.ts';
import { isPathText } from '../path-text.ts';
import {
  byKind,
  either,
  fitting,
  flag,
  integer,
  isRecord,
  isText,
  json,
  list,
  literal,
  matching,
  named,
  object,
  orNull,
  recordOf,
  type Shape,
  type Shaped,
  text,
} from './shape.ts';
import { archiveName, suiteArchive } from './suite-archive.ts';
import { boundaryLimits, mode, sentence, sha256, shared } from './values.ts';

// Limits of the format: a suite beyond them is none, whoever compiled it.
const CASES = 20_000;
const STEPS = 200;
const CHECKS = 500;
const FILES = 10_000;
const NODE_RANGES = 32;
const ID_CHARACTERS = 120;
const PATTERN_CHARACTERS = 4096;
const TEXT_CHARACTERS = 64 * 1024;
const CONTENT_CHARACTERS = 64 * 1024 * 1024;
/** An hour, in milliseconds. */
const LONGEST_MS = 3_600_000;
/** A minute, in milliseconds. */
const LONGEST_SETTLE_MS = 60_000;
/** A sparse file reads as so many zeros at most. */
const SPARSE_BYTES = 64 * 1024 * 1024;
/** Of one stream of one step; beyond it the step is ended. */
const LEAST_OUTPUT_BYTES = 4096;
const MOST_OUTPUT_BYTES = 256 * 1024 * 1024;
/** 1 TiB. */
const LARGEST_BYTES = 2 ** 40;

export const caseId = shared('caseId', matching(/^[a-z0-9][a-z0-9._-]*$/, ID_CHARACTERS));
export const stepName = shared('stepName', matching(/^[a-z0-9-]+$/, ID_CHARACTERS));
export const checkId = shared('checkId', matching(/^[a-z0-9.-]+$/, ID_CHARACTERS));
export const severity = shared('severity', literal('gate', 'warn', 'info'));
export const streamName = shared('streamName', literal('stdout', 'stderr'));
export const signalName = shared('signalName', matching(/^SIG[A-Z0-9]+$/, 20));
export const binClass = literal(
  'cli',
  'reads-stdin',
  'server',
  'mcp-server',
  'needs-terminal',
  'broken',
  'unclear',
);
const milliseconds = integer(0, LONGEST_MS);
const argument = matching(/^[^\u0000]*$/, TEXT_CHARACTERS, 'a text without NUL');
/** Whether it compiles is asked where it is used. */
const pattern = text(PATTERN_CHARACTERS);
const pointer = matching(/^(\/([^~]|~[01])*)?$/, TEXT_CHARACTERS);
const base64 = fitting({
  pattern: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
  most: CONTENT_CHARACTERS,
  what: 'base64 in its one form',
  fits: (value) => Buffer.from(value, 'base64').toString('base64') === value,
});
/** More than a schema can say. */
const canonicalJson = json(TEXT_CHARACTERS, (value) => {
  try {
    return toCanonicalText(JSON.parse(value)) === value;
  } catch {
    return false;
  }
});
/** PATH_MAX bytes, of which each may be three characters. */
const PATH_CHARACTERS = 3 * 4096;
/** Absolute and plain, so that it names one place and cannot leave it; and in the one text of its bytes. */
const boxPath = shared(
  'boxPath',
  fitting({
    pattern: /^(?:\/(?!\.{1,2}(?:\/|$))(?:[^/%\u0000]|%(?:25|[89A-F][0-9A-F]))+)+$/,
    most: PATH_CHARACTERS,
    what: 'an absolute path without . or .., in the one text of its bytes',
    fits: (value) =>
      value.startsWith('/') &&
      value.split('/').every((part, at) => (at === 0) === (part === '') && part !== '.' && part !== '..') &&
      !value.includes('\0') &&
      isPathText(value),
  }),
);
const linkTarget = fitting({
  pattern: /^(?:[^%\u0000]|%(?:25|[89A-F][0-9A-F]))*$/,
  most: PATH_CHARACTERS,
  what: 'the target of a link, in the one text of its bytes',
  fits: (value) => !value.includes('\0') && isPathText(value),
});
const requestId = either(isText, text(200), integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
const size = integer(0, LARGEST_BYTES);

/** A program that changes its user is no fixture. */
const laidMode = matching(/^[01][0-7]{3}$/, 4);
const ownerId = integer(0, 65_535);

const laidKinds = {
  directory: { path: boxPath, mode: laidMode },
  file: { path: boxPath, mode: laidMode, contentBase64: base64 },
  symlink: { path: boxPath, target: linkTarget },
  fifo: { path: boxPath, mode: laidMode },
  socket: { path: boxPath, mode: laidMode },
  sparse: { path: boxPath, mode: laidMode, sizeBytes: integer(0, SPARSE_BYTES) },
  times: { path: boxPath, mtimeSeconds: integer(0, 2 ** 32 - 1) },
  owner: { path: boxPath, uid: ownerId, gid: ownerId },
};
const laidFile = byKind(laidKinds);

const exchange = object({ line: sentence, answerId: orNull(requestId), waitMs: milliseconds });
const stdin = byKind({
  closed: {},
  idle: {},
  bytes: { contentBase64: base64, thenClose: flag },
  fill: { sizeBytes: size, thenClose: flag },
  dialogue: {
    exchanges: list(exchange, 10_000),
    ladder: object({ afterEofMs: milliseconds, afterTermMs: milliseconds }),
  },
});
const stdout = either(
  isText,
  literal('pipe'),
  either(
    (value) => isRecord(value) && Object.hasOwn(value, 'file'),
    object({ file: boxPath }),
    object({ closeAfterBytes: size }),
  ),
);

const step = object({
  name: stepName,
  argv: list(argument, 1000, 1),
  env: recordOf(argument, /^[A-Za-z_][A-Za-z0-9_]*$/, 1000),
  cwd: boxPath,
  stdin,
  stdout,
  signals: list(
    object({ signal: signalName, after: literal('start', 'first-output'), delayMs: milliseconds }),
    100,
  ),
  timeoutMs: integer(1, LONGEST_MS),
});

const streamReference = shared(
  'streamReference',
  object({ caseId: orNull(caseId), step: stepName, stream: streamName }),
);
const ending = byKind({
  exited: { codes: either(isText, literal('any', 'nonzero'), list(integer(0, 255), 256)) },
  signaled: { signals: either(isText, literal('any'), list(signalName, 64)) },
  'timed-out': {},
  'output-limit': {},
  budget: {},
  interrupted: {},
  'not-started': {},
});
const classes = list(binClass, 7);
const paths = list(boxPath, 1000);
const bound = orNull(size);

/** What is shorter is met by accident. */
const canary = matching(/^[\s\S]{6,}$/, 1000, 'a text of at least 6 characters');

/** Statements that hold no other statement. */
const plain = {
  termination: { step: stepName, caseId: orNull(caseId), anyOf: list(ending, 100, 1) },
  'stream-equals': { of: streamReference, contentBase64: base64 },
  'stream-empty': { of: streamReference, ignoreWhitespace: flag },
  'stream-includes': {
    of: streamReference,
    text: matching(/^[\s\S]/, TEXT_CHARACTERS, 'a text that is not empty'),
  },
  'stream-matches': { of: streamReference, pattern },
  'stream-no-escapes': { of: streamReference },
  'stream-utf8': { of: streamReference },
  'stream-size': { of: streamReference, minBytes: bound, maxBytes: bound },
  'streams-equal': { left: streamReference, right: streamReference },
  'file-equals-stream': { path: boxPath, of: streamReference },
  'file-not-longer': { path: boxPath, than: streamReference },
  'json-lines': { of: streamReference, jsonRpc: flag, nonJson: literal('refuse', 'skip') },
  'json-rpc-answer': { of: streamReference, id: requestId, resultHas: list(pointer, 1000) },
  'json-rpc-value': { of: streamReference, id: requestId, pointer, anyOf: list(sentence, 1000, 1) },
  'json-rpc-error': {
    of: streamReference,
    id: requestId,
    codes: list(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), 1000),
  },
  'json-rpc-ids': { of: streamReference, sent: list(requestId, 10_000) },
  'json-value': {
    of: streamReference,
    scope: literal('stream', 'every-line', 'some-line'),
    rule: literal('equals', 'subset', 'schema'),
    json: canonicalJson,
  },
  'files-unchanged': { below: paths, except: paths, compare: list(literal('bytes', 'modes', 'times'), 3, 1) },
  'path-changed': {
    path: boxPath,
    change: literal('created', 'removed', 'changed'),
    control: orNull(stepName),
  },
  'path-absent': { path: boxPath, control: orNull(stepName) },
  'control-undone': { control: stepName },
  'no-canaries': { texts: list(canary, 100, 1) },
  'file-is': {
    path: boxPath,
    type: literal('file', 'directory', 'symlink', 'fifo', 'socket'),
    mode: orNull(mode),
    sha256: orNull(sha256),
    target: orNull(linkTarget),
    control: orNull(stepName),
  },
  duration: { step: stepName, minMs: orNull(milliseconds), maxMs: orNull(milliseconds) },
  'no-leftovers': {},
  'no-oom-kill': {},
  'no-files-created': { below: paths, except: paths },
  'exit-lag': { step: stepName, maxMs: milliseconds },
  'ended-after-signal': { step: stepName, signal: signalName, withinMs: milliseconds },
  'action-absent': { step: stepName, action: literal('signal'), detail: signalName },
  classified: { caseId: orNull(caseId), classes },
};
const plainStatement = byKind(plain);

export type PlainExpectation = Shaped<typeof plainStatement>;
export type Expectation =
  | PlainExpectation
  | { readonly kind: 'all' | 'any'; readonly of: readonly Expectation[] }
  | { readonly kind: 'not'; readonly of: Expectation };

const nested: Shape<Expectation> = named('expectation', () => expectation);
const compound = byKind({
  all: { of: list(nested, 1000) },
  any: { of: list(nested, 1000) },
  not: { of: nested },
});
const expectation: Shape<Expectation> = either(
  (value) => isRecord(value) && ['all', 'any', 'not'].some((kind) => kind === value['kind']),
  compound as Shape<Expectation>,
  plainStatement,
);

const check = object({
  id: checkId,
  severity,
  why: sentence,
  advice: sentence,
  precondition: orNull(nested),
  expect: nested,
});

const control = object({
  step: stepName,
  phase: literal('positive', 'negative', 'restored'),
  files: list(byKind({ file: laidKinds.file }), 100),
  remove: paths,
  restore: paths,
});

const reason = matching(/^[\s\S]/, TEXT_CHARACTERS, 'a reason');
const volatile = byKind({
  stream: { step: stepName, stream: streamName, pattern: orNull(pattern), why: reason },
  files: { path: boxPath, why: reason },
});

const reference = object({
  step: stepName,
  archive: archiveName,
  files: list(byKind({ file: laidKinds.file }), 100),
});
const plainVersion = matching(
  /^(?:0|[1-9][0-9]{0,4})(?:\.(?:0|[1-9][0-9]{0,4})){2}$/,
  17,
  'a version such as 22.5.0',
);
const nodeRange = object({ from: plainVersion, below: orNull(plainVersion) });

const oneCase = object({
  id: caseId,
  why: sentence,
  proves: list(sentence, 100),
  doesNotProve: list(sentence, 100),
  tags: list(matching(/^[a-z0-9.-]+$/, ID_CHARACTERS), 100),
  requires: orNull(object({ classification: caseId, classes })),
  node: either(isText, literal('each', 'first'), list(nodeRange, NODE_RANGES, 1)),
  exec: flag,
  limits: boundaryLimits,
  outputBytes: integer(LEAST_OUTPUT_BYTES, MOST_OUTPUT_BYTES),
  settleMs: integer(0, LONGEST_SETTLE_MS),
  files: list(shared('file', laidFile), FILES),
  steps: list(shared('step', step), STEPS, 1),
  controls: list(control, 3),
  references: list(reference, 20),
  checks: list(shared('check', check), CHECKS, 1),
  volatile: list(volatile, 100),
});

/** Three stars at most, and no brace in a brace, as the format has it. */
const GLOB_STARS = String.raw`(?=[^*]*(?:\*[^*]*){0,3}$)`;
const GLOB_PART = String.raw`(?:[a-z0-9_?-]|\.(?!\.)|\*(?!\*))*`;
const GLOB = String.raw`(?:[a-z0-9._?-]|\*(?!\*)|\{${GLOB_PART}(?:,${GLOB_PART})+\})+$`;
const GLOB_CHARACTERS = 200;
export const glob = matching(new RegExp(`^${GLOB_STARS}${GLOB}`), GLOB_CHARACTERS);
/** What `--only` takes: a glob over case ids, or over tags. */
export const selectionPattern = matching(new RegExp(`^(?:tag:)?${GLOB_STARS}${GLOB}`), GLOB_CHARACTERS + 4);

const exception = object({
  cases: glob,
  reason: matching(/^[\s\S]/, TEXT_CHARACTERS, 'a reason'),
  count: integer(1, CASES),
});
const EXCEPTIONS = 200;

/** The compiled suite of format version 1, field by field. The verifier's own reading of the format. */
export const suiteShape = object({
  formatVersion: literal(1),
  id: caseId,
  title: sentence,
  proves: list(sentence, 100),
  doesNotProve: list(sentence, 100),
  archives: list(shared('archive', suiteArchive), 100),
  cases: list(shared('case', oneCase), CASES, 1),
  exclusions: list(shared('exception', exception), EXCEPTIONS),
  expectedUnsupported: list(shared('exception', exception), EXCEPTIONS),
});

export type Suite = Shaped<typeof suiteShape>;
export type SuiteCase = Shaped<typeof oneCase>;
export type SuiteStep = Shaped<typeof step>;
export type SuiteCheck = Shaped<typeof check>;
export type SuiteException = Shaped<typeof exception>;
export type SuiteFile = Shaped<typeof laidFile>;
export type StreamReference = Shaped<typeof streamReference>;

export type EndingPattern = Shaped<typeof ending>;
export type BinClass = Shaped<typeof binClass>;
export type StreamName = Shaped<typeof streamName>;
