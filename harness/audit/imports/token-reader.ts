import { CODE, isLineEnd, isSpaceCode, isWordCode } from './characters.ts';
import { BLOCK_WORDS, CONTROL_WORDS, EXPRESSION_WORDS, readKeyword } from './keywords.ts';

export type TokenKind = 'word' | 'string' | 'template' | 'regex' | 'mark' | 'end';

/** An open bracket. Blocks hold statements; objects, parentheses and the like hold expressions. */
export type Bracket = 'block' | 'try' | 'object' | 'paren' | 'control-paren' | 'square' | 'template';

/** Brackets open at once. Real code stays below a few hundred; deeper text is not followed. */
const NESTING_LIMIT = 20_000;

/**
 * Splits JavaScript into tokens well enough to tell code from strings, comments, templates and patterns.
 *
 * It is no parser: it accepts what is not JavaScript, never throws, and reads every character a bounded
 * number of times. `lost` becomes true when the text cannot have been read rightly (brackets that do not
 * match, a string that does not end); then nothing certain can be said about the file.
 *
 * It is written here because it runs in this process on text of the candidate: lexers from the registry
 * either throw on what they do not know, know only one of the two module systems, or recurse.
 */
export class TokenReader {
  readonly source: string;
  kind: TokenKind = 'end';
  /** Range of the current token. */
  start = 0;
  end = 0;
  /** Character code of a mark's first character; 0 for other tokens. */
  mark = 0;
  /** The current word when it is one that means something here and no property; else the empty text. */
  keyword = '';
  /** The current token follows a dot: it is a property, whatever it reads like. */
  afterDot = false;
  lost = false;
  /** Blocks open around the current token, and how many of them belong to a try. */
  blockDepth = 0;
  tryDepth = 0;

  readonly #brackets: Bracket[] = [];
  /** Whether the last token ends an operand, so that a slash divides. */
  #operand = false;
  #lastWord = '';
  #lastMark: number = CODE.semicolon;
  #noPatternBefore = 0;

  constructor(source: string) {
    this.source = source;
    if (source.startsWith('#!')) this.end = this.#lineEnd(0);
  }

  /** Brackets open around the current token. */
  get depth(): number {
    return this.#brackets.length;
  }

  get innermost(): Bracket | undefined {
    return this.#brackets.at(-1);
  }

  next(): TokenKind {
    this.start = this.skipSpace(this.end);
    this.mark = 0;
    this.keyword = '';
    const code = this.source.charCodeAt(this.start);
    if (this.start >= this.source.length || this.lost) return this.#finish();
    if (isWordCode(code) || code === CODE.hash) return this.#word();
    this.afterDot = false;
    if (code === CODE.quote || code === CODE.doubleQuote) return this.#string(code);
    if (code === CODE.backtick) return this.#template(this.start + 1);
    if (code === CODE.slash && !this.#operand && this.#pattern()) return this.#operandToken('regex');
    return this.#takeMark(code);
  }

  /** Position of the first character that is neither space nor comment, from `at` on. */
  skipSpace(at: number): number {
    const { source } = this;
    for (;;) {
      const code = source.charCodeAt(at);
      if (isSpaceCode(code)) at += 1;
      else if (code === CODE.slash && source.charCodeAt(at + 1) === CODE.slash) at = this.#lineEnd(at);
      else if (code === CODE.slash && source.charCodeAt(at + 1) === CODE.star) {
        const close = source.indexOf('*/', at + 2);
        at = close < 0 ? source.length : close + 2;
      } else return at;
    }
  }

  #finish(): TokenKind {
    this.end = this.source.length;
    if (this.#brackets.length > 0) this.lost = true;
    this.kind = 'end';
    return 'end';
  }

  #lineEnd(at: number): number {
    while (at < this.source.length && !isLineEnd(this.source.charCodeAt(at))) at += 1;
    return at;
  }

