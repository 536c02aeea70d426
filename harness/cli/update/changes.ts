import type { CompiledCase, CompiledCheck, CompiledSuite } from '../../suite/compiled.ts';
import { type LocatedCheck, locateChecks } from '../../suite/language/compile-suite.ts';
import { exactOf, type SeenRun } from './seen.ts';
import { type ExactValue, findExactValues, type NewValue } from './suite-text.ts';

/** One change that a person may accept, as text before and after. */
export interface Change {
  readonly caseId: string;
  readonly checkId: string;
  readonly before: string;
  readonly after: string;
  /** Either of the suite file, or of a file beside it. */
  readonly write:
    | { readonly kind: 'suite'; readonly value: NewValue }
    | { readonly kind: 'beside'; readonly path: string; readonly expected: Buffer; readonly bytes: Buffer };
}

/** A failed exact check for which nothing can be offered. */
export interface NotOffered {
  readonly caseId: string;
  readonly checkId: string;
  readonly why: string;
}

export interface WrittenText {
  readonly name: string;
  readonly bytes: Buffer;
  readonly readBeside: NonNullable<Parameters<typeof locateChecks>[1]['readBeside']>;
}

/** What a run is asked. */
type Asked = Pick<SeenRun, 'failed' | 'seen'>;

/** Every failed check of a written suite that states one exact thing, with what was seen instead. */
export async function findChanges(
  { name, bytes, readBeside }: WrittenText,
  suite: CompiledSuite,
  run: Asked,
): Promise<readonly (Change | NotOffered)[]> {
  const located = locateChecks(bytes, { file: name, readBeside });
  const values = findExactValues(bytes.toString('utf8'));
  const found: (Change | NotOffered)[] = [];
  for (const one of suite.cases) {
    for (const check of one.checks) {
      const value = exactValueOf(one, check, { located, values });
      if (value === null || !run.failed(one, check)) continue;
      const shared = located.filter(({ offset }) => offset === value.offset).length > 1;
      const change = shared
        ? 'several cases of a matrix are stated here'
        : await toChange(one, check, { value, run });
      const names = { caseId: one.id, checkId: check.id };
      found.push(typeof change === 'string' ? { ...names, why: change } : { ...names, ...change });
    }
  }
  return found;
}

interface Located {
  readonly located: readonly LocatedCheck[];
  readonly values: ReadonlyMap<number, ExactValue>;
}

function exactValueOf(
  one: CompiledCase,
  check: CompiledCheck,
  { located, values }: Located,
): ExactValue | null {
  const place = located.find(({ caseId, checkId }) => caseId === one.id && checkId === check.id);
  return place === undefined ? null : (values.get(place.offset) ?? null);
}

async function toChange(
  one: CompiledCase,
  check: CompiledCheck,
  { value, run }: { readonly value: ExactValue; readonly run: Asked },
): Promise<Omit<Change, 'caseId' | 'checkId'> | string> {
  const expect = exactOf(check);
  if (expect === null) return 'it states more than one value';
  const seen = await run.seen(one, expect);
  if (seen.kind === 'unknown') return seen.why;
  const { offset } = value;
  if (seen.kind === 'termination') {
    if (value.kind !== 'termination') return 'it states more than one value';
    const before = `${value.key}: ${value.written}\n`;
    const after = `${seen.key}: ${seen.value}\n`;
    return { before, after, write: { kind: 'suite', value: { ...seen, offset } } };
  }
  const shown = { before: seen.expected.toString('utf8'), after: seen.bytes.toString('utf8') };
  if (value.kind === 'file') {
    const { expected, bytes } = seen;
    return { ...shown, write: { kind: 'beside', path: value.written, expected, bytes } };
  }
  if (/\$\{/.test(value.written)) return 'it has a placeholder';
  return { ...shown, write: { kind: 'suite', value: { kind: 'text', offset, text: shown.after } } };
}
