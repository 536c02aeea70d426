import { FINDING_CODES } from '../finding.ts';
import { flag, integer, list, literal, object, orNull, recordOf, text } from './shape.ts';
import { count, runId, sentence } from './values.ts';

/** Texts of a finding are cut, which is shown by one more character. */
const finding = object({
  code: literal(...FINDING_CODES),
  path: text(201),
  expected: text(201),
  actual: text(201),
});

/** What the verifier itself says with `--json`. Nothing of ours reads it back; the schema is for those who do. */
export const verdictShape = object({
  formatVersion: literal(1),
  verdict: literal('accepted', 'rejected'),
  runId: orNull(runId),
  findings: list(finding, 2001),
  runExitCode: orNull(integer(0, 255)),
  counts: recordOf(count, /^(?:pass|fail|error|unrun|excluded|unsupported|flaky)$/, 7),
  signed: flag,
  unchecked: list(sentence, 1000),
});
