import type { ClientProfile } from './profiles/profile.ts';

/** A declaration as far as its name's relations go. */
export interface NamedDeclaration {
  readonly name: string;
  readonly origin: string;
}

export interface NameRelations {
  readonly possibleShadowedBy: readonly string[] | null;
  readonly sameNameIn: readonly string[];
}

const ALONE: NameRelations = { possibleShadowedBy: [], sameNameIn: [] };
const ALONE_WITHOUT_ORDER: NameRelations = { possibleShadowedBy: null, sameNameIn: [] };

/**
 * Relates the declarations of one client by name; gives a lookup whose answers name source ids.
 *
 * One pass groups the names, and a name has at most one declaration in a source, so the cost grows with the
 * number of declarations and not with its square. It observes names only: which one a client takes is unknown.
 */
export function relateNames(
  profile: ClientProfile,
  declarations: readonly NamedDeclaration[],
): (declaration: NamedDeclaration) => NameRelations {
  const originsOfName = new Map<string, string[]>();
  for (const { name, origin } of declarations) {
    const origins = originsOfName.get(name);
    if (origins === undefined) originsOfName.set(name, [origin]);
    else origins.push(origin);
  }
  const ranks = rankOrigins(profile);
  const toId = (origin: string): string => `${profile.id}:${origin}`;
  return ({ name, origin }) => {
    const others = (originsOfName.get(name) ?? []).filter((other) => other !== origin);
    if (others.length === 0) return ranks === null ? ALONE_WITHOUT_ORDER : ALONE;
    return {
      possibleShadowedBy: ranks === null ? null : strongerThan(origin, others, ranks).map(toId),
      sameNameIn: others.map(toId),
    };
  };
}

function rankOrigins({ precedence }: ClientProfile): ReadonlyMap<string, number> | null {
  if (precedence === null) return null;
  return new Map(precedence.flatMap((origins, rank) => origins.map((origin) => [origin, rank] as const)));
}

/** Strongest first. An origin outside of the documented order neither shadows nor is shadowed. */
function strongerThan(
  origin: string,
  others: readonly string[],
  ranks: ReadonlyMap<string, number>,
): readonly string[] {
  const own = ranks.get(origin);
  if (own === undefined) return [];
  const rankOf = (other: string): number => ranks.get(other) ?? Number.POSITIVE_INFINITY;
  return others.filter((other) => rankOf(other) < own).sort((left, right) => rankOf(left) - rankOf(right));
}
