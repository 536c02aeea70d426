import { sha256Hex } from '../../document/digest.ts';
import { quoteText } from '../../document/fault.ts';
import type { Expectation, StreamReference } from '../compiled.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';
import { fails, holds, isUnknown, type Judgement, judge } from './judgement.ts';
import { findStarts, findsPattern } from './patterns.ts';
import type { Seen, SeenStream } from './seen.ts';
import { hasEscapes, isBlank, isCleanUtf8, showBytes, showDifference, showText } from './text.ts';

export type StreamExpectation = Extract<
  Expectation,
  {
    readonly kind:
      | 'stream-equals'
      | 'stream-empty'
      | 'stream-includes'
      | 'stream-matches'
      | 'stream-no-escapes'
      | 'stream-utf8'
      | 'stream-size'
      | 'streams-equal';
  }
>;

type Of<Kind extends StreamExpectation['kind']> = Extract<StreamExpectation, { readonly kind: Kind }>;

/** Judges a statement about the bytes of one or two streams. */
export function judgeStream(expectation: StreamExpectation, seen: Seen): Judgement {
  switch (expectation.kind) {
    case 'stream-equals':
      return withBytes(expectation.of, seen, (stream, bytes) => judgeEquals(expectation, stream, bytes));
    case 'stream-empty':
      return withBytes(expectation.of, seen, (stream, bytes) => judgeEmpty(expectation, stream, bytes));
    case 'stream-includes':
      return withBytes(expectation.of, seen, (stream, bytes) => judgeIncludes(expectation, stream, bytes));
    case 'stream-matches':
      return judgeMatches(expectation, seen);
    case 'stream-no-escapes':
      return judgeNoEscapes(expectation, seen);
    case 'stream-utf8':
      return withBytes(expectation.of, seen, judgeUtf8);
    case 'stream-size':
      return judgeSize(expectation, seen);
    case 'streams-equal':
      return judgeSame(expectation, seen);
  }
}

function judgeEquals(expected: Of<'stream-equals'>, stream: SeenStream, bytes: Buffer): Judgement {
  const content = Buffer.from(expected.contentBase64, 'base64');
  const differs = (): Judgement => {
    const { from, seen, expected } = showDifference(bytes, content);
    return fails(`${stream.name}${from} is ${seen}`, expected);
  };
  if (!content.subarray(0, bytes.length).equals(bytes)) return differs();
  if (bytes.length === content.length && stream.complete) {
    return holds(`${stream.name} is ${showBytes(bytes)}`);
  }
  if (stream.observation.totalBytes > content.length || stream.complete) return differs();
  return isUnknown(`${stream.name} is incomplete`);
}

function judgeEmpty(expected: Of<'stream-empty'>, stream: SeenStream, bytes: Buffer): Judgement {
  const blank = expected.ignoreWhitespace ? isBlank(bytes) : bytes.length === 0;
  if (!blank) return fails(`${stream.name} is ${showBytes(bytes)}`);
  return whenComplete(stream, holds(`${stream.name} is empty`));
}

function judgeIncludes(expected: Of<'stream-includes'>, stream: SeenStream, bytes: Buffer): Judgement {
  const text = `"${quoteText(expected.text)}"`;
  if (bytes.includes(expected.text, 0, 'utf8')) return holds(`${stream.name} has ${text}`);
  return whenComplete(stream, fails(`${stream.name} lacks ${text}: ${showBytes(bytes)}`));
}

function judgeMatches(expected: Of<'stream-matches'>, seen: Seen): Judgement {
  const text = seen.text(expected.of);
  const stream = seen.stream(expected.of);
  if (text === null || stream === null || stream.bytes === null) return isUnknown(missing(expected.of));
  // An anchored end is true of the part alone when the rest is missing, so only a whole text can hold.
  if (findsPattern(expected.pattern, text.text)) {
    return text.whole || !endsAnchored(expected.pattern)
      ? holds(`${stream.name} is ${showMatch(expected.pattern, text.text)}`)
      : isUnknown(`${stream.name} is incomplete`);
  }
  return text.whole
    ? fails(`${stream.name} is ${showBytes(stream.bytes)}`)
    : isUnknown(`${stream.name} is incomplete`);
}

/** Characters of a long text in which a match is looked for again to be shown: the engine that finds places is slow. */
const SHOWN_MATCH_TEXT = 16 * 1024;
/** Matches looked at for the one that says most. */
const SHOWN_MATCHES = 20;
/** An error as the language prints it, as opposed to the line of source that threw it. */
const ERROR_HEAD = /^\s*(Uncaught )?\w*Error\b/;

