/** Whether a statement holds of what was seen; `unknown` when what it is about was not seen whole. */
export type Truth = 'true' | 'false' | 'unknown';

/** A truth with what was seen, for people; candidate text in it is already escaped and cut. */
export interface Judgement {
  readonly truth: Truth;
  readonly seen: string;
  /** Of what is false: what was asked for, where `seen` does not say it. */
  readonly expected?: string | null;
}

export function holds(seen: string): Judgement {
  return { truth: 'true', seen };
}

export function fails(seen: string, expected: string | null = null): Judgement {
  return { truth: 'false', seen, expected };
}

export function isUnknown(seen: string): Judgement {
  return { truth: 'unknown', seen };
}

/** `holds` or `fails` by a fact that is known. */
export function judge(fact: boolean, seen: string): Judgement {
  return { truth: fact ? 'true' : 'false', seen };
}

/** Kleene's strong conjunction: false wins over unknown, unknown over true; empty is true. */
export function allOf(judgements: readonly Judgement[]): Judgement {
  const decisive =
    judgements.find((one) => one.truth === 'false') ?? judgements.find((one) => one.truth === 'unknown');
  return decisive ?? holds(joinSeen(judgements));
}

/** Kleene's strong disjunction: true wins over unknown, unknown over false; empty is false. */
export function anyOf(judgements: readonly Judgement[]): Judgement {
  const decisive =
    judgements.find((one) => one.truth === 'true') ?? judgements.find((one) => one.truth === 'unknown');
  if (decisive !== undefined) return decisive;
  return judgements.length === 0
    ? fails('nothing to choose from')
    : fails(joinSeen(judgements), joinExpected(judgements));
}

/** `opposite` is what is asked for when the statement itself is true. */
export function negated(judgement: Judgement, opposite: string | null = null): Judgement {
  switch (judgement.truth) {
    case 'true':
      return fails(judgement.seen, opposite);
    case 'false':
      return holds(judgement.seen);
    case 'unknown':
      return judgement;
  }
}

/** The judgement for people: what was seen, and of what is false what was asked for. */
export function describeJudgement({ truth, seen, expected }: Judgement): string {
  if (truth !== 'false' || expected === null || expected === undefined) return seen;
  return `${seen}, expected ${expected}`;
}

/** Null unless each says it: half of a choice would mislead. */
function joinExpected(judgements: readonly Judgement[]): string | null {
  const expected = judgements.map((one) => one.expected ?? null);
  return expected.includes(null) ? null : [...new Set(expected)].join(' or ');
}

function joinSeen(judgements: readonly Judgement[]): string {
  return [...new Set(judgements.map((one) => one.seen))].join('; ');
}
