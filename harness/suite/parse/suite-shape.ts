import { LIMIT_BOUNDS } from '../../boundary/kind.ts';
import { isBoxPath } from '../../document/box-path.ts';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { isRecord } from '../../document/json-record.ts';
import { GLOB_FORM, isGlob } from '../case-glob.ts';
import { faultOfSchema } from '../evaluate/json-schema.ts';
import { isPattern } from '../evaluate/patterns.ts';
import {
  ARCHIVES_LIMIT,
  CANARIES_LIMIT,
  CANARY_LEAST,
  CANARY_MOST,
  CASES_LIMIT,
  CHECKS_LIMIT,
  EXCEPTIONS_LIMIT,
  FILES_LIMIT,
  ID_LIMIT,
  NODE_RANGES_LIMIT,
  OUTPUT_BYTES_LEAST,
  OUTPUT_BYTES_LIMIT,
  OWNER_LIMIT,
  PATTERN_LIMIT,
  REFERENCES_LIMIT,
  SPARSE_BYTES_LIMIT,
  STEPS_LIMIT,
  SUITE_BYTES_LIMIT,
  TEXT_LIMIT,
  TIME_LIMIT_MS,
  VOLATILE_LIMIT,
} from '../limits.ts';
import { isPlainVersion } from '../node-versions.ts';
import { archiveName, archiveShape } from './archive-shape.ts';
import {
  bool,
  byKind,
  either,
  type Fields,
  integer,
  list,
  object,
  oneOf,
  orNull,
  record,
  type Shape,
  text,
} from './shapes.ts';

const LIMIT_NAMES = Object.keys(LIMIT_BOUNDS);
const CLASSES = ['cli', 'reads-stdin', 'server', 'mcp-server', 'needs-terminal', 'broken', 'unclear'];
const OTHER_ENDS = ['timed-out', 'output-limit', 'budget', 'interrupted', 'not-started'];
/** Characters of a path: PATH_MAX bytes, of which each may be three characters. */
const PATH_LIMIT = 3 * 4096;
/** 1 TiB: sizes that are only compared. */
const SIZE_LIMIT = 2 ** 40;

/** What tmpfs and tar keep alike: until the year 2106. */
const SECONDS_LIMIT = 2 ** 32 - 1;

const sentence = text('a text', TEXT_LIMIT);
const caseId = text('an id like [a-z0-9][a-z0-9._-]*', ID_LIMIT, (value) =>
  /^[a-z0-9][a-z0-9._-]*$/.test(value),
);
const stepName = text('a name like [a-z0-9-]+', ID_LIMIT, (value) => /^[a-z0-9-]+$/.test(value));
const checkId = text('an id like [a-z0-9.-]+', ID_LIMIT, (value) => /^[a-z0-9.-]+$/.test(value));
const signalName = text('a signal name', 20, (value) => /^SIG[A-Z0-9]+$/.test(value));
const mode = text('four octal digits', 4, (value) => /^[0-7]{4}$/.test(value));
/** A program that changes its user is no fixture. */
const laidMode = text('four octal digits without set-id bits', 4, (value) => /^[01][0-7]{3}$/.test(value));
const time = integer(0, TIME_LIMIT_MS);
const argument = text('a text without NUL', TEXT_LIMIT, (value) => !value.includes('\0'));
const pattern = text('an RE2 pattern', PATTERN_LIMIT, isPattern);
const pointer = text(
  'a JSON Pointer',
  TEXT_LIMIT,
  (value) => value === '' || /^(\/([^~]|~[01])*)$/.test(value),
);
const base64 = text('base64', SUITE_BYTES_LIMIT, isBase64);

/** Absolute and plain: no `.`, `..` or empty part, so that it means one place and cannot leave it. */
const path = text(
  'an absolute path without . or .., in the one text of its bytes',
  PATH_LIMIT,
  (value) =>
    /^(\/[^/\0]+)+$/.test(value) &&
    !value.split('/').some((part) => part === '.' || part === '..') &&
    isBoxPath(value),
);
const target = text(
  "a link's target without NUL, in the one text of its bytes",
  PATH_LIMIT,
  (value) => !value.includes('\0') && isBoxPath(value),
);

/** One byte form: what decodes to the same bytes but is written otherwise is refused. */
function isBase64(value: string): boolean {
  return Buffer.from(value, 'base64').toString('base64') === value;
}

const json = text('canonical JSON', TEXT_LIMIT, (value) => parseCanonical(value) !== undefined);
const schemaJson = text('the canonical JSON of a schema of the subset', TEXT_LIMIT, (value) => {
  const schema = parseCanonical(value);
  return schema !== undefined && faultOfSchema(schema) === null;
});

/** The value of a text that is its one byte form (RFC 8785), else undefined. */
function parseCanonical(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value);
    return toCanonicalBytes(parsed).toString('utf8') === value ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const requestId = either((value) =>
  typeof value === 'number' ? integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) : text('an id', 200),
);

