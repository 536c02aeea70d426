import { candidateIdentity } from './report.ts';
import { flag, integer, list, literal, matching, object, orNull, type Shaped } from './shape.ts';
import { count, duration, nodeVersion, runId, sentence, sha256, version, word } from './values.ts';

const result = literal('identical', 'equivalent', 'different');
const hex = matching(/^([0-9a-f]{2}){0,32}$/, 64);

const difference = object({
  kind: literal(
    'case-absent',
    'outcome',
    'check',
    'attempts',
    'steps',
    'termination',
    'stream',
    'files',
    'control',
    'kept-file',
    'leftovers',
  ),
  decisive: flag,
  volatile: orNull(sentence),
  where: sentence,
  recorded: sentence,
  replayed: sentence,
  bytes: orNull(object({ offset: count, recordedHex: hex, replayedHex: hex })),
});

const side = object({
  runId,
  bundleSha256: sha256,
  engine: orNull(object({ name: literal('docker', 'runc'), version: word })),
  exitCode: integer(0, 255),
  harness: object({ version, distSha256: sha256 }),
});

/** What a replay showed: the predicate of its statement. */
export const replayShape = object({
  formatVersion: literal(1),
  result,
  exitCode: integer(0, 1),
  candidate: candidateIdentity,
  recorded: side,
  replayed: side,
  images: list(object({ node: nodeVersion, configDigest: sha256, diffIds: list(sha256, 100, 1) }), 100),
  sameBoundary: flag,
  counts: object({ identical: count, equivalent: count, different: count }),
  cases: list(object({ id: sentence, result, differences: list(difference, 100_000) }), 200_000),
  durationMs: duration,
});

export type Replay = Shaped<typeof replayShape>;
