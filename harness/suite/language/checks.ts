import type { Node } from 'yaml';
import type { CompiledCheck, CompiledStep, Expectation, Severity } from '../compiled.ts';
import type { Context } from './context.ts';
import { KEYS, WORDS } from './keys.ts';
import { addOnce, readFields, readFormed, readList, readText, readWord } from './read.ts';
import { refuseGating } from './references.ts';
import { readExpectation, readStated, type Scope, type Stated, saysAny } from './statements.ts';

const CHECK_ID = { pattern: /^[a-z0-9.-]{1,110}$/, expected: 'an id of a-z, 0-9, dot and -' };
const RANK: Readonly<Record<Severity, number>> = { info: 0, warn: 1, gate: 2 };

export interface PlacedCheck {
  readonly check: CompiledCheck;
  readonly place: Node;
}

/** A check as written: its statement, and whether it takes the place of a default. */
interface WrittenCheck {
  readonly stated: Stated;
  readonly replaces: boolean;
  readonly checks: readonly PlacedCheck[];
}

interface CaseParts {
  readonly why: string;
  readonly severity: Severity;
  readonly steps: readonly CompiledStep[];
  readonly scope: Scope;
  /** Of the case: what must be in no output and no file. */
  readonly canaries: readonly string[];
  readonly place: Node;
}

/** The checks of a case: those written, then the defaults that no written one takes the place of. */
export function readChecks(
  node: Node | undefined,
  parts: CaseParts,
  context: Context,
): readonly PlacedCheck[] {
  const ids = new Set<string>();
  const items = node === undefined ? [] : readList(node, context.problems);
  const written = items.flatMap((item) => readCheck(item, { parts, ids }, context));
  const defaults = listDefaults(parts, written).map(
    ({ id, why, expect, informs }): PlacedCheck => ({
      check: {
        id: toUnique(id, ids),
        severity: informs === true ? 'info' : parts.severity,
        why,
        advice: '',
        precondition: null,
        expect,
      },
      place: parts.place,
    }),
  );
  return [...written.flatMap(({ checks }) => checks), ...defaults];
}

function readCheck(
  node: Node,
  { parts, ids }: { readonly parts: CaseParts; readonly ids: Set<string> },
  context: Context,
): readonly WrittenCheck[] {
  const { problems } = context;
  const fields = readFields(node, { keys: [...KEYS.check, ...KEYS.statement] }, problems);
  const [idNode, whyNode, adviceNode] = [fields.get('id'), fields.get('why'), fields.get('advice')];
  const [severityNode, whenNode] = [fields.get('severity'), fields.get('when')];
  const severity =
    severityNode === undefined ? parts.severity : readWord(severityNode, WORDS.severity, problems);
  const why = whyNode === undefined ? parts.why : readText(whyNode, problems);
  const advice = adviceNode === undefined ? '' : readText(adviceNode, problems);
  const precondition = whenNode === undefined ? null : readExpectation(whenNode, parts.scope, context);
  const id = idNode === undefined ? null : readFormed(idNode, CHECK_ID, problems);
  if (id !== null && idNode !== undefined) addOnce(id, ids, idNode, problems);
  const stated = readStated(fields, parts.scope, context);
  if (stated === null) return [];
  const isAny = saysAny(stated);
  if (isAny && whyNode === undefined) {
    const expected = 'a why of its own where anything may be';
    problems.add(node, 'REASON_MISSING', { expected, actual: 'none' });
  }
  const checks = stated.statements.map(({ label, expect, place }): PlacedCheck => {
    const derived = stated.step === null ? label : `${stated.step}.${label}`;
    const own = stated.statements.length === 1 ? id : id === null ? null : toUnique(`${id}.${label}`, ids);
    // What is always true informs; as a gate it would count as something that was proven.
    const compiled = { severity: isAny ? 'info' : severity, why, advice, precondition, expect } as const;
    return { check: { id: own ?? toUnique(derived, ids), ...compiled }, place };
  });
  for (const { check, place } of checks) {
    refuseGating(check, parts.scope, { place, context });
  }
  const ofReference = stated.step !== null && parts.scope.references.includes(stated.step);
  // What holds only sometimes, or fails nothing, leaves the default in force; of a reference nothing fails.
  const leastRank = ofReference ? RANK.info : RANK[parts.severity];
  const replaces = isAny || (precondition === null && RANK[severity] >= leastRank);
  return [{ stated, replaces, checks }];
}

function toUnique(id: string, ids: Set<string>): string {
  let free = id;
  for (let count = 2; ids.has(free); count += 1) free = `${id}-${count}`;
  ids.add(free);
  return free;
}

interface DefaultCheck {
  readonly id: string;
  readonly why: string;
  readonly expect: Expectation;
  /** Of a reference: it gates nothing. */
  readonly informs?: boolean;
}

/** Every step exits 0 and writes nothing to stderr; no process is left, and none was killed for memory. */
function listDefaults(parts: CaseParts, written: readonly WrittenCheck[]): readonly DefaultCheck[] {
  const isStated = (key: Stated['key'], step: string | null): boolean =>
    written.some(({ stated, replaces }) => replaces && stated.key === key && stated.step === step);
  const { references } = parts.scope;
  const perStep = parts.steps.flatMap(({ name }): readonly DefaultCheck[] => {
    const defaults = [
      ...(isStated('termination', name) ? [] : [exitsWithZero(name)]),
      ...(isStated('stderr', name) ? [] : [isQuiet(name)]),
    ];
    return defaults.map((one) => ({ ...one, informs: references.includes(name) }));
  });
  const perCase: readonly DefaultCheck[] = [
    ...(isStated('leftovers', null) ? [] : [NOTHING_LEFT]),
    ...(isStated('oomKill', null) ? [] : [NOT_KILLED]),
    ...parts.scope.controls.map(isUndone),
    ...references.map((name) => ({ ...isUndone(name), informs: true })),
    ...(parts.canaries.length === 0 ? [] : [hasNoCanary(parts.canaries)]),
  ];
  return [...perStep, ...perCase];
}

function exitsWithZero(step: string): DefaultCheck {
  const expect: Expectation = {
    kind: 'termination',
    step,
    caseId: null,
    anyOf: [{ kind: 'exited', codes: [0] }],
  };
  return { id: `${step}.termination`, why: `${step} exits with 0 (default)`, expect };
}

function isQuiet(step: string): DefaultCheck {
  const of = { caseId: null, step, stream: 'stderr' } as const;
  return {
    id: `${step}.stderr`,
    why: `${step} writes nothing to stderr (default)`,
    expect: { kind: 'stream-empty', of, ignoreWhitespace: false },
  };
}

function isUndone(control: string): DefaultCheck {
  return {
    id: `${control}.undone`,
    why: `after the undo of ${control} every file is as it was before it`,
    expect: { kind: 'control-undone', control },
  };
}

function hasNoCanary(texts: readonly string[]): DefaultCheck {
  return {
    id: 'canaries',
    why: 'no canary of the case is in an output or in a file that it leaves',
    expect: { kind: 'no-canaries', texts },
  };
}

const NOTHING_LEFT: DefaultCheck = {
  id: 'leftovers',
  why: 'no process outlives the case (default)',
  expect: { kind: 'no-leftovers' },
};

const NOT_KILLED: DefaultCheck = {
  id: 'oom-kill',
  why: 'no process is killed for memory (default)',
  expect: { kind: 'no-oom-kill' },
};
