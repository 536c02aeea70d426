import type { PlainExpectation } from '../shape/suite.ts';
import { follow, isMessage, type JsonLines, type Response, responsesOf, toJson } from './json-lines.ts';
import { equalJson, isSchema, obeys } from './json-rules.ts';
import type { Scene } from './scene.ts';
import { decode, isPlainUtf8 } from './text.ts';
import { NO, type Truth, truthOf, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;
type MessageKind = Extract<PlainExpectation['kind'], `json${string}`>;

/** One rule for each statement about the JSON lines of a stream. */
export const messageRules: { readonly [K in MessageKind]: (stated: Of<K>, scene: Scene) => Truth } = {
  'json-lines': (stated, scene) => {
    const stream = scene.stream(stated.of);
    const lines = stream?.lines ?? null;
    if (stream === null || stream.bytes === null || lines === null) return UNKNOWN;
    if (!lines.values.every((value) => isAllowed(stated, value))) return NO;
    if (!lines.whole || !stream.whole) return UNKNOWN;
    return truthOf(stated.nonJson === 'skip' || isPlainUtf8(stream.bytes));
  },
  'json-value': (stated, scene) => {
    const stream = scene.stream(stated.of);
    const lines = stream?.lines ?? null;
    if (stream === null || stream.bytes === null || lines === null) return UNKNOWN;
    const fits = ruleOf(stated);
    switch (stated.scope) {
      case 'stream':
        if (!stream.whole) return UNKNOWN;
        return truthOf(isPlainUtf8(stream.bytes) && fits(toJson(decode(stream.bytes))));
      case 'every-line':
        if (!lines.values.every(fits)) return NO;
        return lines.whole && stream.whole ? truthOf(lines.values.length > 0) : UNKNOWN;
      case 'some-line':
        if (lines.values.some(fits)) return YES;
        return lines.whole && stream.whole ? NO : UNKNOWN;
    }
  },
  'json-rpc-answer': (stated, scene) =>
    ofAnswer(stated, scene, (response) =>
      truthOf(
        'result' in response &&
          stated.resultHas.every((pointer) => follow(response.result, pointer) !== undefined),
      ),
    ),
  'json-rpc-value': (stated, scene) =>
    ofAnswer(stated, scene, (response) => {
      const value = 'result' in response ? follow(response.result, stated.pointer) : undefined;
      return truthOf(typeof value === 'string' && stated.anyOf.includes(value));
    }),
  'json-rpc-error': (stated, scene) =>
    ofAnswer(stated, scene, (response) => {
      if (!('errorCode' in response) || typeof response.errorCode !== 'number') return NO;
      return truthOf(stated.codes.length === 0 || stated.codes.includes(response.errorCode));
    }),
  'json-rpc-ids': (stated, scene) => {
    const read = wholeLines(stated, scene);
    if (read === null) return UNKNOWN;
    const open = new Set<string | number>(stated.sent);
    for (const { id } of responsesOf(read.values)) if (!open.delete(id)) return NO;
    return read.whole ? YES : UNKNOWN;
  },
};

/** Undefined is what is no JSON, and fits nothing. */
function ruleOf({ rule, json }: Of<'json-value'>): (value: unknown) => boolean {
  const wanted: unknown = JSON.parse(json);
  // What is no schema has a finding of its own, and nothing fits it.
  const isSound = rule !== 'schema' || isSchema(wanted);
  return (value) => {
    if (value === undefined || !isSound) return false;
    return rule === 'schema'
      ? obeys(wanted, value)
      : equalJson(wanted, value, rule === 'equals' ? 'exactly' : 'at-least');
  };
}

/** Lines that are no object or list are a log's, and `skip` leaves them aside. */
function isAllowed(stated: Of<'json-lines'>, value: unknown): boolean {
  const isContainer = typeof value === 'object' && value !== null;
  if (!isContainer && stated.nonJson === 'skip') return true;
  return value !== undefined && (!stated.jsonRpc || isMessage(value));
}

/** The first response with the id decides. */
function ofAnswer(
  stated: Of<'json-rpc-answer' | 'json-rpc-value' | 'json-rpc-error'>,
  scene: Scene,
  judge: (response: Response) => Truth,
): Truth {
  const read = wholeLines(stated, scene);
  if (read === null) return UNKNOWN;
  for (const response of responsesOf(read.values)) if (response.id === stated.id) return judge(response);
  return read.whole ? NO : UNKNOWN;
}

function wholeLines(stated: Of<MessageKind>, scene: Scene): JsonLines | null {
  const stream = scene.stream(stated.of);
  const lines = stream?.lines ?? null;
  if (stream === null || lines === null) return null;
  return { values: lines.values, whole: lines.whole && stream.whole };
}
