import {
  byKind,
  either,
  flag,
  integer,
  isRecord,
  list,
  literal,
  matching,
  number,
  object,
  orNull,
  recordOf,
  type Shaped,
  text,
} from './shape.ts';
import { caseId, checkId, severity, signalName, stepName, streamName } from './suite.ts';
import {
  count,
  duration,
  mode,
  nodeVersion,
  runId,
  sentence,
  sentences,
  sha256,
  shared,
  time,
  word,
  words,
} from './values.ts';

export const outcome = literal('pass', 'fail', 'error', 'unrun', 'excluded', 'unsupported', 'flaky');
export const reason = literal(
  'budget',
  'interrupted',
  'selection',
  'exclusion',
  'audit',
  'no-node-version',
  'not-of-this-class',
  'classification-missing',
  'attempts-differ',
  'box-not-opened',
  'box-lost',
  'not-observed',
  'not-evaluated',
  'image-unread',
  'check-not-judged',
  'control-failed',
  'no-check-exercised',
);

export const termination = byKind({
  exited: { code: integer(0, 255) },
  signaled: { signal: signalName },
  'timed-out': { limitMs: integer(1, 86_400_000) },
  'output-limit': { stream: streamName },
  budget: {},
  interrupted: {},
  'not-started': { errno: matching(/^E[A-Z0-9]{1,39}$/, 40) },
});

const stream = object({
  totalBytes: count,
  keptBytes: count,
  totalSha256: sha256,
  keptSha256: sha256,
  truncated: flag,
  eofSeen: flag,
  lastByteAtMs: orNull(duration),
});

const step = object({
  name: stepName,
  argv: list(sentence, 1000, 1),
  startedAt: time,
  durationMs: duration,
  termination,
  killedBy: literal('candidate', 'packproof', 'engine', 'oom', null),
  oomKilled: flag,
  stdout: shared('stream', stream),
  stderr: shared('stream', stream),
});

const boxProcess = object({
  pid: orNull(count),
  parentPid: orNull(count),
  argv: sentences,
  state: word,
});

const mount = object({ path: word, type: word, options: words });
export const mounts = list(shared('mount', mount), 10_000);
const writable = object({
  path: word,
  sizeBytes: count,
  inodes: count,
  uid: count,
  gid: count,
  mode,
  exec: flag,
});
export const writables = list(shared('writableMount', writable), 100);
export const resourceLimits = list(object({ name: word, value: integer(-1, Number.MAX_SAFE_INTEGER) }), 100);

/** The engine's own word of a box, in the names of the format. */
export const inspect = object({
  user: word,
  supplementaryGids: list(count, 1000),
  capabilities: words,
  privileged: flag,
  noNewPrivileges: flag,
  seccompFormSha256: sha256,
  networkMode: word,
  ipcMode: word,
  pidMode: word,
  utsMode: word,
  cgroupNamespaceMode: word,
  rootReadOnly: flag,
  writableMounts: writables,
  hostBinds: words,
  devices: words,
  pidsLimit: integer(-1, Number.MAX_SAFE_INTEGER),
  memoryBytes: integer(-1, Number.MAX_SAFE_INTEGER),
  memorySwapBytes: integer(-1, Number.MAX_SAFE_INTEGER),
  cpuMillis: number(-1, Number.MAX_SAFE_INTEGER),
  hostname: word,
  resourceLimits,
  maskedPaths: words,
  readonlyPaths: words,
});

export const status = recordOf(word, /^[A-Za-z_]{1,40}$/, 100);

export const outside = object({
  inspect: shared('inspect', inspect),
  status: orNull(status),
  mounts: orNull(mounts),
  namespaces: orNull(recordOf(literal('private', 'host'), /^[a-z]{1,20}$/, 20)),
  limits: orNull(
    object({
      pids: integer(-1, Number.MAX_SAFE_INTEGER),
      memoryBytes: integer(-1, Number.MAX_SAFE_INTEGER),
      memorySwapBytes: integer(-1, Number.MAX_SAFE_INTEGER),
      cpuMillis: number(-1, Number.MAX_SAFE_INTEGER),
    }),
  ),
});

