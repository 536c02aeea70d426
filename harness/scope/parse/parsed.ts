import type { ConfigValue } from './config-value.ts';

/**
 * How a source is read: `json` is RFC 8259; `json-comments` adds comments; `jsonc` adds comments, trailing
 * commas and one leading byte order mark; `toml` is TOML 1.0.
 */
export type ParserName = 'json' | 'json-comments' | 'jsonc' | 'toml';

/** Why a document has no value. A closed list, because a parser's own message may quote the document. */
export type DocumentProblem =
  | 'invalid-utf8'
  | 'byte-order-mark'
  | 'syntax'
  | 'duplicate-key'
  | 'too-deep'
  | 'too-many-values'
  | 'not-an-object';

export type ParsedText =
  | { readonly kind: 'parsed'; readonly value: ConfigValue }
  | { readonly kind: 'refused'; readonly problem: DocumentProblem };
