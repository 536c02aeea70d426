import { type Statement, toStatement } from '../evidence/statements/statement.ts';
import type { ReplayDocument } from './replay-document.ts';

const REPLAY_TYPE = 'pkg:npm/packproof#replay/v1';

/** The document as an in-toto statement about the recorded bundle, in which form an auditor signs it. */
export function toReplayStatement(document: ReplayDocument): Statement {
  return toStatement({
    subject: [{ name: 'bundle.json', digest: { sha256: document.recorded.bundleSha256 } }],
    predicateType: REPLAY_TYPE,
    predicate: document,
  });
}
