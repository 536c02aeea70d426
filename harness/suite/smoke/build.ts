import type {
  CompiledCase,
  CompiledCheck,
  CompiledFile,
  CompiledStep,
  Expectation,
  SignalPlan,
  StdinPlan,
} from '../compiled.ts';
import { BASE_ENV, FOREIGN_CWD, OUTPUT_DIRECTORY } from '../layout.ts';
import { USUAL_CASE } from '../usual-case.ts';
import { CATALOGUE, type CatalogueEntry, type CheckOf, type Topic } from './catalogue.ts';
import { all, atMostBytes, ended, ran, stderr, stdout, withinOutputLimit } from './expect.ts';
import { ANSWER_BYTES, ANSWER_MS, SETTLE_MS } from './limits.ts';

const CLOSED: StdinPlan = { kind: 'closed' };

export interface StepOptions {
  readonly stdin?: StdinPlan;
  readonly stdout?: CompiledStep['stdout'];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signals?: readonly SignalPlan[];
  readonly timeoutMs?: number;
}

/** A step with the suite's own environment, foreign cwd and closed stdin unless said otherwise. */
export function step(name: string, argv: readonly string[], options: StepOptions = {}): CompiledStep {
  return {
    name,
    argv,
    env: options.env ?? BASE_ENV,
    cwd: options.cwd ?? FOREIGN_CWD,
    stdin: options.stdin ?? CLOSED,
    stdout: options.stdout ?? 'pipe',
    signals: options.signals ?? [],
    timeoutMs: options.timeoutMs ?? ANSWER_MS,
  };
}

export interface CheckOptions {
  readonly when?: Expectation;
  /** Appended to the catalogue's id where one case holds the check more than once. */
  readonly suffix?: string;
  /** Put before the catalogue's sentence, to name what it is about. */
  readonly about?: string;
}

/** A check of the catalogue; severity, reason and advice come from there and from nowhere else. */
export function check<T extends Topic>(
  topic: T,
  id: CheckOf<T>,
  expect: Expectation,
  options: CheckOptions = {},
): CompiledCheck {
  const entry = entryOf(topic, id);
  const conditions = [...stepsOf(expect).map(ran), ...(options.when === undefined ? [] : [options.when])];
  return {
    id: options.suffix === undefined ? id : `${id}.${options.suffix}`,
    severity: entry.severity,
    why: options.about === undefined ? entry.why : `${options.about}: ${entry.why}`,
    advice: entry.advice,
    precondition: conditions.length === 0 ? null : all(...conditions),
    expect,
  };
}

/**
 * Steps of its own case that a statement needs. A case whose time is used up by slow steps has no later ones;
 * that is the candidate's slowness, so what they would have shown is not exercised rather than an error.
 */
function stepsOf(expectation: Expectation): readonly string[] {
  const found = new Set<string>();
  const take = (one: { readonly step: string; readonly caseId?: string | null }): void => {
    if ((one.caseId ?? null) === null) found.add(one.step);
  };
  const visit = (one: Expectation): void => {
    if ('step' in one) take(one);
    if ('than' in one) take(one.than);
    if ('left' in one) for (const side of [one.left, one.right]) take(side);
    if (!('of' in one)) return;
    if ('step' in one.of) take(one.of);
    else for (const inner of 'kind' in one.of ? [one.of] : one.of) visit(inner);
  };
  visit(expectation);
  return [...found];
}

function entryOf<T extends Topic>(topic: T, id: CheckOf<T>): CatalogueEntry {
  const checks: Readonly<Record<string, CatalogueEntry>> = CATALOGUE[topic].checks;
  const entry = checks[id];
  if (entry === undefined) throw new TypeError(`catalogue: ${topic}: no check ${id}`);
  return entry;
}

export interface CaseParts {
  readonly id: string;
  readonly topic: Topic;
  readonly why: string;
  readonly requires?: CompiledCase['requires'];
  readonly node?: CompiledCase['node'];
  readonly files?: readonly CompiledFile[];
  readonly steps: readonly CompiledStep[];
  /** Steps that merely answer a question, and so have no business writing megabytes. */
  readonly answers: readonly string[];
  readonly checks: readonly CompiledCheck[];
  /** Further condition under which what is left gates; a case may judge the rest by a check of its own. */
  readonly leftoversWhen?: Expectation;
}

/** A case with the checks that every case has. */
export function smokeCase(parts: CaseParts): CompiledCase {
  return {
    id: parts.id,
    why: parts.why,
    tags: ['smoke', parts.topic],
    ...USUAL_CASE,
    requires: parts.requires ?? null,
    node: parts.node ?? 'first',
    settleMs: SETTLE_MS,
    files: [directory(FOREIGN_CWD), directory(OUTPUT_DIRECTORY), ...(parts.files ?? [])],
    steps: parts.steps,
    checks: [...parts.checks, ...everyChecks(parts)],
  };
}

function everyChecks(parts: CaseParts): readonly CompiledCheck[] {
  return [
    check('every', 'memory', { kind: 'no-oom-kill' }),
    ...parts.steps.map(({ name }) => {
      const expect = parts.answers.includes(name) ? isShortAnswer(name) : hasShortErrors(name);
      return check('every', 'output', expect, { suffix: name });
    }),
    check('every', 'leftovers', { kind: 'no-leftovers' }, { when: all(...leftoverConditions(parts)) }),
  ];
}

function leftoverConditions({ steps, leftoversWhen }: CaseParts): readonly Expectation[] {
  return [...steps.map(endedByItself), ...(leftoversWhen === undefined ? [] : [leftoversWhen])];
}

/** What a step leaves says something of it only when nobody had to end the step. */
function endedByItself({ name }: CompiledStep): Expectation {
  return all(ended(name), withinOutputLimit(name));
}

function isShortAnswer(name: string): Expectation {
  return all(withinOutputLimit(name), atMostBytes(stdout(name), ANSWER_BYTES), hasShortErrors(name));
}

/** Whatever a program is for, and be it endless output, a megabyte of complaints is none of it. */
function hasShortErrors(name: string): Expectation {
  return atMostBytes(stderr(name), ANSWER_BYTES);
}

function directory(path: string): CompiledFile {
  return { kind: 'directory', path, mode: '0755' };
}
