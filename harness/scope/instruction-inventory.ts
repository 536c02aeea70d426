import { candidatePath, pathsOf, rootAndAncestors, type Surroundings } from './candidate-paths.ts';
import type { InstructionReport } from './model.ts';
import type { ClientProfile, InstructionRow } from './profiles/profile.ts';
import type { ProbeFile } from './read/instruction-probe.ts';

export interface InstructionContext {
  readonly root: string;
  readonly surroundings: Surroundings;
  readonly probe: ProbeFile;
}

/** Asks for the metadata of every fixed instruction candidate of one client. */
export function inventoryInstructions(
  profile: ClientProfile,
  context: InstructionContext,
): readonly InstructionReport[] {
  return profile.instructions.flatMap((row) =>
    row.at === 'ancestors' ? atAncestors(profile, row, context) : atFixedPlace(profile, row, context),
  );
}

function atAncestors(
  profile: ClientProfile,
  row: InstructionRow & { readonly at: 'ancestors' },
  { root, surroundings, probe }: InstructionContext,
): readonly InstructionReport[] {
  const { join } = pathsOf(surroundings.platform);
  return rootAndAncestors(root, surroundings.platform).map((folder, index) => {
    const path = join(folder, ...row.path.split('/'));
    return {
      client: profile.id,
      scope: index === 0 ? 'root' : 'ancestor',
      path,
      state: probe(path),
      applicability: 'unknown',
      fact: row.fact,
    };
  });
}

function atFixedPlace(
  profile: ClientProfile,
  row: InstructionRow & { readonly at: 'user' | 'managed' },
  { root, surroundings, probe }: InstructionContext,
): readonly InstructionReport[] {
  const path = candidatePath(row.paths, root, surroundings);
  if (path === 'no-candidate') return [];
  return [
    {
      client: profile.id,
      scope: row.at,
      path: path === 'unresolvable' ? null : path,
      state: path === 'unresolvable' ? 'unreadable' : probe(path),
      applicability: 'unknown',
      fact: row.fact,
    },
  ];
}
