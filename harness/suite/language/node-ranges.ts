import semver from 'semver';
import { isScalar, isSeq, type Node } from 'yaml';
import type { CompiledCase, NodeRange } from '../compiled.ts';
import { NODE_RANGES_LIMIT } from '../limits.ts';
import { WORDS } from './keys.ts';
import type { Problems } from './problems.ts';
import { readList, readWord, wrongType } from './read.ts';

const EXPECTED = `a range of released Node versions such as 20 or ">=22.5 <25"`;
/** No part of a version of Node is greater; what a run may have is bound by the same. */
const PART_LIMIT = 9999;
/** A range of npm's is read by patterns, which take their time for long texts. */
const RANGE_CHARACTERS = 200;

/**
 * On which Node versions of the run a case runs: a word, or a list of ranges as npm writes them, of which a version
 * must be in one. What is compiled are the numbers alone, so that whoever reads them needs no grammar of ranges.
 */
export function readNode(node: Node | undefined, problems: Problems): CompiledCase['node'] {
  if (node === undefined) return 'each';
  if (!isSeq(node)) return readWord(node, WORDS.node, problems);
  const ranges = readList(node, problems, { min: 1 }).flatMap((item) => readRange(item, problems));
  if (ranges.length > NODE_RANGES_LIMIT) {
    const expected = `at most ${NODE_RANGES_LIMIT} ranges`;
    problems.add(node, 'VALUE_WRONG', { expected, actual: String(ranges.length) });
  }
  return ranges;
}

function readRange(node: Node, problems: Problems): readonly NodeRange[] {
  const value = isScalar(node) ? node.value : null;
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
    wrongType(node, 'a major version such as 20, or a range in quotes', problems);
    return [];
  }
  const text = String(value);
  const ranges = toRanges(text);
  if (ranges.length === 0) problems.add(node, 'VALUE_WRONG', { expected: EXPECTED, actual: text });
  return ranges;
}

/** Empty for what is no range, speaks of a version before its release, or has no version in it. */
function toRanges(text: string): readonly NodeRange[] {
  if (text.trim() === '' || text.length > RANGE_CHARACTERS || semver.validRange(text) === null) return [];
  const ranges = new semver.Range(text).set.map(toRange);
  return ranges.some((range) => range === null) ? [] : ranges.flatMap((range) => range ?? []);
}

/** What all of these comparators allow. */
function toRange(comparators: readonly semver.Comparator[]): NodeRange | null {
  let range: NodeRange = { from: '0.0.0', below: null };
  for (const comparator of comparators) {
    const bounds = toBounds(comparator);
    if (bounds === null) return null;
    const { from, below } = bounds;
    if (semver.compare(from, range.from) > 0) range = { ...range, from };
    if (below !== null && (range.below === null || semver.compare(below, range.below) < 0))
      range = { ...range, below };
  }
  return range.below !== null && semver.compare(range.from, range.below) >= 0 ? null : range;
}

/** Of released versions; npm writes `<21.0.0-0` for those before 21, which is `<21.0.0` of them. */
function toBounds({ operator, semver: version, value }: semver.Comparator): NodeRange | null {
  if (value === '') return { from: '0.0.0', below: null };
  const { major, minor, patch, prerelease } = version;
  const isBefore = operator === '<' && prerelease.join('.') === '0';
  if ((prerelease.length > 0 && !isBefore) || Math.max(major, minor, patch) > PART_LIMIT) return null;
  const exact = `${major}.${minor}.${patch}`;
  const next = `${major}.${minor}.${patch + 1}`;
  switch (operator) {
    case '>=':
      return { from: exact, below: null };
    case '>':
      return { from: next, below: null };
    case '<':
      return { from: '0.0.0', below: exact };
    case '<=':
      return { from: '0.0.0', below: next };
    default:
      return { from: exact, below: next };
  }
}
