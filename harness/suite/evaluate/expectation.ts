import { classifySeen, judgeClass } from '../classify.ts';
import type { Expectation } from '../compiled.ts';
import { judgeAfterwards } from './afterwards.ts';
import { judgeCanaries } from './canaries.ts';
import { describeExpected, describeOpposite } from './expected.ts';
import { judgeFiles } from './file-expectations.ts';
import { judgeJsonRpc } from './json-rpc-expectations.ts';
import { judgeJsonValue } from './json-value.ts';
import { allOf, anyOf, isUnknown, type Judgement, negated } from './judgement.ts';
import type { Seen } from './seen.ts';
import { judgeStep } from './step-expectations.ts';
import { judgeStream } from './stream-expectations.ts';

/**
 * Judges one statement about what was seen. Pure; every kind is one branch, and what was not seen is unknown,
 * never a guess.
 */
export function judgeExpectation(expectation: Expectation, seen: Seen): Judgement {
  const judgement = judgeKind(expectation, seen);
  return judgement.truth === 'false' && (judgement.expected ?? null) === null
    ? { ...judgement, expected: describeExpected(expectation) }
    : judgement;
}

function judgeKind(expectation: Expectation, seen: Seen): Judgement {
  switch (expectation.kind) {
    case 'all':
      return allOf(expectation.of.map((one) => judgeExpectation(one, seen)));
    case 'any':
      return anyOf(expectation.of.map((one) => judgeExpectation(one, seen)));
    case 'not':
      return negated(judgeExpectation(expectation.of, seen), describeOpposite(expectation.of));
    case 'stream-equals':
    case 'stream-empty':
    case 'stream-includes':
    case 'stream-matches':
    case 'stream-no-escapes':
    case 'stream-utf8':
    case 'stream-size':
    case 'streams-equal':
      return judgeStream(expectation, seen);
    case 'json-lines':
    case 'json-rpc-answer':
    case 'json-rpc-value':
    case 'json-rpc-error':
    case 'json-rpc-ids':
      return judgeJsonRpc(expectation, seen);
    case 'json-value':
      return judgeJsonValue(expectation, seen);
    case 'files-unchanged':
    case 'path-changed':
    case 'path-absent':
    case 'file-is':
    case 'control-undone':
      return judgeFiles(expectation, seen);
    case 'termination':
    case 'duration':
    case 'exit-lag':
    case 'ended-after-signal':
    case 'action-absent':
      return judgeStep(expectation, seen);
    case 'file-equals-stream':
    case 'file-not-longer':
    case 'no-leftovers':
    case 'no-oom-kill':
    case 'no-files-created':
      return judgeAfterwards(expectation, seen);
    case 'no-canaries':
      return judgeCanaries(expectation, seen);
    case 'classified':
      return judgeClassified(expectation, seen);
    default:
      return unreachable(expectation);
  }
}

function judgeClassified(
  expectation: Extract<Expectation, { readonly kind: 'classified' }>,
  seen: Seen,
): Judgement {
  const observation = seen.case(expectation.caseId);
  if (observation === null) return isUnknown(`case ${expectation.caseId ?? 'itself'} was not observed`);
  return judgeClass(classifySeen(observation.caseId, seen), expectation.classes);
}

function unreachable(value: never): never {
  throw new TypeError(`expectation: kind: expected one of the closed list, got ${JSON.stringify(value)}`);
}
