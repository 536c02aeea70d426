import type { Bundle } from '../bundle.ts';
import { isSchema } from '../evaluate/json-rules.ts';
import { isPattern, loadPatterns } from '../evaluate/patterns.ts';
import { once } from '../files/once.ts';
import { type Finding, Findings } from '../finding.ts';
import type { Report } from '../shape/report.ts';
import { type Expectation, type Suite, type SuiteCase, suiteShape } from '../shape/suite.ts';
import { checkExceptionRules } from './exceptions.ts';
import { versionsOf } from './node-choice.ts';
import { checkReferenceRules } from './reference-rules.ts';
import { type Durations, deriveStandings, readDurations, type Standing } from './selection.ts';
import { checkSuiteSources } from './sources.ts';
import { checkSuiteRules } from './suite-rules.ts';

const SUITE_FILE = /^inputs\/suites\/([^/]+)\/suite\.json$/;

/** One case on one Node version: what must have exactly one receipt. */
export interface Execution {
  readonly suite: Suite;
  readonly declared: SuiteCase;
  readonly node: string;
  /** What the selection and the suite's exclusions make of it. */
  readonly standing: Standing;
  /** The case whose class it requires stands on this version too; true when it requires none. */
  readonly classifiable: boolean;
  /** Its folder below `cases/`. */
  readonly folder: string;
}

/** The same as far as its receipt is concerned. */
export type JudgedExecution = Omit<Execution, 'suite'> & {
  readonly suite: Pick<Suite, 'id' | 'proves' | 'doesNotProve'>;
};

export interface DeclaredRun {
  readonly suites: readonly Suite[];
  /** What an earlier run took, by case id; null when no shard was balanced by it. */
  readonly durations: Durations | null;
  /** Every suite of the bundle could be read. */
  readonly whole: boolean;
  /** In the order of the run: suites as the report has them, their cases, Node versions. */
  readonly executions: readonly Execution[];
}

/** Reads every compiled suite of the bundle, holds each to its rules, and lists what had to be run. */
export async function readDeclared(bundle: Bundle, report: Report): Promise<DeclaredRun> {
  const suites = new Map<string, Suite>();
  let whole = true;
  for (const path of bundle.list.files.keys()) {
    const folder = SUITE_FILE.exec(path)?.[1];
    if (folder === undefined) continue;
    const suite = bundle.document(path, suiteShape);
    if (suite === null) {
      whole = false;
      continue;
    }
    bundle.findings.same('SUITE_FOLDER', `${path}.id`, folder, toSegment(suite.id));
    suites.set(suite.id, suite);
    bundle.findings.addAll(await once(suite, path, () => checkSuite(suite, path)));
  }
  checkSuiteSources(bundle);
  const ordered = report.suites.flatMap(({ id }) => suites.get(id) ?? []);
  checkSuiteList(bundle, report, suites);
  const durations = readDurations(bundle, report);
  // A blocked candidate may have cost the suite the cases that its user picks, and none of them runs anyhow.
  const judged = report.blocked === null ? bundle.findings : new Findings();
  const standings = deriveStandings(ordered, report.selection, durations, judged);
  const executions = ordered.flatMap((suite) => toExecutions(suite, report.nodeVersions, standings));
  checkCaseIds(bundle, ordered);
  if (executions.length === 0 && report.blocked === null)
    bundle.findings.add('NO_CASES', 'inputs/suites', 'at least one case', 'none');
  return { suites: ordered, durations, whole, executions };
}

/** What is wrong with a suite by itself. */
async function checkSuite(suite: Suite, path: string): Promise<readonly Finding[]> {
  const findings = new Findings();
  checkSuiteRules(suite, path, findings);
  checkReferenceRules(suite, path, findings);
  checkExceptionRules(suite, path, findings);
  await checkPatterns(suite, path, findings);
  return findings.list();
}

function toExecutions(
  suite: Suite,
  nodes: readonly string[],
  standings: ReadonlyMap<string, Standing>,
): readonly Execution[] {
  const classifiers = new Map(suite.cases.map((one) => [one.id, versionsOf(one, nodes)]));
  return suite.cases.flatMap((declared) =>
    versionsOf(declared, nodes).map((node) => ({
      suite,
      declared,
      node,
      classifiable:
        declared.requires === null ||
        classifiers.get(declared.requires.classification)?.includes(node) === true,
      standing: standings.get(declared.id) ?? { kind: 'unselected' },
      folder: toSegment(`${declared.id}@${node}`),
    })),
  );
}

