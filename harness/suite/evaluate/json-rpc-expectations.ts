import { quoteText } from '../../document/fault.ts';
import type { Expectation } from '../compiled.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';
import {
  isJsonRpc,
  type JsonLine,
  type JsonLines,
  type JsonRpcId,
  type JsonRpcResponse,
  listResponses,
  valueAt,
} from './json-rpc.ts';
import { fails, holds, isUnknown, type Judgement } from './judgement.ts';
import type { Seen } from './seen.ts';
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
  const read = seen.jsonLines(expectation.of);
  if (read === null || stream === null || stream.bytes === null) {
    return isUnknown(`bytes of ${expectation.of.step} ${expectation.of.stream} are not to be had`);
  }
  switch (expectation.kind) {
    case 'json-lines':
      return judgeLines(expectation, read, stream.bytes);
    case 'json-rpc-answer':
      return judgeResponse(read, expectation.id, (response) => faultOfAnswer(expectation, response));
    case 'json-rpc-value':
      return judgeResponse(read, expectation.id, (response) => faultOfValue(expectation, response));
    case 'json-rpc-error':
      return judgeResponse(read, expectation.id, (response) => faultOfError(expectation, response));
    case 'json-rpc-ids':
      return judgeIds(expectation, read);
  }
}

function judgeLines(expected: Of<'json-lines'>, read: JsonLines, bytes: Buffer): Judgement {
  const name = `${expected.of.step} ${expected.of.stream}`;
  for (const line of read.lines) {
    const fault = faultOfLine(expected, line);
    if (fault !== null) return fails(`${name} has ${fault}: ${show(line.text)}`);
  }
  if (!read.whole) return isUnknown(`${name} is incomplete`);
  if (expected.nonJson === 'refuse' && !isCleanUtf8(bytes)) return fails(`${name} is not plain UTF-8`);
  return holds(`every line of ${name} is as expected`);
}

/** Scalars are what a log line can be by accident (`42`, `"done"`), so `skip` leaves them aside with the rest. */
function faultOfLine(expected: Of<'json-lines'>, line: JsonLine): string | null {
  const isContainer = typeof line.value === 'object' && line.value !== null;
  if (!isContainer && expected.nonJson === 'skip') return null;
  if (line.value === undefined) return 'a line that is no JSON';
  return expected.jsonRpc && !isJsonRpc(line.value) ? 'JSON that is no JSON-RPC message' : null;
}

/** Looks at the first response with the id; `faultOf` says what is wrong with it, null when nothing is. */
function judgeResponse(
  read: JsonLines,
  id: JsonRpcId,
  faultOf: (response: JsonRpcResponse) => string | null,
): Judgement {
  const response = listResponses(read.lines).find((one) => one.id === id);
  if (response === undefined) {
    return read.whole ? fails(`request ${id} is not answered`) : isUnknown('the stream is incomplete');
  }
  const fault = faultOf(response);
  return fault === null ? holds(`request ${id} is answered`) : fails(`request ${id}: ${fault}`);
}

function faultOfAnswer(expected: Of<'json-rpc-answer'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'error') return `answered with error ${show(response.outcome.code)}`;
  const { result } = response.outcome;
  const lacking = expected.resultHas.find((pointer) => valueAt(result, pointer) === undefined);
  return lacking === undefined ? null : `result has no ${lacking}`;
}

function faultOfValue(expected: Of<'json-rpc-value'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'error') return `answered with error ${show(response.outcome.code)}`;
  const value = valueAt(response.outcome.result, expected.pointer);
  return typeof value === 'string' && expected.anyOf.includes(value)
    ? null
    : `${expected.pointer} is ${show(value)}`;
}

function faultOfError(expected: Of<'json-rpc-error'>, response: JsonRpcResponse): string | null {
  if (response.outcome.kind === 'result') return 'answered with a result';
  const { code } = response.outcome;
  const fits = typeof code === 'number' && (expected.codes.length === 0 || expected.codes.includes(code));
  return fits ? null : `error code is ${show(code)}`;
}

function judgeIds(expected: Of<'json-rpc-ids'>, read: JsonLines): Judgement {
  const answered = new Set<JsonRpcId>();
  for (const { id } of listResponses(read.lines)) {
    if (!expected.sent.includes(id)) return fails(`a response to ${show(id)}, never asked`);
    if (answered.has(id)) return fails(`a second response to ${show(id)}`);
    answered.add(id);
  }
  return read.whole ? holds('every response answers a request') : isUnknown('the stream is incomplete');
}

function show(value: unknown): string {
  return quoteText(
    typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'nothing'),
    MESSAGE_TEXT_LIMIT,
  );
}
