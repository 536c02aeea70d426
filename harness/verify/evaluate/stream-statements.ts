import type { PlainExpectation } from '../shape/suite.ts';
import { finds } from './patterns.ts';
import type { Scene, SeenStream } from './scene.ts';
import { isBlank, isPlainUtf8, steersTerminal } from './text.ts';
import { NO, type Truth, truthOf, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;
type StreamKind = Extract<PlainExpectation['kind'], `stream${string}`>;

/** One rule for each statement about the bytes of a stream. */
export const streamRules: { readonly [K in StreamKind]: (stated: Of<K>, scene: Scene) => Truth } = {
  'stream-equals': (stated, scene) => {
    const stream = scene.stream(stated.of);
    if (stream === null || stream.bytes === null) return UNKNOWN;
    const wanted = Buffer.from(stated.contentBase64, 'base64');
    const kept = stream.bytes;
    if (kept.length > wanted.length || wanted.compare(kept, 0, kept.length, 0, kept.length) !== 0) return NO;
    if (stream.whole) return truthOf(kept.length === wanted.length);
    // More arrived than could be equal; else what is missing may be the rest.
    return stream.record.totalBytes > wanted.length ? NO : UNKNOWN;
  },
  'stream-empty': (stated, scene) => {
    const stream = scene.stream(stated.of);
    if (stream === null || stream.bytes === null) return UNKNOWN;
    const empty = stated.ignoreWhitespace ? isBlank(stream.bytes) : stream.bytes.length === 0;
    return empty ? onlyWhenWhole(stream, YES) : NO;
  },
  'stream-includes': (stated, scene) => {
    const stream = scene.stream(stated.of);
    if (stream === null || stream.bytes === null) return UNKNOWN;
    return stream.bytes.includes(Buffer.from(stated.text, 'utf8')) ? YES : onlyWhenWhole(stream, NO);
  },
  'stream-matches': (stated, scene) => {
    const stream = scene.stream(stated.of);
    const head = stream?.head ?? null;
    if (stream === null || head === null) return UNKNOWN;
    const found = finds(stated.pattern, head);
    if (stream.headIsWhole) return truthOf(found);
    return found && !speaksOfTheEnd(stated.pattern) ? YES : UNKNOWN;
  },
  'stream-no-escapes': (stated, scene) => {
    const stream = scene.stream(stated.of);
    const head = stream?.headBytes ?? null;
    if (stream === null || head === null) return UNKNOWN;
    if (steersTerminal(head)) return NO;
    return stream.headIsWhole ? YES : UNKNOWN;
  },
  'stream-utf8': (stated, scene) => {
    const stream = scene.stream(stated.of);
    if (stream === null || stream.bytes === null) return UNKNOWN;
    return onlyWhenWhole(stream, truthOf(isPlainUtf8(stream.bytes)));
  },
  'stream-size': (stated, scene) => {
    const stream = scene.stream(stated.of);
    if (stream === null) return UNKNOWN;
    const { totalBytes, truncated } = stream.record;
    const { minBytes, maxBytes } = stated;
    if (maxBytes !== null && totalBytes > maxBytes) return NO;
    const enough = minBytes === null || totalBytes >= minBytes;
    // All was counted where not all was kept.
    if (truncated) return truthOf(enough);
    return enough && maxBytes === null ? YES : onlyWhenWhole(stream, truthOf(enough));
  },
  'streams-equal': (stated, scene) => {
    const left = scene.stream(stated.left);
    const right = scene.stream(stated.right);
    if (left === null || right === null || left.bytes === null || right.bytes === null) return UNKNOWN;
    if (!isCounted(left) || !isCounted(right)) return UNKNOWN;
    return truthOf(
      left.record.totalBytes === right.record.totalBytes &&
        left.record.totalSha256 === right.record.totalSha256 &&
        left.bytes.equals(right.bytes),
    );
  },
};

function onlyWhenWhole(stream: SeenStream, truth: Truth): Truth {
  return stream.whole ? truth : UNKNOWN;
}

/** All that came was counted and hashed, kept or not. */
function isCounted(stream: SeenStream): boolean {
  return stream.whole || stream.record.eofSeen;
}

/** A pattern that may be true of a part only because the rest is missing. */
function speaksOfTheEnd(pattern: string): boolean {
  return ['$', '\\z', '\\b', '\\B'].some((token) => pattern.includes(token));
}
