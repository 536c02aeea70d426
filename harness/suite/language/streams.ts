import { isMap, isScalar, type Node } from 'yaml';
import type { Expectation, StreamReference } from '../compiled.ts';
import { isPattern } from '../evaluate/patterns.ts';
import { readBesideAsBase64, toBase64 } from './content.ts';
import type { Context } from './context.ts';
import { readJsonRules } from './json.ts';
import { KEYS, WORDS } from './keys.ts';
import { readFilledPattern, readFilledText } from './placeholders.ts';
import {
  readBase64,
  readFields,
  readInteger,
  readList,
  readOneOrMore,
  readSize,
  readText,
  readWord,
} from './read.ts';
import { readRequestId } from './stdin.ts';

/** One thing stated, with what its id ends in when the author gave none. */
export interface Statement {
  readonly label: string;
  readonly expect: Expectation;
  readonly place: Node;
}

/** Other streams are looked up by whoever knows the steps. */
export type ReadStreamOf = (node: Node, keys: readonly string[]) => StreamReference;

type Key = (typeof KEYS.stream)[number];

/** What is stated of one stream: a word, or a mapping of which every key is a statement of its own. */
export function readStreamStatements(
  node: Node,
  subject: { readonly of: StreamReference; readonly readOther: ReadStreamOf },
  context: Context,
): readonly Statement[] {
  const { stream } = subject.of;
  const label = (key: string): string =>
    `${stream}.${key.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
  if (!isMap(node)) return readWords(node, subject.of, context);
  const fields = readFields(node, { keys: KEYS.stream }, context.problems);
  if (node.items.length === 0) {
    context.problems.add(node, 'LIST_EMPTY', { expected: 'at least one statement', actual: 'none' });
  }
  return KEYS.stream.flatMap((key) => {
    const value = fields.get(key);
    if (value === undefined) return [];
    if (key === 'is') return readWords(value, subject.of, context);
    return read(key, value, subject, context).map((expect) => ({ label: label(key), expect, place: value }));
  });
}

function readWords(node: Node, of: StreamReference, context: Context): readonly Statement[] {
  return readOneOrMore(node, context.problems).map((item) => {
    const word = readWord(item, WORDS.streamIs, context.problems);
    return { label: `${of.stream}.${word}`, expect: toWordExpectation(word, of), place: item };
  });
}

function toWordExpectation(word: (typeof WORDS.streamIs)[number], of: StreamReference): Expectation {
  switch (word) {
    case 'empty':
      return { kind: 'stream-empty', of, ignoreWhitespace: false };
    case 'blank':
      return { kind: 'stream-empty', of, ignoreWhitespace: true };
    case 'any':
      return { kind: 'stream-size', of, minBytes: 0, maxBytes: null };
    case 'utf8':
      return { kind: 'stream-utf8', of };
    case 'no-escapes':
      return { kind: 'stream-no-escapes', of };
    case 'json-lines':
    case 'json-rpc':
      return { kind: 'json-lines', of, jsonRpc: word === 'json-rpc', nonJson: 'refuse' };
  }
}

function read(
  key: Exclude<Key, 'is'>,
  node: Node,
  { of, readOther }: { readonly of: StreamReference; readonly readOther: ReadStreamOf },
  context: Context,
): readonly Expectation[] {
  const { problems } = context;
  switch (key) {
    case 'equals':
      return [{ kind: 'stream-equals', of, contentBase64: toBase64(readFilledText(node, context)) }];
    case 'equalsBase64':
      return [{ kind: 'stream-equals', of, contentBase64: readBase64(node, problems) }];
    case 'equalsFile':
      return [{ kind: 'stream-equals', of, contentBase64: readBesideAsBase64(node, context) }];
    case 'includes':
      return readPieces(node, context).map((text) => ({ kind: 'stream-includes', of, text }));
    case 'excludes':
      return readPieces(node, context).map((text) => negate({ kind: 'stream-includes', of, text }));
    case 'matches':
      return readPatterns(node, context).map((pattern) => ({ kind: 'stream-matches', of, pattern }));
    case 'matchesNone':
      return readPatterns(node, context).map((pattern) => negate({ kind: 'stream-matches', of, pattern }));
    case 'size':
      return [readSizes(node, of, context)];
    case 'sameAs':
      return [{ kind: 'streams-equal', left: of, right: readOther(node, KEYS.sameAs) }];
    case 'json':
      return readJsonRules(node, { of, scope: 'stream' }, context);
    case 'eachLine':
      return readJsonRules(node, { of, scope: 'every-line' }, context);
    case 'someLine':
      return readJsonRules(node, { of, scope: 'some-line' }, context);
    case 'answer':
    case 'value':
    case 'error':
      return [readAnswer(key, node, of, context)];
    case 'answersOnly': {
      const sent = readList(node, problems).map((item) => readRequestId(item, context));
      return [{ kind: 'json-rpc-ids', of, sent }];
    }
  }
}

function negate(of: Expectation): Expectation {
  return { kind: 'not', of };
}

function readPieces(node: Node, context: Context): readonly string[] {
  return readOneOrMore(node, context.problems).map((item) => {
    const text = readFilledText(item, context);
    if (text === '' && isScalar(item) && item.value === '') {
      context.problems.add(item, 'VALUE_WRONG', { expected: 'a text that is not empty', actual: '""' });
    }
    return text;
  });
}

function readPatterns(node: Node, context: Context): readonly string[] {
  return readOneOrMore(node, context.problems).map((item) => {
    const pattern = readFilledPattern(item, context);
    if (!isPattern(pattern)) {
      context.problems.add(item, 'PATTERN_WRONG', { expected: 'an RE2 pattern', actual: pattern });
    }
    return pattern;
  });
}

function readSizes(node: Node, of: StreamReference, { problems }: Context): Expectation {
  const fields = readFields(node, { keys: KEYS.size }, problems);
  const [min, max] = [fields.get('min'), fields.get('max')];
  const minBytes = min === undefined ? null : readSize(min, problems);
  const maxBytes = max === undefined ? null : readSize(max, problems);
  if (isMap(node) && (min ?? max) === undefined) {
    problems.add(node, 'LIST_EMPTY', { expected: 'min, max or both', actual: 'none' });
  }
  if (minBytes !== null && maxBytes !== null && minBytes > maxBytes) {
    problems.add(node, 'VALUE_WRONG', {
      expected: 'min not above max',
      actual: `${minBytes} and ${maxBytes}`,
    });
  }
  return { kind: 'stream-size', of, minBytes, maxBytes };
}

const REQUIRED = { answer: ['id'], value: ['id', 'pointer', 'oneOf'], error: ['id'] } as const;

function readAnswer(
  key: 'answer' | 'value' | 'error',
  node: Node,
  of: StreamReference,
  context: Context,
): Expectation {
  const { problems } = context;
  const fields = readFields(node, { keys: KEYS[key], required: REQUIRED[key] }, problems);
  const idNode = fields.get('id');
  const id = idNode === undefined ? 0 : readRequestId(idNode, context);
  const items = (name: string): readonly Node[] => {
    const list = fields.get(name);
    return list === undefined ? [] : readOneOrMore(list, problems);
  };
  switch (key) {
    case 'answer':
      return {
        kind: 'json-rpc-answer',
        of,
        id,
        resultHas: items('has').map((item) => readPointer(item, context)),
      };
    case 'value': {
      const pointer = fields.get('pointer');
      return {
        kind: 'json-rpc-value',
        of,
        id,
        pointer: pointer === undefined ? '' : readPointer(pointer, context),
        anyOf: items('oneOf').map((item) => readFilledText(item, context)),
      };
    }
    case 'error': {
      const bounds = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
      const codes = items('codes').map((item) => readInteger(item, bounds, problems));
      return { kind: 'json-rpc-error', of, id, codes };
    }
  }
}

/** Source: RFC 6901. */
function readPointer(node: Node, { problems }: Context): string {
  const text = readText(node, problems);
  if (text !== '' && !/^(\/([^~]|~[01])*)$/.test(text)) {
    problems.add(node, 'VALUE_WRONG', { expected: 'a JSON Pointer such as /tools', actual: text });
  }
  return text;
}
