import type { CompiledCase, CompiledCheck, CompiledStep, Expectation } from '../compiled.ts';
import type { CandidateFacts } from '../facts.ts';
import { NODE_BINARY, PROJECT_DIRECTORY } from '../layout.ts';
import { LOADER, quotePattern, SYNTAX } from '../signatures.ts';
import { check, smokeCase, step } from './build.ts';
import type { EntryPoint, LoadWay } from './entry-points.ts';
import { all, any, crashed, exitedWith, matches, NEVER, not, stderr } from './expect.ts';
import { ENTRY_POINTS_PER_CASE, LOAD_MS } from './limits.ts';
import { toIdParts } from './names.ts';

/**
 * Loads by the package's name from the project: code given on the command line resolves from the current
 * directory, which may be read-only. The exit is ours, so that a library that keeps a timer is no failure.
 */
const SCRIPTS: Readonly<Record<LoadWay, readonly string[]>> = {
  import: ['--input-type=module', '-e', 'await import(process.argv[1]); process.exit(0);'],
  require: ['--input-type=commonjs', '-e', 'require(process.argv[1]); process.exit(0);'],
};

/** An entry point with the part of its step and check ids. */
interface Named {
  readonly point: EntryPoint;
  readonly idPart: string;
}

/** Cases over the entry points given, a few a box and one process for each way of loading. */
export function entryPointCases(
  facts: CandidateFacts,
  points: readonly EntryPoint[],
): readonly CompiledCase[] {
  const parts = toIdParts(points.map((point) => (point.subpath === '.' ? 'main' : point.subpath)));
  const named = points.map((point, index) => ({ point, idPart: parts[index] ?? `${index}` }));
  const tried = named.filter((one) => one.point.ways.length > 0);
  const groups = chunk(tried, ENTRY_POINTS_PER_CASE);
  const untried = named.filter((one) => one.point.ways.length === 0);
  return groups.map((group, index) => {
    const listed = index === 0 ? untried.map(listedCheck) : [];
    return smokeCase({
      id: `exports.${index + 1}`,
      topic: 'exports',
      why: `entry points of ${facts.name} load by name`,
      steps: group.flatMap((one) => one.point.ways.map((way) => loadStep(facts, one, way))),
      answers: [],
      checks: [
        ...group.flatMap((one) => one.point.ways.flatMap((way) => loadChecks(facts, one, way))),
        ...listed,
      ],
    });
  });
}

function specifier(facts: CandidateFacts, point: EntryPoint): string {
  return `${facts.name}${point.subpath.slice(1)}`;
}

function loadStep(facts: CandidateFacts, { point, idPart }: Named, way: LoadWay): CompiledStep {
  return step(`${way}-${idPart}`, [NODE_BINARY, ...SCRIPTS[way], specifier(facts, point)], {
    cwd: PROJECT_DIRECTORY,
    timeoutMs: LOAD_MS,
  });
}

function loadChecks(facts: CandidateFacts, { point, idPart }: Named, way: LoadWay): readonly CompiledCheck[] {
  const name = `${way}-${idPart}`;
  const options = { suffix: idPart, about: `${way} of ${specifier(facts, point)}` };
  return [
    check('exports', `${way}.loads`, not(any(crashed(name), failsToLoad(facts, name))), options),
    check('exports', `${way}.runs`, exitedWith(name, 0), options),
  ];
}

function failsToLoad(facts: CandidateFacts, name: string): Expectation {
  const error = stderr(name);
  const loader = all(not(exitedWith(name, 0)), any(matches(error, LOADER), matches(error, SYNTAX)));
  if (facts.optionalPeers.length === 0) return loader;
  const peers = facts.optionalPeers.map(quotePattern).join('|');
  return all(loader, not(matches(error, `Cannot find (module|package) '(${peers})['/]`)));
}

function listedCheck({ point, idPart }: Named): CompiledCheck {
  const reasons = {
    types: 'types',
    data: 'data',
    pattern: 'no matching file',
    'not-for-node': 'nothing for Node',
  };
  const reason = point.notTried === null ? 'nothing' : reasons[point.notTried];
  return check('exports', 'export.listed', NEVER, {
    when: NEVER,
    suffix: idPart,
    about: `${point.subpath} holds ${reason}`,
  });
}

function chunk<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
