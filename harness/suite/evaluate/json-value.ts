import { quoteText } from '../../document/fault.ts';
import type { Expectation } from '../compiled.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';
import { hasJson, misfitOf, sameJson } from './json-schema.ts';
import { fails, holds, isUnknown, type Judgement } from './judgement.ts';
import type { Seen, SeenStream } from './seen.ts';
import { decodeText, isCleanUtf8, showBytes, showText } from './text.ts';

type JsonValueExpectation = Extract<Expectation, { readonly kind: 'json-value' }>;

/** Judges the JSON of a stream by a rule: as one document, or line by line. */
export function judgeJsonValue(expected: JsonValueExpectation, seen: Seen): Judgement {
  const stream = seen.stream(expected.of);
  if (stream === null || stream.bytes === null) {
    return isUnknown(`bytes of ${expected.of.step} ${expected.of.stream} are not to be had`);
  }
  const faultOf = toRule(expected);
  return expected.scope === 'stream'
    ? judgeDocument(stream, stream.bytes, faultOf)
    : judgeLines(expected, stream, seen, faultOf);
}

/** What is wrong with a value, null when it fits. */
type FaultOf = (value: unknown) => string | null;

function toRule({ rule, json }: JsonValueExpectation): FaultOf {
  const expected: unknown = JSON.parse(json);
  switch (rule) {
    case 'equals':
      return (value) => (sameJson(expected, value) ? null : `is not ${quoteText(json, MESSAGE_TEXT_LIMIT)}`);
    case 'subset':
      return (value) => (hasJson(expected, value) ? null : `lacks ${quoteText(json, MESSAGE_TEXT_LIMIT)}`);
    case 'schema':
      return (value) => {
        const misfit = misfitOf(expected, value);
        return misfit === null ? null : `does not fit at ${quoteText(misfit, MESSAGE_TEXT_LIMIT)}`;
      };
  }
}

function judgeDocument(stream: SeenStream, bytes: Buffer, faultOf: FaultOf): Judgement {
  if (!stream.complete) return isUnknown(`${stream.name} is incomplete`);
  if (!isCleanUtf8(bytes)) return fails(`${stream.name} is not plain UTF-8: ${showBytes(bytes)}`);
  const value = parse(decodeText(bytes));
  if (value === undefined) return fails(`${stream.name} is no JSON: ${showBytes(bytes)}`);
  const fault = faultOf(value);
  return fault === null
    ? holds(`${stream.name} is JSON as expected`)
    : fails(`${stream.name} ${fault}: ${showBytes(bytes)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judgeLines(
  { of, scope, rule, json }: JsonValueExpectation,
  stream: SeenStream,
  seen: Seen,
  faultOf: FaultOf,
): Judgement {
  const read = seen.jsonLines(of);
  if (read === null) return isUnknown(`bytes of ${stream.name} are not to be had`);
  const faults = read.lines.map(({ value }) => (value === undefined ? 'is no JSON' : faultOf(value)));
  const firstFault = faults.find((fault) => fault !== null);
  if (scope === 'every-line' && firstFault !== undefined) {
    const index = faults.indexOf(firstFault);
    const shown = showText(read.lines[index]?.text ?? '');
    return fails(`line ${index + 1} of ${stream.name} ${firstFault}: ${shown}`);
  }
  if (scope === 'some-line' && faults.includes(null)) return holds(`a line of ${stream.name} is as expected`);
  if (!read.whole) return isUnknown(`${stream.name} is incomplete`);
  // A rule for every line says nothing of a stream without one.
  return scope === 'every-line' && faults.length > 0
    ? holds(`${faults.length} lines of ${stream.name} are as expected`)
    : fails(
        `no line of ${stream.name} is as expected: ${showBytes(stream.bytes ?? Buffer.alloc(0))}`,
        `${rule} ${quoteText(json, MESSAGE_TEXT_LIMIT)}`,
      );
}