/** Engines tell different things of a box that ended; none of it decides anything, so names alone are closed. */
const END_FIELDS =
  /^(Error|ExitCode|FinishedAt|Image|OOMKilled|StartedAt|Status|created|id|memoryLimitHits|memoryPeakBytes|ociVersion|rootless|status|unread)$/;
const scalar = either(
  (value) => typeof value === 'string',
  word,
  either((value) => typeof value === 'boolean', flag, orNull(integer(-1, Number.MAX_SAFE_INTEGER))),
);
const end = object({
  oomKilled: flag,
  oomKills: orNull(count),
  inspect: recordOf(scalar, END_FIELDS, 20),
});

const teardownEvent = object({
  action: literal('freeze', 'list', 'kill-all', 'drain', 'lay', 'undo', 'snapshot', 'kill-box', 'close'),
  atMs: duration,
  detail: sentence,
});

const attempt = object({
  attempt: integer(1, 10_000),
  folder: text(64),
  boxId: matching(/^[A-Za-z0-9._-]{1,128}$/, 128),
  steps: list(shared('step', step), 200),
  leftovers: list(shared('process', boxProcess), 100_000),
  filesTruncated: sentences,
  outsideSha256: sha256,
  end,
  teardown: list(teardownEvent, 2000),
});

const checkRecord = object({
  id: checkId,
  severity,
  result: literal('pass', 'fail', 'not-exercised', 'error'),
  message: sentence,
});

/** `receipt.json`: the stored record of one case on one Node version. */
export const receiptShape = object({
  formatVersion: literal(1),
  runId,
  suite: caseId,
  caseId,
  node: nodeVersion,
  outcome,
  reason: orNull(reason),
  detail: sentence,
  proves: sentences,
  doesNotProve: sentences,
  checks: list(shared('check', checkRecord), 500),
  attempts: list(shared('attempt', attempt), 10_000),
});

/** A line of `transcript.ndjson`. */
export const transcriptLine = byKind({
  output: {
    step: stepName,
    stream: streamName,
    sizeBytes: integer(1, Number.MAX_SAFE_INTEGER),
    atMs: duration,
  },
  signal: { step: stepName, detail: sentence, atMs: duration },
  stdin: { step: stepName, detail: sentence, atMs: duration },
  'stdin-closed': { step: stepName, detail: sentence, atMs: duration },
  'output-closed': { step: stepName, detail: sentence, atMs: duration },
});

const entry = {
  path: sentence,
  kind: literal('file', 'directory', 'symlink', 'fifo', 'socket', 'character-device', 'block-device'),
  mode,
  uid: count,
  gid: count,
  mtimeMs: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  sizeBytes: count,
  sha256: orNull(sha256),
  target: orNull(sentence),
};

/** A line of `files.ndjson`. */
export const filesLine = object({ when: literal('before', 'after'), ...entry });

/** A line of `controls.ndjson`: the writable places when a control was laid, had run and was undone. */
const lookLine = object({
  step: stepName,
  when: literal('laid', 'ran', 'undone'),
  ...entry,
});

/** A word of a control's command and the file that it names, the first being its program. */
const programLine = object({
  step: stepName,
  when: literal('program'),
  word: integer(0, 999),
  file: orNull(object({ path: sentence, mode, sizeBytes: count, sha256: orNull(sha256) })),
});

/** Any line of `controls.ndjson`. */
export const controlLine = either(
  (value) => isRecord(value) && value['when'] === 'program',
  programLine,
  lookLine,
);

export type Receipt = Shaped<typeof receiptShape>;
export type Attempt = Shaped<typeof attempt>;
export type StepRecord = Shaped<typeof step>;
export type StreamRecord = Shaped<typeof stream>;
export type Termination = Shaped<typeof termination>;
export type Outside = Shaped<typeof outside>;
export type MountRecord = Shaped<typeof mount>;
export type Outcome = Shaped<typeof outcome>;
export type TranscriptLine = Shaped<typeof transcriptLine>;
export type FilesLine = Shaped<typeof filesLine>;
export type LookLine = Shaped<typeof lookLine>;
export type ProgramLine = Shaped<typeof programLine>;
export type ControlLine = LookLine | ProgramLine;
/** An entry of the writable places, whenever it was looked at. */
export type Entry = Omit<FilesLine, 'when'>;