/** The text, when it is long from the line with the match on: with an error's own line before any other. */
function showMatch(pattern: string, text: string): string {
  if (text.length <= MESSAGE_TEXT_LIMIT) return showText(text);
  const searched = text.slice(0, SHOWN_MATCH_TEXT);
  const lines = findStarts(pattern, searched, SHOWN_MATCHES).map(
    (start) => searched.lastIndexOf('\n', start - 1) + 1,
  );
  const told = lines.find((start) => ERROR_HEAD.test(searched.slice(start, start + MESSAGE_TEXT_LIMIT)));
  return showText(text.slice(told ?? lines[0] ?? 0));
}

/** Whether the pattern may speak of the end of the text; too careful for `$` in a class, which is safe. */
function endsAnchored(pattern: string): boolean {
  return pattern.includes('$') || /\\[zbB]/.test(pattern);
}

function judgeNoEscapes(expected: Of<'stream-no-escapes'>, seen: Seen): Judgement {
  const text = seen.text(expected.of);
  if (text === null) return isUnknown(missing(expected.of));
  const name = `${expected.of.step} ${expected.of.stream}`;
  if (hasEscapes(text.text)) return fails(`${name} has terminal escapes`);
  return text.whole ? holds(`${name} has no terminal escapes`) : isUnknown(`${name} is incomplete`);
}

function judgeUtf8(stream: SeenStream, bytes: Buffer): Judgement {
  // A cut may fall inside a character, so only a complete stream can be blamed for its end.
  if (isCleanUtf8(bytes)) return whenComplete(stream, holds(`${stream.name} is UTF-8`));
  return whenComplete(stream, fails(`${stream.name} is not plain UTF-8: ${showBytes(bytes)}`));
}

function judgeSize(expected: Of<'stream-size'>, seen: Seen): Judgement {
  const stream = seen.stream(expected.of);
  if (stream === null) return isUnknown(missing(expected.of));
  const { totalBytes } = stream.observation;
  const shown = `${stream.name} has ${totalBytes} bytes`;
  if (expected.maxBytes !== null && totalBytes > expected.maxBytes) return fails(shown);
  const enough = expected.minBytes === null || totalBytes >= expected.minBytes;
  if (stream.observation.truncated) return judge(enough, shown);
  if (expected.maxBytes === null && enough) return holds(shown);
  return whenComplete(stream, judge(enough, shown));
}

function judgeSame(expected: Of<'streams-equal'>, seen: Seen): Judgement {
  const left = seen.stream(expected.left);
  const right = seen.stream(expected.right);
  if (left === null) return isUnknown(missing(expected.left));
  if (right === null) return isUnknown(missing(expected.right));
  if (left.bytes === null || right.bytes === null) {
    return isUnknown(missing(left.bytes === null ? expected.left : expected.right));
  }
  const shown = `${left.name} is ${showBytes(left.bytes)}, ${right.name} is ${showBytes(right.bytes)}`;
  const same =
    left.observation.totalBytes === right.observation.totalBytes &&
    left.observation.totalSha256 === right.observation.totalSha256 &&
    sha256Hex(left.bytes) === sha256Hex(right.bytes);
  if (isCounted(left) && isCounted(right)) return judge(same, same ? `${left.name} is the same` : shown);
  return isUnknown(`${isCounted(left) ? right.name : left.name} is incomplete`);
}

/** Everything that arrived was counted and hashed, though perhaps not all of it kept. */
function isCounted(stream: SeenStream): boolean {
  return stream.complete || stream.observation.eofSeen;
}

function withBytes(
  reference: StreamReference,
  seen: Seen,
  judgeBytes: (stream: SeenStream, bytes: Buffer) => Judgement,
): Judgement {
  const stream = seen.stream(reference);
  if (stream === null || stream.bytes === null) return isUnknown(missing(reference));
  return judgeBytes(stream, stream.bytes);
}

function whenComplete(stream: SeenStream, judgement: Judgement): Judgement {
  return stream.complete ? judgement : isUnknown(`${stream.name} is incomplete`);
}

function missing(reference: StreamReference): string {
  const where = reference.caseId === null ? '' : ` of case ${reference.caseId}`;
  return `bytes of ${reference.step} ${reference.stream}${where} are not to be had`;
}
