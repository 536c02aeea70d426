/** Whether a statement holds of what was seen; `unknown` when what it is about was not seen whole. */
export type Truth = 'true' | 'false' | 'unknown';

/** A truth with what was seen, for people; candidate text in it is already escaped and cut. */
export interface Judgement {
  readonly truth: Truth;
  readonly seen: string;
}

export function holds(seen: string): Judgement {
  return { truth: 'true', seen };
}

export function fails(seen: string): Judgement {
  return { truth: 'false', seen };
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
  return decisive ?? fails(judgements.length === 0 ? 'nothing to choose from' : joinSeen(judgements));
}

export function negated(judgement: Judgement): Judgement {
  switch (judgement.truth) {
    case 'true':
      return fails(judgement.seen);
    case 'false':
      return holds(judgement.seen);
    case 'unknown':
      return judgement;
  }
}

function joinSeen(judgements: readonly Judgement[]): string {
  return [...new Set(judgements.map((one) => one.seen))].join('; ');
}
