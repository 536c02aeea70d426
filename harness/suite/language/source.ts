import { type Document, isMap, isScalar, Lexer, type Node, parseDocument, visit, type YAMLError } from 'yaml';
import type { SuiteTextErrorCode } from './errors.ts';
import { SUITE_TEXT_DEPTH_LIMIT, SUITE_TEXT_LIMIT } from './limits.ts';
import type { Problems } from './problems.ts';

const CODES: Readonly<Record<string, SuiteTextErrorCode>> = {
  DUPLICATE_KEY: 'YAML_DUPLICATE_KEY',
  MULTIPLE_DOCS: 'YAML_SECOND_DOCUMENT',
  TAG_RESOLVE_FAILED: 'YAML_TAG',
};

/**
 * Reads a suite file as the part of YAML 1.2 (core schema) that means one thing to every reader.
 *
 * Refused: other encodings than UTF-8 without BOM, duplicate keys, anchors and aliases, tags, merge keys,
 * directives, keys that are no text, more than one document. Size and depth are capped before any parsing.
 * @throws {SuiteTextError} with all problems of the text; the document is then of no use
 */
export function readSource(bytes: Uint8Array, problems: Problems): Node {
  const text = decode(bytes, problems);
  problems.refuse();
  refuseDepth(text, problems);
  problems.refuse();
  const document = parseDocument(text, {
    lineCounter: problems.lines,
    prettyErrors: false,
    uniqueKeys: true,
    strict: true,
    schema: 'core',
    version: '1.2',
    merge: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  for (const error of [...document.errors, ...document.warnings]) addYamlError(error, problems);
  refuseConstructs(document, problems);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    problems.add(0, 'SUITE_EMPTY', { expected: 'a suite', actual: 'nothing' });
  }
  problems.refuse();
  return contents as Node;
}

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = 3;

function decode(bytes: Uint8Array, problems: Problems): string {
  if (bytes.length > SUITE_TEXT_LIMIT) {
    const expected = `at most ${SUITE_TEXT_LIMIT} bytes`;
    problems.add(0, 'SUITE_TOO_LARGE', { expected, actual: `${bytes.length}` });
    return '';
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith('\ufeff')) {
      problems.add(0, 'SUITE_NOT_UTF8', { expected: 'UTF-8 without a byte order mark', actual: 'one' });
    }
    return text;
  } catch {
    const before = textBeforeOtherBytes(bytes);
    countLines(before, problems);
    const byte = bytes[Buffer.byteLength(before)] ?? 0;
    problems.add(before.length, 'SUITE_NOT_UTF8', {
      expected: 'UTF-8',
      actual: `byte 0x${byte.toString(16).padStart(2, '0')}`,
    });
    return '';
  }
}

/** Where a lenient decoder first puts a replacement character that the bytes do not spell. */
function textBeforeOtherBytes(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let at = -1;
  let offset = 0;
  for (;;) {
    const next = text.indexOf(REPLACEMENT, at + 1);
    if (next === -1) return text;
    offset += Buffer.byteLength(text.slice(at + 1, next));
    const spelt = Buffer.from(bytes.subarray(offset, offset + REPLACEMENT_BYTES)).toString('utf8');
    if (spelt !== REPLACEMENT || bytes[offset] !== 0xef) return text.slice(0, next);
    offset += REPLACEMENT_BYTES;
    at = next;
  }
}

/** Counts brackets, and indicators on one line; deeper nesting by indentation alone needs a square of bytes. */
function refuseDepth(text: string, problems: Problems): void {
  let offset = 0;
  let flow = 0;
  let inLine = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow -= 1;
    else if (token === '-' || token === '?' || token === ':') inLine += 1;
    else if (token === '\n') inLine = 0;
    if (flow > SUITE_TEXT_DEPTH_LIMIT || (flow === 0 && inLine > SUITE_TEXT_DEPTH_LIMIT)) {
      countLines(text.slice(0, offset), problems);
      problems.add(offset, 'SUITE_TOO_DEEP', {
        expected: `at most ${SUITE_TEXT_DEPTH_LIMIT} levels`,
        actual: 'more',
      });
      return;
    }
    // The lexer marks documents and scalars by control characters that are not in the text.
    if (!['\x02', '\x18', '\x1f'].includes(token)) offset += token.length;
  }
}

/** The parser, which counts lines otherwise, is not run then. */
function countLines(text: string, { lines }: Problems): void {
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
}

function addYamlError(error: YAMLError, problems: Problems): void {
  const code = CODES[error.code] ?? 'YAML_SYNTAX';
  const expected = code === 'YAML_DUPLICATE_KEY' ? 'each key once' : 'plain YAML';
  // What stands in a flow list and begins with a dash is taken for the start of another list.
  const hint = error.code === 'BLOCK_IN_FLOW' ? 'quote a dash that is a text, "-": ' : '';
  const actual = code === 'YAML_DUPLICATE_KEY' ? 'the same key again' : `${hint}${error.message}`;
  problems.add(error.pos[0], code, { expected, actual });
}

function refuseConstructs(document: Document.Parsed, problems: Problems): void {
  if (document.directives.yaml.explicit === true || Object.keys(document.directives.tags).length > 1) {
    problems.add(0, 'YAML_DIRECTIVE', { expected: 'no directive', actual: 'one' });
  }
  visit(document, {
    Alias: (_key, node) => {
      problems.add(node, 'YAML_ALIAS', { expected: 'a value written out', actual: `*${node.source}` });
    },
    Value: (key, node) => {
      const { anchor, tag } = node;
      if (anchor !== undefined) {
        problems.add(node, 'YAML_ANCHOR', { expected: 'no anchor', actual: `&${anchor}` });
      }
      // Unknown tags are warnings of the reader already.
      if (tag?.startsWith('tag:yaml.org,') === true) {
        problems.add(node, 'YAML_TAG', { expected: 'no tag', actual: tag });
      }
      if (key === 'key') refuseKey(node, problems);
    },
  });
}

function refuseKey(node: Node, problems: Problems): void {
  if (isScalar(node) && node.value === '<<') {
    problems.add(node, 'YAML_MERGE_KEY', { expected: 'keys written out', actual: '<<' });
  } else if (!isScalar(node) || typeof node.value !== 'string') {
    const actual = isMap(node) ? 'a mapping' : isScalar(node) ? String(node.value) : 'a list';
    problems.add(node, 'YAML_KEY_NOT_TEXT', { expected: 'a key that is text', actual });
  }
}
