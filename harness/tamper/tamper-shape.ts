import {
  count,
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
import type { AcceptedChange, KindReport, Survivor, TamperDocument } from './tamper-document.ts';

const level = oneOf('a', 'b', 'c');
const keyIdText = shared('keyId', matching(/^[0-9a-f]{64}$/u));
const field = { document: text, field: text };

/** What `packproof tamper --json` says. Nothing here reads it back: the schema is for those who do. */
export const tamperShape: Shape<TamperDocument> = recordOf<TamperDocument>({
  formatVersion: oneOf(1),
  result: oneOf('held', 'broken'),
  exitCode: oneOf(0, 4),
  evidence: text,
  runId: text,
  bundleSha256: sha256Text,
  seed: text,
  extent: oneOf('short', 'whole', 'all'),
  levels: listOf(level),
  key: nullable(
    recordOf<NonNullable<TamperDocument['key']>>({
      keyId: keyIdText,
      origin: oneOf('given', 'made-for-this'),
    }),
  ),
  given: listOf(text),
  mutations: count,
  rejected: count,
  kinds: listOf(
    recordOf<KindReport>({
      kind: text,
      level,
      what: text,
      state: oneOf('exercised', 'not-exercised', 'not-reached'),
      opportunities: count,
      mutations: count,
      rejected: count,
      survivors: count,
      accepted: count,
    }),
  ),
  accepted: listOf(
    recordOf<AcceptedChange>({
      ...field,
      kind: text,
      level,
      place: text,
      judgedWith: oneOf('no-key', 'key'),
    }),
  ),
  survivors: listOf(recordOf<Survivor>({ ...field, kinds: listOf(text), mutations: count, why: text })),
  survivorsWithKey: count,
  durationMs: count,
});