function checkSuiteList(bundle: Bundle, report: Report, suites: ReadonlyMap<string, Suite>): void {
  const { findings } = bundle;
  if (suites.size === 0 && report.blocked === null)
    findings.add('NO_SUITES', 'inputs/suites', 'at least one compiled suite', 'none');
  const told = report.suites.map(({ id }) => id);
  findings.same(
    'REPORT_FACT',
    'report.json.suites',
    [...suites.keys()].sort().join(','),
    [...told].sort().join(','),
  );
  report.suites.forEach(({ id, proves, doesNotProve, caseClaims, volatile }, index) => {
    const suite = suites.get(id);
    if (suite === undefined) return;
    const at = `report.json.suites[${index}]`;
    findings.same('REPORT_FACT', `${at}.proves`, JSON.stringify(suite.proves), JSON.stringify(proves));
    findings.same(
      'REPORT_FACT',
      `${at}.doesNotProve`,
      JSON.stringify(suite.doesNotProve),
      JSON.stringify(doesNotProve),
    );
    const own = suite.cases
      .filter((one) => one.proves.length > 0 || one.doesNotProve.length > 0)
      .map((one) => ({ caseId: one.id, doesNotProve: one.doesNotProve, proves: one.proves }));
    const told = caseClaims.map((one) => ({
      caseId: one.caseId,
      doesNotProve: one.doesNotProve,
      proves: one.proves,
    }));
    findings.same('REPORT_FACT', `${at}.caseClaims`, JSON.stringify(own), JSON.stringify(told));
    const stated = suite.cases.flatMap((one) => one.volatile).length;
    findings.same('REPORT_FACT', `${at}.volatile`, stated, volatile);
  });
}

/** Ids become folder names, so they are their own over all suites, as a case-insensitive file system has it. */
function checkCaseIds(bundle: Bundle, suites: readonly Suite[]): void {
  const seen = new Set<string>();
  for (const { id } of suites.flatMap(({ cases }) => cases)) {
    if (seen.has(id)) bundle.findings.add('SUITE_CASE_DUPLICATE', 'inputs/suites', 'an id of its own', id);
    seen.add(id);
  }
}

/** The pattern engine is loaded only for suites that have patterns. */
async function checkPatterns(suite: Suite, path: string, findings: Findings): Promise<void> {
  // Cases that require a class are held against the class of another, by patterns of the format's own.
  if (suite.cases.some(({ requires }) => requires !== null)) await loadPatterns();
  for (const [index, { checks, volatile }] of suite.cases.entries()) {
    for (const part of volatile) {
      if (part.kind !== 'stream' || part.pattern === null) continue;
      await loadPatterns();
      if (isPattern(part.pattern)) continue;
      findings.add('SUITE_PATTERN', `${path}.cases[${index}].volatile`, 'an RE2 pattern', part.pattern);
    }
    for (const { id, precondition, expect } of checks) {
      for (const stated of [precondition, expect]) {
        if (stated !== null && schemasOf(stated).length > 0) await loadPatterns();
        for (const schema of stated === null ? [] : schemasOf(stated)) {
          if (!isSchema(JSON.parse(schema))) {
            findings.add('SUITE_PATTERN', `${path}.cases[${index}] ${id}`, 'a JSON Schema', schema);
          }
        }
        for (const pattern of stated === null ? [] : patternsOf(stated)) {
          await loadPatterns();
          if (!isPattern(pattern)) {
            findings.add('SUITE_PATTERN', `${path}.cases[${index}] ${id}`, 'an RE2 pattern', pattern);
          }
        }
      }
    }
  }
}

/** Patterns of a statement; classification has patterns of its own and gives an empty one for them. */
function patternsOf(stated: Expectation): readonly string[] {
  switch (stated.kind) {
    case 'all':
    case 'any':
      return stated.of.flatMap(patternsOf);
    case 'not':
      return patternsOf(stated.of);
    case 'stream-matches':
      return [stated.pattern];
    case 'classified':
      return [''];
    default:
      return [];
  }
}

/** Schemas of a statement, which may have patterns. */
function schemasOf(stated: Expectation): readonly string[] {
  switch (stated.kind) {
    case 'all':
    case 'any':
      return stated.of.flatMap(schemasOf);
    case 'not':
      return schemasOf(stated.of);
    case 'json-value':
      return stated.rule === 'schema' ? [stated.json] : [];
    default:
      return [];
  }
}

/** The bundle's own encoding of a name as one path segment. */
export function toSegment(name: string): string {
  const text = [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9._@-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  return text.startsWith('.') ? `%2e${text.slice(1)}` : text;
}
