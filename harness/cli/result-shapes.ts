import {
  count,
  flag,
  integer,
  listOf,
  matching,
  nullable,
  oneOf,
  recordOf,
  type Shape,
  sha256Text,
  shared,
  text,
} from '../document/shape.ts';
import type { AuditLine } from '../job/audit-summary.ts';
import type { BaseDiagnosis, EngineDiagnosis } from '../job/diagnosis.ts';
import type { ContextBlock } from '../prepare/context-document.ts';
import type { PreparedImage } from '../prepare/prepare-options.ts';
import type { ErrorDocument } from './error-document.ts';
import type { OwnFolders } from './folders.ts';
import type { Failure, ResultDocument, SelfCheck } from './result-document.ts';

// What the commands say with `--json`. Nothing here reads it back: the schemas are for those who do.

const exitCode = integer(0, 255);
const sha512Text = matching(/^[0-9a-f]{128}$/u);
const keyIdText = shared('keyId', matching(/^[0-9a-f]{64}$/u));
const severity = oneOf('gate', 'warn', 'info');
const platform = oneOf('linux/amd64', 'linux/arm64');

type AuditRow = ResultDocument['audit'][number];

const counts = recordOf<ResultDocument['counts']>({
  pass: count,
  fail: count,
  error: count,
  unrun: count,
  excluded: count,
  unsupported: count,
  flaky: count,
});

const candidate = recordOf<ResultDocument['candidate']>({
  name: text,
  version: text,
  sha256: sha256Text,
  sha512: sha512Text,
});

const engine = nullable(recordOf<NonNullable<ResultDocument['engine']>>({ name: text, version: text }));

const failures = listOf(
  recordOf<Failure>({
    case: text,
    check: text,
    severity,
    message: text,
    advice: text,
    evidencePath: text,
  }),
);

const audit = listOf(
  recordOf<AuditRow>({
    code: text,
    severity,
    unsafe: flag,
    path: text,
    expected: text,
    actual: text,
    advice: text,
    waived: flag,
  }),
);

/** `check` and `run`. */
export const resultShape: Shape<ResultDocument> = recordOf<ResultDocument>({
  formatVersion: oneOf(1),
  result: oneOf('passed', 'failed', 'error'),
  exitCode,
  candidate,
  engine,
  counts,
  failures,
  audit,
  evidence: text,
  verdict: oneOf('accepted', 'rejected'),
  signedBy: nullable(keyIdText),
  budget: recordOf<ResultDocument['budget']>({ limitMs: count, usedMs: count, exhausted: flag }),
  prepareMs: nullable(count),
  selfCheck: nullable(
    recordOf<SelfCheck>({
      kinds: count,
      mutations: count,
      accepted: listOf(recordOf<SelfCheck['accepted'][number]>({ kind: text, place: text })),
    }),
  ),
  durationMs: count,
});

/** Every command that ended before its result, and `packproof-verify` called wrongly. */
export const errorShape: Shape<ErrorDocument> = recordOf<ErrorDocument>({
  formatVersion: oneOf(1),
  result: oneOf('error'),
  exitCode,
  error: recordOf<ErrorDocument['error']>({
    code: text,
    what: text,
    where: text,
    expected: nullable(text),
    actual: nullable(text),
  }),
  candidate: nullable(candidate),
  engine,
  counts,
  failures,
  audit,
  evidence: nullable(text),
  durationMs: count,
});

const auditLine = recordOf<AuditLine>({
  code: text,
  severity,
  unsafe: flag,
  path: text,
  expected: text,
  actual: text,
  waived: nullable(recordOf<NonNullable<AuditLine['waived']>>({ reason: text, expires: text })),
});

const block = recordOf<ContextBlock>({
  stage: oneOf('audit', 'resolve', 'install'),
  code: text,
  where: text,
  expected: text,
  actual: text,
});

/** The documents of the other commands, by the name of the command. */
export const commandShapes = {
  prepare: recordOf({
    formatVersion: oneOf(1),
    result: oneOf('passed', 'failed'),
    exitCode,
    context: text,
    contextSha256: sha256Text,
    candidate: recordOf({ name: nullable(text), version: nullable(text), sha256: sha256Text }),
    platform,
    untested: flag,
    base: text,
    nodes: listOf(text),
    images: listOf(
      recordOf<PreparedImage>({
        node: text,
        configDigest: sha256Text,
        diffIds: listOf(sha256Text),
        files: count,
      }),
    ),
    packages: count,
    installScripts: listOf(text),
    blocked: nullable(block),
    audit: listOf(auditLine),
  }),
  doctor: recordOf({
    formatVersion: oneOf(1),
    result: oneOf('passed', 'error'),
    exitCode,
    machine: recordOf({ node: text, platform: text, uid: nullable(count) }),
    engines: listOf(
      recordOf<EngineDiagnosis>({
        name: oneOf('docker', 'runc'),
        state: oneOf('usable', 'absent', 'refused'),
        detail: text,
        mend: nullable(text),
      }),
    ),
    bases: listOf(
      recordOf<BaseDiagnosis>({
        kind: oneOf('debian', 'rootfs', 'image'),
        state: oneOf('usable', 'absent'),
        detail: text,
      }),
    ),
    folders: recordOf<OwnFolders>({ cache: text, state: text }),
  }),
  clean: recordOf({ formatVersion: oneOf(1), result: oneOf('passed'), exitCode, removed: listOf(text) }),
  init: recordOf({ formatVersion: oneOf(1), result: oneOf('passed'), exitCode, suite: text }),
  keygen: recordOf({ formatVersion: oneOf(1), keyId: keyIdText, privateFile: text, publicFile: text }),
  merge: recordOf({
    formatVersion: oneOf(1),
    evidence: text,
    shards: count,
    runExitCode: exitCode,
    counts,
  }),
  sign: recordOf({ formatVersion: oneOf(1), evidence: text, keyId: keyIdText, runExitCode: exitCode }),
};
