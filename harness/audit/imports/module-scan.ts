import { CODE } from './characters.ts';
import { COMMONJS_NAMES, CONDITION_WORDS, STATEMENT_WORDS } from './keywords.ts';
import { TokenReader } from './token-reader.ts';

/**
 * How surely a load happens when its file is loaded: `always` (a statement of the top level without
 * condition), `guarded` (inside a try, or with a catch), `sometimes` (anything else).
 */
export type Reach = 'always' | 'sometimes' | 'guarded';

/** One load with a literal name. */
export interface ImportUse {
  readonly specifier: string;
  readonly via: 'import' | 'require';
  readonly reach: Reach;
  /** Where it stands in the source text. */
  readonly offset: number;
}

/** What the text of a script says about how it loads other files. */
export interface ModuleScan {
  /** False when the text could not be followed to its end; `uses` is then a part. */
  readonly complete: boolean;
  readonly uses: readonly ImportUse[];
  /** Uses import or export statements, or import.meta. */
  readonly isEsModule: boolean;
  /** Calls require, or uses module.exports or __dirname, at the top level without defining it. */
  readonly usesCommonJs: boolean;
}

/** Loads that are kept for one file; a bundle has hundreds. */
const USE_LIMIT = 20_000;

/**
 * Reads which files and packages a script loads by literal names, without running or parsing it.
 *
 * Only what is certain is called `always`: a condition, a function or an unclear statement before a load
 * makes it `sometimes`. Never throws; time is linear in the length of the text.
 */
export function scanModule(source: string): ModuleScan {
  return new ModuleScanner(source).scan();
}

class ModuleScanner {
  readonly #reader: TokenReader;
  readonly #source: string;
  readonly #uses: ImportUse[] = [];
  readonly #topLevelNames = new Set<string>();
  readonly #definedNames = new Set<string>();
  #isEsModule = false;
  /** The statement being read may not happen: a condition stands before the current token. */
  #conditional = false;
  #requireIsParameter = false;
  /** The last two tokens when they are words; a name without meaning is `x`. */
  #lastWord = '';
  #wordBefore = '';
  /** Brackets open inside the parameter list being read; 0 when there is none. */
  #parameterDepth = 0;
  #lastMark: number = CODE.semicolon;

  constructor(source: string) {
    this.#source = source;
    this.#reader = new TokenReader(source);
  }

  scan(): ModuleScan {
    const reader = this.#reader;
    for (let kind = reader.next(); kind !== 'end'; kind = reader.next()) {
      if (kind === 'word') this.#takeWord();
      else if (kind === 'mark') this.#takeMark();
      else {
        if (kind === 'string') this.#takeString();
        this.#forgetWords();
        this.#lastMark = 0;
      }
    }
    const isReal = (use: ImportUse): boolean =>
      use.via === 'import' || !this.#requireIsParameter || use.reach === 'always';
    return {
      complete: !reader.lost,
      uses: this.#uses.filter(isReal),
      isEsModule: this.#isEsModule,
      usesCommonJs: [...this.#topLevelNames].some((name) => !this.#definedNames.has(name)),
    };
  }

  #takeWord(): void {
    const reader = this.#reader;
    const word = reader.keyword;
    if (reader.blockDepth === 0 && word !== '') this.#trackCondition(word);
    if (word === 'import') this.#takeImport();
    else if (word === 'export') this.#takeExport();
    else if (COMMONJS_NAMES.has(word)) this.#takeCommonJs(word);
    this.#wordBefore = this.#lastWord;
    this.#lastWord = word === '' ? 'x' : word;
    this.#lastMark = 0;
  }

