import { GLOB_FORM, isGlob } from '../case-glob.ts';
import type { CompiledSuite, SuiteException } from '../compiled.ts';
import { checkExceptions } from '../exceptions.ts';
import { CASES_LIMIT } from '../limits.ts';
import { KEYS } from './keys.ts';
import type { Places } from './places.ts';
import type { Problems } from './problems.ts';
import { type Fields, readFields, readInteger, readList, readText } from './read.ts';

type ExceptionList = 'exclusions' | 'expectedUnsupported';

/** Reads one list of exceptions of a suite; it may be left out. */
export function readExceptions(
  list: ExceptionList,
  suite: Fields,
  places: Places,
  problems: Problems,
): readonly SuiteException[] {
  const node = suite.get(list);
  if (node === undefined) return [];
  return readList(node, problems, { min: 1 }).map((item, index) => {
    places.set(`/${list}/${index}`, item);
    return readException(
      readFields(item, { keys: KEYS.exception, required: KEYS.exception }, problems),
      problems,
    );
  });
}

function readException(fields: Fields, problems: Problems): SuiteException {
  const [casesNode, reasonNode, countNode] = [fields.get('cases'), fields.get('reason'), fields.get('count')];
  const cases = casesNode === undefined ? '' : readText(casesNode, problems);
  if (casesNode !== undefined && !isGlob(cases)) {
    problems.add(casesNode, 'GLOB_WRONG', { expected: GLOB_FORM, actual: cases });
  }
  const reason = reasonNode === undefined ? '' : readText(reasonNode, problems);
  if (reasonNode !== undefined && reason.trim() === '') {
    problems.add(reasonNode, 'REASON_MISSING', {
      expected: 'why these cases are excepted',
      actual: 'nothing',
    });
  }
  const count = countNode === undefined ? 0 : readInteger(countNode, { min: 1, max: CASES_LIMIT }, problems);
  return { cases, reason, count };
}

/** Says at its place what is wrong between the exceptions of a suite and its cases. */
export function refuseExceptions(suite: CompiledSuite, places: Places, problems: Problems): void {
  for (const { list, index, code, expected, actual } of checkExceptions(suite)) {
    problems.add(places.get(`/${list}/${index}`) ?? 0, code, { expected, actual });
  }
}
