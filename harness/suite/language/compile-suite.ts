import type { Node } from 'yaml';
import type { CompiledSuite } from '../compiled.ts';
import { SuiteError } from '../errors.ts';
import type { CandidateFacts } from '../facts.ts';
import { parseCompiledSuite } from '../parse/parse-suite.ts';
import { readArchives } from './archives.ts';
import { readCases } from './cases.ts';
import type { Context } from './context.ts';
import { readExceptions, refuseExceptions } from './exceptions.ts';
import { FixtureTrees } from './fixture-trees.ts';
import { KEYS } from './keys.ts';
import { readFilledText, readSentences } from './placeholders.ts';
import type { Places } from './places.ts';
import { Problems } from './problems.ts';
import { ID, readFields, readFormed, readInteger } from './read.ts';
import type { ReadBeside } from './read-beside.ts';
import { readSource } from './source.ts';

export interface SuiteSurroundings {
  /** The name of the file, for messages. */
  readonly file: string;
  readonly candidateFacts: CandidateFacts;
  /** Without it a suite that names files beside it is refused. */
  readonly readBeside?: ReadBeside;
}

const NOTHING_BESIDE: ReadBeside = () => ({ bytes: null, reason: 'no folder to read from' });

/**
 * Compiles a suite file for one candidate. Pure but for `readBeside`: the same bytes, candidate and files
 * beside it give the same suite. docs/suite-language.md describes the language.
 *
 * @throws {SuiteTextError} with every wrong place of the file; its code is that of the first
 */
export function compileSuite(bytes: Uint8Array, surroundings: SuiteSurroundings): CompiledSuite {
  return compile(bytes, surroundings, surroundings.candidateFacts).suite;
}

/**
 * Refuses a suite file that is wrong for every candidate, before there is one.
 *
 * @throws {SuiteTextError} as `compileSuite`, but for what the candidate decides
 */
export function checkSuiteFile(
  bytes: Uint8Array,
  surroundings: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
): void {
  compile(bytes, surroundings, null);
}

/** A check of a written suite, and the offset in its text of the value that states it. */
export interface LocatedCheck {
  readonly caseId: string;
  readonly checkId: string;
  readonly offset: number;
}

/**
 * Where the checks of a suite file stand. A default check stands where its case does; all cases of a matrix
 * stand at the same places.
 *
 * @throws {SuiteTextError} as `checkSuiteFile`
 */
export function locateChecks(
  bytes: Uint8Array,
  surroundings: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
): readonly LocatedCheck[] {
  const { suite, places } = compile(bytes, surroundings, null);
  return suite.cases.flatMap(({ id, checks }, index) =>
    checks.flatMap((check, at): readonly LocatedCheck[] => {
      const range = places.get(`/cases/${index}/checks/${at}`)?.range;
      return range == null ? [] : [{ caseId: id, checkId: check.id, offset: range[0] }];
    }),
  );
}

function compile(
  bytes: Uint8Array,
  { file, readBeside = NOTHING_BESIDE }: Pick<SuiteSurroundings, 'file' | 'readBeside'>,
  facts: CandidateFacts | null,
): { readonly suite: CompiledSuite; readonly places: Places } {
  const problems = new Problems(file);
  const root = readSource(bytes, problems);
  const trees = new FixtureTrees();
  const places: Places = new Map([['', root]]);
  const suite = readSuite(root, places, {
    ...{ problems, facts, readBeside, trees },
    matrix: new Map(),
    suiteFixture: undefined,
    archives: [],
    archive: null,
  });
  refuseExceptions(suite, places, problems);
  problems.refuse(trees.problems);
  return { suite: acceptCompiled(suite, places, problems), places };
}

const REQUIRED = ['formatVersion', 'id', 'title', 'proves', 'doesNotProve', 'cases'] as const;

function readSuite(root: Node, places: Places, context: Context): CompiledSuite {
  const { problems } = context;
  const fields = readFields(root, { keys: KEYS.suite, required: REQUIRED }, problems);
  const version = fields.get('formatVersion');
  if (version !== undefined && readInteger(version, { min: 0, max: 999 }, problems) !== 1) {
    problems.add(version, 'SUITE_VERSION_UNSUPPORTED', { expected: '1', actual: 'another' });
  }
  const id = fields.get('id');
  const title = fields.get('title');
  const casesNode = fields.get('cases');
  const archives = readArchives(fields.get('archives'), places, problems);
  const own = { ...context, archives: archives.map(({ name }) => name) };
  return {
    formatVersion: 1,
    id: id === undefined ? '' : readFormed(id, ID, problems),
    title: title === undefined ? '' : readFilledText(title, context),
    proves: readSentences(fields.get('proves'), context),
    doesNotProve: readSentences(fields.get('doesNotProve'), context),
    archives,
    cases:
      casesNode === undefined
        ? []
        : readCases(casesNode, places, { ...own, suiteFixture: fields.get('fixture') }),
    exclusions: readExceptions('exclusions', fields, places, problems),
    expectedUnsupported: readExceptions('expectedUnsupported', fields, places, problems),
  };
}

/** The compiled form has the last word; what it refuses is shown at the nearest place of the file. */
function acceptCompiled(suite: CompiledSuite, places: Places, problems: Problems): CompiledSuite {
  try {
    return parseCompiledSuite(suite);
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    for (const { path, expected, actual } of error.problems) {
      const member = path.split('/').findLast((part) => !/^\d+$/.test(part)) ?? '';
      problems.add(nearest(path, places), 'VALUE_WRONG', { expected: `${expected} as ${member}`, actual });
    }
    problems.refuse();
    throw error;
  }
}

function nearest(path: string, places: Places): Node | number {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = places.get(at);
    if (found !== undefined) return found;
  }
  return places.get('') ?? 0;
}