const fileShape = byKind({
  directory: { path, mode: laidMode },
  file: { path, mode: laidMode, contentBase64: base64 },
  symlink: { path, target },
  fifo: { path, mode: laidMode },
  socket: { path, mode: laidMode },
  sparse: { path, mode: laidMode, sizeBytes: integer(0, SPARSE_BYTES_LIMIT) },
  times: { path, mtimeSeconds: integer(0, SECONDS_LIMIT) },
  owner: { path, uid: integer(0, OWNER_LIMIT), gid: integer(0, OWNER_LIMIT) },
});

const exchange = object({ line: sentence, answerId: orNull(requestId), waitMs: time });

const stdinShape = byKind({
  closed: {},
  idle: {},
  bytes: { contentBase64: base64, thenClose: bool },
  fill: { sizeBytes: integer(0, SIZE_LIMIT), thenClose: bool },
  dialogue: {
    exchanges: list(exchange, { max: 10_000 }),
    ladder: object({ afterEofMs: time, afterTermMs: time }),
  },
});

const stdoutShape = either((value) => {
  if (!isRecord(value)) return oneOf('pipe');
  return object(Object.hasOwn(value, 'file') ? { file: path } : { closeAfterBytes: integer(0, SIZE_LIMIT) });
});

const stepShape = object({
  name: stepName,
  argv: list(argument, { min: 1, max: 1000 }),
  env: record(/^[A-Za-z_][A-Za-z0-9_]*$/, argument, 1000),
  cwd: path,
  stdin: stdinShape,
  stdout: stdoutShape,
  signals: list(object({ signal: signalName, after: oneOf('start', 'first-output'), delayMs: time }), {
    max: 100,
  }),
  timeoutMs: integer(1, TIME_LIMIT_MS),
});

const streamReference = object({ caseId: orNull(caseId), step: stepName, stream: oneOf('stdout', 'stderr') });

const codes = either((value) =>
  typeof value === 'string' ? oneOf('any', 'nonzero') : list(integer(0, 255), { max: 256 }),
);
const signals = either((value) => (typeof value === 'string' ? oneOf('any') : list(signalName, { max: 64 })));
const ends: Fields = {};
const terminationPattern = byKind({
  exited: { codes },
  signaled: { signals },
  ...Object.fromEntries(OTHER_ENDS.map((kind) => [kind, ends])),
});

const classes = list(oneOf(...CLASSES), { max: CLASSES.length });
const paths = list(path, { max: 1000 });
const bound = orNull(integer(0, SIZE_LIMIT));

/** Recursive, so it names itself through a function. */
const expectation: Shape = (value, at, report) => expectationShape(value, at, report);
const expectations = list(expectation, { max: 1000 });

const jsonValueFields = {
  of: streamReference,
  scope: oneOf('stream', 'every-line', 'some-line'),
  rule: oneOf('equals', 'subset', 'schema'),
};
const jsonValue = (value: unknown): Fields => {
  const isSchema = isRecord(value) && value['rule'] === 'schema';
  return { ...jsonValueFields, json: isSchema ? schemaJson : json };
};
const canary = text(
  `a text of ${CANARY_LEAST} to ${CANARY_MOST} characters`,
  CANARY_MOST,
  (value) => value.length >= CANARY_LEAST,
);
const fileType = oneOf('file', 'directory', 'symlink', 'fifo', 'socket');
const timeBound = orNull(time);
const sha256 = text('a sha256 in hex', 64, (value) => /^[0-9a-f]{64}$/.test(value));

const expectationShape: Shape = (value, at, report) => {
  const isJson = isRecord(value) && value['kind'] === 'json-value';
  (isJson ? byKind({ 'json-value': jsonValue(value) }) : otherExpectation)(value, at, report);
};

