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
import type { Difference, FirstBytes, ReplayResult } from './difference.ts';
import type { ReplayDocument, ReplaySide } from './replay-document.ts';

const result: Shape<ReplayResult> = shared('result', oneOf('identical', 'equivalent', 'different'));
const hex = matching(/^(?:[0-9a-f]{2}){0,32}$/u);

const firstBytes = recordOf<FirstBytes>({ offset: count, recordedHex: hex, replayedHex: hex });

const difference = recordOf<Difference>({
  kind: oneOf(
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
  volatile: nullable(text),
  where: text,
  recorded: text,
  replayed: text,
  bytes: nullable(firstBytes),
});

const side: Shape<ReplaySide> = shared(
  'side',
  recordOf<ReplaySide>({
    runId: text,
    bundleSha256: sha256Text,
    engine: nullable(
      recordOf<NonNullable<ReplaySide['engine']>>({ name: oneOf('docker', 'runc'), version: text }),
    ),
    exitCode: integer(0, 255),
    harness: recordOf<ReplaySide['harness']>({ version: text, distSha256: sha256Text }),
  }),
);

/** What `packproof replay` says, and what an auditor may sign. */
export const replayShape: Shape<ReplayDocument> = recordOf<ReplayDocument>({
  formatVersion: oneOf(1),
  result,
  exitCode: oneOf(0, 1),
  candidate: recordOf<ReplayDocument['candidate']>({
    name: text,
    version: text,
    sha256: sha256Text,
    sha512: matching(/^[0-9a-f]{128}$/u),
  }),
  recorded: side,
  replayed: side,
  images: listOf(
    recordOf<ReplayDocument['images'][number]>({
      node: text,
      configDigest: sha256Text,
      diffIds: listOf(sha256Text),
    }),
  ),
  sameBoundary: flag,
  counts: recordOf<ReplayDocument['counts']>({ identical: count, equivalent: count, different: count }),
  cases: listOf(
    recordOf<ReplayDocument['cases'][number]>({ id: text, result, differences: listOf(difference) }),
  ),
  durationMs: count,
});
