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
import { CATALOGUE, type CatalogueEntry, type CheckOf, type Topic } from './catalogue.ts';
import { all, atMostBytes, stderr, stdout, withinOutputLimit } from './expect.ts';
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
  return {
    id: options.suffix === undefined ? id : `${id}.${options.suffix}`,
    severity: entry.severity,
    why: options.about === undefined ? entry.why : `${options.about}: ${entry.why}`,
    advice: entry.advice,
    precondition: options.when ?? null,
    expect,
  };
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
}

/** A case with the checks that every case has. */
export function smokeCase(parts: CaseParts): CompiledCase {
  return {
    id: parts.id,
    why: parts.why,
    tags: ['smoke', parts.topic],
    requires: parts.requires ?? null,
    node: parts.node ?? 'first',
    exec: false,
    settleMs: SETTLE_MS,
    files: [directory(FOREIGN_CWD), directory(OUTPUT_DIRECTORY), ...(parts.files ?? [])],
    steps: parts.steps,
    checks: [
      ...parts.checks,
      check('every', 'limits', all(...limitsOf(parts))),
      check('every', 'leftovers', { kind: 'no-leftovers' }),
    ],
  };
}

function limitsOf(parts: CaseParts): readonly Expectation[] {
  const answers = parts.answers.flatMap((name) => [
    withinOutputLimit(name),
    atMostBytes(stdout(name), ANSWER_BYTES),
    atMostBytes(stderr(name), ANSWER_BYTES),
  ]);
  return [{ kind: 'no-oom-kill' }, ...answers];
}

function directory(path: string): CompiledFile {
  return { kind: 'directory', path, mode: '0755' };
}