const otherExpectation = byKind({
  all: { of: expectations },
  any: { of: expectations },
  not: { of: expectation },
  termination: {
    step: stepName,
    caseId: orNull(caseId),
    anyOf: list(terminationPattern, { min: 1, max: 100 }),
  },
  'stream-equals': { of: streamReference, contentBase64: base64 },
  'stream-empty': { of: streamReference, ignoreWhitespace: bool },
  'stream-includes': { of: streamReference, text: text('a text that is not empty', TEXT_LIMIT, Boolean) },
  'stream-matches': { of: streamReference, pattern },
  'stream-no-escapes': { of: streamReference },
  'stream-utf8': { of: streamReference },
  'stream-size': { of: streamReference, minBytes: bound, maxBytes: bound },
  'streams-equal': { left: streamReference, right: streamReference },
  'file-equals-stream': { path, of: streamReference },
  'file-not-longer': { path, than: streamReference },
  'json-lines': { of: streamReference, jsonRpc: bool, nonJson: oneOf('refuse', 'skip') },
  'json-rpc-answer': { of: streamReference, id: requestId, resultHas: list(pointer, { max: 1000 }) },
  'json-rpc-value': {
    of: streamReference,
    id: requestId,
    pointer,
    anyOf: list(sentence, { min: 1, max: 1000 }),
  },
  'json-rpc-error': {
    of: streamReference,
    id: requestId,
    codes: list(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), { max: 1000 }),
  },
  'json-rpc-ids': { of: streamReference, sent: list(requestId, { max: 10_000 }) },
  'files-unchanged': {
    below: paths,
    except: paths,
    compare: list(oneOf('bytes', 'modes', 'times'), { min: 1, max: 3 }),
  },
  'path-changed': { path, change: oneOf('created', 'removed', 'changed'), control: orNull(stepName) },
  'path-absent': { path, control: orNull(stepName) },
  'control-undone': { control: stepName },
  'no-canaries': { texts: list(canary, { min: 1, max: CANARIES_LIMIT }) },
  'file-is': {
    path,
    type: fileType,
    mode: orNull(mode),
    sha256: orNull(sha256),
    target: orNull(target),
    control: orNull(stepName),
  },
  duration: { step: stepName, minMs: timeBound, maxMs: timeBound },
  'no-leftovers': {},
  'no-oom-kill': {},
  'no-files-created': { below: paths, except: paths },
  'exit-lag': { step: stepName, maxMs: time },
  'ended-after-signal': { step: stepName, signal: signalName, withinMs: time },
  'action-absent': { step: stepName, action: oneOf('signal'), detail: signalName },
  classified: { caseId: orNull(caseId), classes },
});

const checkShape = object({
  id: checkId,
  severity: oneOf('gate', 'warn', 'info'),
  why: sentence,
  advice: sentence,
  precondition: orNull(expectation),
  expect: expectation,
});

const laidFiles = list(byKind({ file: { path, mode, contentBase64: base64 } }), { max: 100 });

const controlShape = object({
  step: stepName,
  phase: oneOf('positive', 'negative', 'restored'),
  files: laidFiles,
  remove: paths,
  restore: paths,
});

const reason = text('a reason', TEXT_LIMIT, Boolean);
const volatileShape = byKind({
  stream: { step: stepName, stream: oneOf('stdout', 'stderr'), pattern: orNull(pattern), why: reason },
  files: { path, why: reason },
});
const referenceShape = object({ step: stepName, archive: archiveName, files: laidFiles });

const plainVersion = text('a version such as 22.5.0', 17, isPlainVersion);
const nodeRange = object({ from: plainVersion, below: orNull(plainVersion) });

const caseShape = object({
  id: caseId,
  why: sentence,
  proves: list(sentence, { max: 100 }),
  doesNotProve: list(sentence, { max: 100 }),
  tags: list(
    text('a tag like [a-z0-9.-]+', ID_LIMIT, (value) => /^[a-z0-9.-]+$/.test(value)),
    { max: 100 },
  ),
  requires: orNull(object({ classification: caseId, classes })),
  node: either((value) =>
    Array.isArray(value) ? list(nodeRange, { min: 1, max: NODE_RANGES_LIMIT }) : oneOf('each', 'first'),
  ),
  exec: bool,
  limits: list(object({ name: oneOf(...LIMIT_NAMES), value: integer(1, Number.MAX_SAFE_INTEGER) }), {
    max: LIMIT_NAMES.length,
  }),
  outputBytes: integer(OUTPUT_BYTES_LEAST, OUTPUT_BYTES_LIMIT),
  settleMs: integer(0, 60_000),
  files: list(fileShape, { max: FILES_LIMIT }),
  steps: list(stepShape, { min: 1, max: STEPS_LIMIT }),
  controls: list(controlShape, { max: 3 }),
  references: list(referenceShape, { max: REFERENCES_LIMIT }),
  checks: list(checkShape, { min: 1, max: CHECKS_LIMIT }),
  volatile: list(volatileShape, { max: VOLATILE_LIMIT }),
});

const exceptions = list(
  object({
    cases: text(GLOB_FORM, TEXT_LIMIT, isGlob),
    reason,
    count: integer(1, CASES_LIMIT),
  }),
  { max: EXCEPTIONS_LIMIT },
);

/** The compiled suite, format version 1, field by field; what holds between fields is in `suite-rules.ts`. */
export const suiteShape: Shape = object({
  formatVersion: oneOf(1),
  id: caseId,
  title: sentence,
  proves: list(sentence, { max: 100 }),
  doesNotProve: list(sentence, { max: 100 }),
  archives: list(archiveShape, { max: ARCHIVES_LIMIT }),
  cases: list(caseShape, { min: 1, max: CASES_LIMIT }),
  exclusions: exceptions,
  expectedUnsupported: exceptions,
});
