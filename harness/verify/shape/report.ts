import { outcome, termination } from './receipt.ts';
import { flag, integer, list, literal, matching, object, orNull, type Shaped, text } from './shape.ts';
import { caseId, selectionPattern, stepName } from './suite.ts';
import { archiveName } from './suite-archive.ts';
import {
  count,
  day,
  duration,
  nodeVersion,
  platform,
  runId,
  sentence,
  sentences,
  sha256,
  sha512,
  time,
  version,
  word,
} from './values.ts';

const counts = object({
  pass: count,
  fail: count,
  error: count,
  unrun: count,
  excluded: count,
  unsupported: count,
  flaky: count,
});

export const candidateIdentity = object({ name: sentence, version: sentence, sha256, sha512 });

const engine = object({
  name: literal('docker', 'runc'),
  version: word,
  apiVersion: orNull(word),
  runtime: object({ name: word, version: word }),
  kernel: word,
  cgroupVersion: literal(1, 2),
  storage: word,
  evidenceWay: literal('host', 'engine-archive'),
});

const watchdog = object({
  limitMs: duration,
  firedAtMs: orNull(duration),
  kills: list(
    object({
      boxName: word,
      askedAtMs: duration,
      doneAtMs: duration,
      result: literal('killed', 'already-gone', 'failed'),
    }),
    100_000,
  ),
});

const suite = object({
  id: caseId,
  proves: sentences,
  doesNotProve: sentences,
  caseClaims: list(object({ caseId, proves: sentences, doesNotProve: sentences }), 20_000),
  volatile: integer(0, 2_000_000),
});

const exceptedCases = list(object({ caseId, reason: sentence }), 20_000);

/** `report.json`. */
export const reportShape = object({
  formatVersion: literal(1),
  runId,
  nonce: orNull(text(4096)),
  result: literal('passed', 'failed', 'error'),
  exitCode: integer(0, 255),
  candidate: candidateIdentity,
  platform,
  engine: orNull(engine),
  nodeVersions: list(nodeVersion, 100),
  npmVersion: orNull(version),
  scripts: literal('off', 'on'),
  startedAt: time,
  finishedAt: time,
  durationMs: duration,
  budget: object({ limitMs: duration, usedMs: duration, exhausted: flag }),
  limits: object({
    caseTimeoutMs: integer(1, 86_400_000),
    jobs: integer(1, 10_000),
    repeat: integer(1, 10_000),
  }),
  selection: object({
    only: list(selectionPattern, 1000),
    shard: orNull(
      object({
        index: integer(1, 10_000),
        count: integer(1, 10_000),
        durationsSha256: orNull(sha256),
      }),
    ),
    shuffle: orNull(matching(/^[A-Za-z0-9._-]{1,64}$/, 64)),
  }),
  watchdog: orNull(watchdog),
  timings: orNull(
    object({ prepareMs: orNull(duration), probeMs: duration, casesMs: duration, totalMs: duration }),
  ),
  interruptedBy: literal('SIGINT', 'SIGTERM', 'SIGHUP', null),
  counts,
  declared: count,
  executed: count,
  blocked: orNull(
    object({
      stage: literal('audit', 'resolve', 'install'),
      code: word,
      where: sentence,
      expected: sentence,
      actual: sentence,
    }),
  ),
  exclusions: exceptedCases,
  expectedUnsupported: exceptedCases,
  staleExpectations: list(object({ caseId, node: nodeVersion, outcome }), 100_000),
  references: object({
    observed: count,
    excluded: list(
      object({
        caseId,
        node: nodeVersion,
        attempt: integer(1, 10_000),
        step: stepName,
        archive: archiveName,
        termination,
      }),
      100_000,
    ),
  }),
  waivers: list(object({ code: word, path: orNull(sentence), reason: sentence, expires: day }), 10_000),
  harness: object({ version, distSha256: sha256, verifierSha256: sha256 }),
  suites: list(suite, 1000),
});

export type Report = Shaped<typeof reportShape>;
export type Counts = Shaped<typeof counts>;