  #word(): TokenKind {
    const { source } = this;
    let at = this.start + 1;
    while (isWordCode(source.charCodeAt(at))) at += 1;
    // A decimal number goes on after its point; `1.5` and `1.` are one operand.
    const first = source.charCodeAt(this.start);
    const isNumber = first >= 0x30 && first <= 0x39;
    if (isNumber && source.charCodeAt(at) === CODE.dot) {
      at += 1;
      while (isWordCode(source.charCodeAt(at))) at += 1;
    }
    this.end = at;
    this.afterDot = this.#lastMark === CODE.dot && !this.#operand;
    if (!isNumber && !this.afterDot) this.keyword = readKeyword(source, this.start, at);
    this.#operand = !EXPRESSION_WORDS.has(this.keyword) && !BLOCK_WORDS.has(this.keyword);
    this.#lastWord = this.keyword === '' ? 'x' : this.keyword;
    this.#lastMark = 0;
    this.kind = 'word';
    return 'word';
  }

  #string(quote: number): TokenKind {
    const { source } = this;
    for (let at = this.start + 1; at < source.length; at += 1) {
      const code = source.charCodeAt(at);
      if (code === CODE.backslash) at += 1;
      else if (code === quote) {
        this.end = at + 1;
        return this.#operandToken('string');
      } else if (code === CODE.newline || code === CODE.carriageReturn) break;
    }
    return this.#lose();
  }

  /** Reads template text up to its end or to the next `${`, whose expression is read as ordinary tokens. */
  #template(from: number): TokenKind {
    const { source } = this;
    for (let at = from; at < source.length; at += 1) {
      const code = source.charCodeAt(at);
      if (code === CODE.backslash) at += 1;
      else if (code === CODE.backtick) {
        this.end = at + 1;
        return this.#operandToken('template');
      } else if (code === CODE.dollar && source.charCodeAt(at + 1) === CODE.openBrace) {
        this.end = at + 2;
        this.#push('template');
        this.#afterMark(CODE.openBrace);
        this.kind = 'template';
        return 'template';
      }
    }
    return this.#lose();
  }

  /** Tries to read a pattern. One that does not end on its line is none, nor is any other before that end. */
  #pattern(): boolean {
    const { source } = this;
    if (this.start < this.#noPatternBefore) return false;
    let inClass = false;
    for (let at = this.start + 1; ; at += 1) {
      const code = source.charCodeAt(at);
      if (at >= source.length || isLineEnd(code)) {
        this.#noPatternBefore = at;
        return false;
      }
      if (code === CODE.backslash) at += 1;
      else if (code === CODE.openBracket) inClass = true;
      else if (code === CODE.closeBracket) inClass = false;
      else if (code === CODE.slash && !inClass) {
        at += 1;
        while (isWordCode(source.charCodeAt(at))) at += 1;
        this.end = at;
        return true;
      }
    }
  }

  #operandToken(kind: TokenKind): TokenKind {
    this.#operand = true;
    this.#lastWord = '';
    this.#lastMark = 0;
    this.kind = kind;
    return kind;
  }

  #lose(): TokenKind {
    this.lost = true;
    return this.#finish();
  }

  #takeMark(code: number): TokenKind {
    this.mark = code;
    this.kind = 'mark';
    this.end = this.start + 1;
    switch (code) {
      case CODE.openParen:
        this.#push(CONTROL_WORDS.has(this.#lastWord) ? 'control-paren' : 'paren');
        break;
      case CODE.openBracket:
        this.#push('square');
        break;
      case CODE.openBrace:
        this.#push(this.#toBrace());
        break;
      case CODE.closeParen:
      case CODE.closeBracket:
      case CODE.closeBrace:
        return this.#close(code);
      default:
        return this.#operator(code);
    }
    this.#afterMark(code);
    return 'mark';
  }

  /** Whether a brace opens statements or an object, told from what stands before it. */
  #toBrace(): Bracket {
    if (this.#lastWord === 'try') return 'try';
    if (this.#lastWord !== '') return EXPRESSION_WORDS.has(this.#lastWord) ? 'object' : 'block';
    switch (this.#lastMark) {
      case 0:
        return this.#operand ? 'block' : 'object';
      case CODE.closeParen:
      case CODE.semicolon:
      case CODE.openBrace:
      case CODE.closeBrace:
      case CODE.greater:
        return this.innermost === 'template' && this.#lastMark === CODE.openBrace ? 'object' : 'block';
      case CODE.colon:
        return this.innermost === 'object' ? 'object' : 'block';
      default:
        return 'object';
    }
  }

  #close(code: number): TokenKind {
    const open = this.#brackets.pop();
    if (open === undefined || closerOf(open) !== code) return this.#lose();
    if (open === 'template') return this.#template(this.end);
    if (open === 'block' || open === 'try') this.blockDepth -= 1;
    if (open === 'try') this.tryDepth -= 1;
    this.#afterMark(code);
    this.#operand = open === 'object' || open === 'paren' || open === 'square';
    return 'mark';
  }

  /** Two-character marks that change how the next slash or brace reads are taken together. */
  #operator(code: number): TokenKind {
    const following = this.source.charCodeAt(this.start + 1);
    if ((code === CODE.plus || code === CODE.minus) && following === code) {
      this.end += 1;
      // After an operand it is a postfix, and the operand goes on.
      const wasOperand = this.#operand;
      this.#afterMark(code);
      this.#operand = wasOperand;
      return 'mark';
    }
    if (code === CODE.dot && following === CODE.dot) {
      this.end += 2;
      this.#afterMark(CODE.comma);
      return 'mark';
    }
    if (code === CODE.equals && following === CODE.greater) {
      this.end += 1;
      this.#afterMark(CODE.greater);
      return 'mark';
    }
    this.#afterMark(code === CODE.greater ? CODE.equals : code);
    return 'mark';
  }

  #afterMark(code: number): void {
    this.#operand = false;
    this.#lastWord = '';
    this.#lastMark = code;
  }

  #push(bracket: Bracket): void {
    if (this.#brackets.length >= NESTING_LIMIT) {
      this.lost = true;
      return;
    }
    this.#brackets.push(bracket);
    if (bracket === 'block' || bracket === 'try') this.blockDepth += 1;
    if (bracket === 'try') this.tryDepth += 1;
  }
}

function closerOf(bracket: Bracket): number {
  if (bracket === 'paren' || bracket === 'control-paren') return CODE.closeParen;
  return bracket === 'square' ? CODE.closeBracket : CODE.closeBrace;
}
