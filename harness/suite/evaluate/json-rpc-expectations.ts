import { quoteText } from '../../document/fault.ts';
import type { Expectation } from '../compiled.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';
import {
  isJsonRpc,
  type JsonLine,
  type JsonRpcId,
  type JsonRpcResponse,
  listResponses,
  parseJsonLines,
  valueAt,
} from './json-rpc.ts';
import { fails, holds, isUnknown, type Judgement } from './judgement.ts';
import type { Seen, SeenStream } from './seen.ts';
import { isCleanUtf8 } from './text.ts';

export type JsonRpcExpectation = Extract<
  Expectation,
  {
    readonly kind: 'json-lines' | 'json-rpc-answer' | 'json-rpc-value' | 'json-rpc-error' | 'json-rpc-ids';
  }
>;

type Of<Kind extends JsonRpcExpectation['kind']> = Extract<JsonRpcExpectation, { readonly kind: Kind }>;

/** Judges a statement about the JSON lines of one stream. */
export function judgeJsonRpc(expectation: JsonRpcExpectation, seen: Seen): Judgement {
  const stream = seen.stream(expectation.of);
  if (stream === null || stream.bytes === null) {
    return isUnknown(`bytes of ${expectation.of.step} ${expectation.of.stream} are not to be had`);
  }
  switch (expectation.kind) {
    case 'json-lines':
      return judgeLines(expectation, stream, stream.bytes);
    case 'json-rpc-answer':
      return judgeResponse(stream, stream.bytes, expectation.id, (response) => hasAll(expectation, response));
    case 'json-rpc-value':
      return judgeResponse(stream, stream.bytes, expectation.id, (response) =>
        hasValue(expectation, response),
      );
    case 'json-rpc-error':
      return judgeResponse(stream, stream.bytes, expectation.id, (response) =>
        hasCode(expectation, response),
      );
    case 'json-rpc-ids':
      return judgeIds(expectation, stream, stream.bytes);
  }
}

function judgeLines(expected: Of<'json-lines'>, stream: SeenStream, bytes: Buffer): Judgement {
  const complete = stream.complete ? bytes : bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  for (const line of parseJsonLines(complete)) {
    const fault = faultOfLine(expected, line);
    if (fault !== null) return fails(`${stream.name} has ${fault}: ${show(line.text)}`);
  }
  if (expected.nonJson === 'refuse' && !isCleanUtf8(complete))
    return fails(`${stream.name} is not plain UTF-8`);
  return stream.complete
    ? holds(`every line of ${stream.name} is as expected`)
    : isUnknown(`${stream.name} is incomplete`);
}

/** Scalars are what a log line can be by accident (`42`, `"done"`), so `skip` leaves them aside with the rest. */
function faultOfLine(expected: Of<'json-lines'>, line: JsonLine): string | null {
  const isContainer = typeof line.value === 'object' && line.value !== null;
  if (!isContainer && expected.nonJson === 'skip') return null;
  if (line.value === undefined) return 'a line that is no JSON';
  return expected.jsonRpc && !isJsonRpc(line.value) ? 'JSON that is no JSON-RPC message' : null;
}

/** Looks at the first response with the id; `fault` says what is wrong with it, null when nothing is. */
function judgeResponse(
  stream: SeenStream,
  bytes: Buffer,
  id: JsonRpcId,
  fault: (response: JsonRpcResponse) => string | null,
): Judgement {
  for (const response of listResponses(bytes)) {
    if (response.id !== id) continue;
    const wrong = fault(response);
    return wrong === null ? holds(`request ${id} is answered`) : fails(`request ${id}: ${wrong}`);
  }
  return stream.complete ? fails(`request ${id} is not answered`) : isUnknown(`${stream.name} is incomplete`);
}

function hasAll(expected: Of<'json-rpc-answer'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'error') return `answered with error ${show(response.outcome.code)}`;
  const { result } = response.outcome;
  const lacking = expected.resultHas.find((pointer) => valueAt(result, pointer) === undefined);
  return lacking === undefined ? null : `result has no ${lacking}`;
}

function hasValue(expected: Of<'json-rpc-value'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'error') return `answered with error ${show(response.outcome.code)}`;
  const value = valueAt(response.outcome.result, expected.pointer);
  return typeof value === 'string' && expected.anyOf.includes(value)
    ? null
    : `${expected.pointer} is ${show(value)}`;
}

function hasCode(expected: Of<'json-rpc-error'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'result') return 'answered with a result';
  const { code } = response.outcome;
  const fits = typeof code === 'number' && (expected.codes.length === 0 || expected.codes.includes(code));
  return fits ? null : `error code is ${show(code)}`;
}

function judgeIds(expected: Of<'json-rpc-ids'>, stream: SeenStream, bytes: Buffer): Judgement {
  const answered = new Set<JsonRpcId>();
  for (const response of listResponses(bytes)) {
    if (!expected.sent.includes(response.id)) return fails(`a response to ${show(response.id)}, never asked`);
    if (answered.has(response.id)) return fails(`a second response to ${show(response.id)}`);
    answered.add(response.id);
  }
  return stream.complete
    ? holds('every response answers a request')
    : isUnknown(`${stream.name} is incomplete`);
}

function show(value: unknown): string {
  return quoteText(
    typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'nothing'),
    MESSAGE_TEXT_LIMIT,
  );
}
