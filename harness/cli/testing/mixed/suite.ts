import { packFault } from '../candidates.ts';
import { programPackage } from '../suites.ts';
import { bin, type Expected } from './kind.ts';
import { KINDS } from './kinds.ts';
import { MIXED_PROGRAM } from './program.ts';

export interface MixedSuite {
  /** A suite file; JSON is YAML. */
  readonly text: string;
  /** What each case comes to, by its id. */
  readonly expected: ReadonlyMap<string, Expected>;
}

/** The matrix case counts as this many. */
const MATRIX = { axis: ['a', 'b'], other: ['x', 'y'] };

/** The packed candidate of the suite. */
export function packMixed(): Buffer {
  return packFault(programPackage('mixed', { mixed: MIXED_PROGRAM }));
}

/**
 * A suite of exactly `count` cases, the same for the same count, the kinds in turn, with one classification and one
 * matrix of four among them.
 */
export function mixedSuite(count: number): MixedSuite {
  const expected = new Map<string, Expected>([['class', 'pass']]);
  const cases: object[] = [
    {
      id: 'class',
      why: 'says what kind of program it is',
      // Names that a classification goes by.
      steps: ['help', 'session'].map((name) => ({ name, argv: bin('says', name) })),
    },
    matrixCase(),
  ];
  for (const one of MATRIX.axis)
    for (const other of MATRIX.other) expected.set(`matrix.${one}.${other}`, 'pass');
  for (let turn = 0; expected.size < count; turn += 1) {
    for (const kind of KINDS) {
      if (expected.size >= count) break;
      if (turn >= (kind.limit ?? Number.POSITIVE_INFINITY)) continue;
      const id = `${kind.name}.${turn}`;
      expected.set(id, kind.expected);
      cases.push({ id, why: `cases of the kind ${kind.name}`, ...kind.make(turn) });
    }
  }
  return { text: JSON.stringify(toSuite(cases, expected), null, 1), expected };
}

function matrixCase(): object {
  const texts = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, name]));
  return {
    id: 'matrix',
    why: 'each combination is a case of its own',
    matrix: { axis: texts(MATRIX.axis), other: texts(MATRIX.other) },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the suite language
    steps: [{ argv: bin('says', '${matrix:axis}${matrix:other}') }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the suite language
    checks: [{ stdout: { equals: '${matrix:axis}${matrix:other}\n' } }],
  };
}

function toSuite(cases: readonly object[], expected: ReadonlyMap<string, Expected>): object {
  const countOf = (name: string): number =>
    [...expected.keys()].filter((id) => id.startsWith(`${name}.`)).length;
  const excluded = countOf('excluded');
  const unsupported = countOf('needs-server');
  return {
    formatVersion: 1,
    id: 'mixed',
    title: 'Cases of every kind',
    proves: ['that cases come to the same in every order and in every split'],
    doesNotProve: ['anything about another program'],
    cases,
    ...(excluded === 0
      ? {}
      : { exclusions: [{ cases: 'excluded.*', reason: 'never run', count: excluded }] }),
    ...(unsupported === 0
      ? {}
      : { expectedUnsupported: [{ cases: 'needs-server.*', reason: 'no server', count: unsupported }] }),
  };
}