  /** A statement that begins with one of these words owes nothing to what stood before it. */
  #trackCondition(word: string): void {
    if (CONDITION_WORDS.has(word)) this.#conditional = true;
    if (this.#reader.depth > 0) return;
    // `import(` is an expression and can stand behind a condition.
    if (word === 'import' && this.#codeAfter() === CODE.openParen) return;
    // `if (a) var b` is the one declaration that can be a branch.
    const isBranch = word === 'var' && this.#lastMark === CODE.closeParen;
    if (STATEMENT_WORDS.has(word) && !isBranch && !CONDITION_WORDS.has(this.#lastWord)) {
      this.#conditional = false;
    }
  }

  #takeMark(): void {
    const { mark, blockDepth, depth } = this.#reader;
    if (blockDepth === 0) {
      if (depth === 0 && mark === CODE.semicolon) this.#conditional = false;
      else if (depth === 0 && mark === CODE.closeBrace) this.#conditional = false;
      else if (this.#makesConditional(mark)) this.#conditional = true;
    }
    if (mark === CODE.openParen && (this.#lastWord === 'function' || this.#wordBefore === 'function')) {
      this.#parameterDepth = depth;
    } else if (depth < this.#parameterDepth) this.#parameterDepth = 0;
    this.#forgetWords();
    this.#lastMark = mark;
  }

  #forgetWords(): void {
    this.#lastWord = '';
    this.#wordBefore = '';
  }

  /** `?`, `&&`, `||`, `??`, `=>`, and the colon of a condition or label. */
  #makesConditional(mark: number): boolean {
    const { innermost, end, start } = this.#reader;
    const following = this.#source.charCodeAt(start + 1);
    if (mark === CODE.question) return following !== CODE.dot;
    if (mark === CODE.ampersand || mark === CODE.bar) return following === mark;
    if (mark === CODE.equals) return end - start === 2;
    return mark === CODE.colon && innermost !== 'object';
  }

  /** `import '…'` and `… from '…'` are the only places where a string follows these words. */
  #takeString(): void {
    const reader = this.#reader;
    if (reader.depth > 0 || (this.#lastWord !== 'from' && this.#lastWord !== 'import')) return;
    this.#isEsModule = true;
    this.#add({ from: reader.start, to: reader.end }, 'import', 'always');
  }

  #takeImport(): void {
    const reader = this.#reader;
    const at = reader.skipSpace(reader.end);
    const code = this.#source.charCodeAt(at);
    if (code === CODE.openParen) this.#takeDynamicImport(at);
    else if (code === CODE.dot) this.#isEsModule ||= /^\s*meta\b/.test(this.#source.slice(at + 1, at + 20));
    else if (reader.depth === 0 && code !== CODE.colon && code !== CODE.equals) this.#isEsModule = true;
  }

  #takeDynamicImport(paren: number): void {
    const literal = this.#peekLiteral(paren);
    if (literal === null) return;
    const next = this.#source.charCodeAt(literal.after);
    const isCaught = this.#source.startsWith('.catch', literal.after);
    if (isCaught) this.#add(literal, 'import', 'guarded');
    else this.#add(literal, 'import', next === CODE.dot ? this.#reachAtMost('sometimes') : this.#reach());
  }

  #takeExport(): void {
    const reader = this.#reader;
    if (reader.depth > 0) return;
    const code = this.#codeAfter();
    if (code !== CODE.colon && code !== CODE.equals && code !== CODE.dot) this.#isEsModule = true;
  }

  /** The first character behind the current word. */
  #codeAfter(): number {
    return this.#source.charCodeAt(this.#reader.skipSpace(this.#reader.end));
  }

  #takeCommonJs(word: string): void {
    const reader = this.#reader;
    const at = reader.skipSpace(reader.end);
    const code = this.#source.charCodeAt(at);
    const followsMark = this.#lastMark === CODE.openParen || this.#lastMark === CODE.comma;
    const isParameter = followsMark && this.#parameterDepth > 0 && this.#parameterDepth === reader.depth;
    const isDefined =
      isParameter ||
      ['var', 'let', 'const', 'function', 'as'].includes(this.#lastWord) ||
      (this.#lastWord === '' && code === CODE.comma && reader.innermost === 'object');
    if (isDefined) this.#definedNames.add(word);
    if (word === 'require') {
      if (isParameter) this.#requireIsParameter = true;
      if (code === CODE.openParen) this.#takeRequire(at);
      return;
    }
    const isUse = word.startsWith('__') ? code !== CODE.colon : code === CODE.dot;
    if (isUse && this.#lastWord !== 'typeof' && this.#reach() === 'always') this.#topLevelNames.add(word);
  }

  #takeRequire(paren: number): void {
    const literal = this.#peekLiteral(paren);
    if (this.#reach() === 'always') this.#topLevelNames.add('require');
    if (literal !== null) this.#add(literal, 'require', this.#reach());
  }

  #reach(): Reach {
    if (this.#reader.tryDepth > 0) return 'guarded';
    const isDefault = this.#parameterDepth > 0;
    return isDefault || this.#reader.blockDepth > 0 || this.#conditional ? 'sometimes' : 'always';
  }

  #reachAtMost(most: Reach): Reach {
    const reach = this.#reach();
    return reach === 'always' ? most : reach;
  }

  /** The string literal that is a call's only or first argument, looked at without moving the reader. */
  #peekLiteral(paren: number): Literal | null {
    const source = this.#source;
    const from = this.#reader.skipSpace(paren + 1);
    const quote = source.charCodeAt(from);
    if (quote !== CODE.quote && quote !== CODE.doubleQuote && quote !== CODE.backtick) return null;
    const to = source.indexOf(String.fromCharCode(quote), from + 1) + 1;
    if (to === 0 || to - from > LITERAL_LENGTH) return null;
    const close = this.#reader.skipSpace(to);
    const code = source.charCodeAt(close);
    if (code === CODE.comma) return { from, to, after: close };
    return code === CODE.closeParen ? { from, to, after: this.#reader.skipSpace(close + 1) } : null;
  }

  /** Names with escapes or placeholders are not literal enough to be looked up. */
  #add(range: { readonly from: number; readonly to: number }, via: ImportUse['via'], reach: Reach): void {
    const specifier = this.#source.slice(range.from + 1, range.to - 1);
    if (this.#uses.length >= USE_LIMIT || specifier === '' || /[\\\n]|\$\{/.test(specifier)) return;
    this.#uses.push({ specifier, via, reach, offset: range.from });
  }
}

interface Literal {
  readonly from: number;
  readonly to: number;
  /** Where the text goes on behind the argument, and behind the call when there is only one. */
  readonly after: number;
}

/** Characters of a name between quotes; longer ones are data. */
const LITERAL_LENGTH = 1024;
