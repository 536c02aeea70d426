import { LineCounter, type Node } from 'yaml';
import { SuiteTextError, type SuiteTextErrorCode, type TextProblem } from './errors.ts';
import { TEXT_PROBLEMS_LIMIT } from './limits.ts';

/** Where something stands: a node of the file, or an offset into its text. */
export type Place = Node | number;

/** Nothing could be read there, so that what stands in its place is within no bounds either. */
const UNREAD: ReadonlySet<SuiteTextErrorCode> = new Set(['TYPE_WRONG', 'SIZE_WRONG']);
const BOUNDS: ReadonlySet<SuiteTextErrorCode> = new Set(['LIMIT_WRONG', 'SUITE_VERSION_UNSUPPORTED']);

/** Collects the wrong places of one file, so that an author sees all at once. */
export class Problems {
  readonly lines = new LineCounter();
  readonly #file: string;
  readonly #found: (TextProblem & { readonly offset: number })[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(
    place: Place,
    code: SuiteTextErrorCode,
    said: { readonly expected: string; readonly actual: string },
  ): void {
    if (this.#found.length >= TEXT_PROBLEMS_LIMIT) return;
    const offset = typeof place === 'number' ? place : (place.range?.[0] ?? 0);
    // A case with a matrix is read once for each of its variants.
    const isKnown = (one: TextProblem & { readonly offset: number }): boolean =>
      one.offset === offset && one.code === code && one.expected === said.expected;
    if (this.#found.some(isKnown)) return;
    if (BOUNDS.has(code) && this.#found.some((one) => one.offset === offset && UNREAD.has(one.code))) return;
    const { line, col } = this.lines.linePos(offset);
    this.#found.push({
      file: this.#file,
      code,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      ...said,
      offset,
    });
  }

  /** @throws {SuiteTextError} with everything that was added, in the order of the file, then of the others */
  refuse(others: readonly Problems[] = []): void {
    const problems = [this, ...others].flatMap((one) => one.#sorted());
    const [first] = problems;
    if (first !== undefined) throw new SuiteTextError(first, problems);
  }

  #sorted(): readonly TextProblem[] {
    const sorted = [...this.#found].sort((left, right) => left.offset - right.offset);
    return sorted.map(({ offset: _offset, ...problem }) => problem);
  }
}
