import type { ContainerProblem } from './container.ts';
import type { GuardForm } from './guard-form.ts';
import type { DocumentProblem } from './parse/parsed.ts';
import type { Fact } from './profiles/profile.ts';
import type { ReadProblem } from './read/bounded-reader.ts';
import type { ProbeState, SourceState } from './read/file-state.ts';
import type { RootState } from './read/root.ts';
import type { Declaration } from './server-entry.ts';

/** Why a source has its state, where the state alone does not say it. */
export type SourceProblem =
  | DocumentProblem
  | ContainerProblem
  | Exclude<ReadProblem, null>
  | 'entry-malformed'
  | 'too-many-servers'
  | 'home-unknown';

/** One place that was looked at. Published as `sources[]` of the version-1 document. */
export interface SourceReport {
  /** `<client>:<origin>`; what `servers[]` refer to. */
  readonly id: string;
  readonly client: string;
  readonly origin: string;
  readonly scope: string;
  /** Null when the home directory that it would lie in is not known. */
  readonly path: string | null;
  readonly format: string;
  readonly parser: string;
  readonly container: string;
  readonly containerState: 'present' | 'absent' | 'unknown';
  readonly state: SourceState;
  readonly problem: SourceProblem | null;
  readonly serverCount: number;
  /** `unknown` when the document could not be parsed or is not there. */
  readonly uninterpretedRootFields: boolean | 'unknown';
  readonly fact: Fact;
  readonly explanation?: string;
}

/** One declared server. `configured` says that a declaration was seen, not that the client accepts it. */
export interface ServerReport {
  readonly name: string;
  readonly client: string;
  readonly source: string;
  readonly origin: string;
  readonly scope: string;
  readonly format: string;
  readonly configured: true;
  readonly declaration: Declaration;
  readonly guardForm: GuardForm;
  /** Of the program that a recognised form names: never looked at, so never known. */
  readonly guardIdentity: 'not-applicable' | 'unknown';
  readonly uninterpretedFields: boolean | 'unknown';
  /** Sources of higher scopes with a declaration of this name; null where the client documents no order. */
  readonly possibleShadowedBy: readonly string[] | null;
  /** Other sources of the same client with a declaration of this name. */
  readonly sameNameIn: readonly string[];
  readonly explanation?: string;
}

export interface InstructionReport {
  readonly client: string;
  readonly scope: 'root' | 'ancestor' | 'user' | 'managed';
  readonly path: string | null;
  readonly state: ProbeState;
  readonly applicability: 'unknown';
  readonly fact: Fact;
  readonly explanation?: string;
}

/** The selected directory: as spelled, and without links when it is there. */
export interface RootReport {
  readonly state: RootState;
  readonly path: string;
  readonly canonicalPath: string | null;
  readonly explanation?: string;
}

/** What no inventory of files can know, said in every report, also in one without servers. */
export interface Coverage {
  readonly hostVersion: 'unknown';
  readonly selectedProfile: 'unknown';
  readonly forwarding: 'unknown';
  readonly effectiveSelection: 'unknown';
  readonly loading: 'unknown';
  readonly enforcement: 'unknown';
  readonly snapshot: 'not-atomic';
  readonly limits: readonly { readonly client: string; readonly limit: string }[];
}

/** The version-1 document. Its schema is published as scope.schema.json. */
export interface ScopeReport {
  readonly version: 1;
  readonly client: string;
  readonly platform: string;
  readonly root: RootReport;
  /** Whether every fixed candidate was inventoried, present or absent. Nothing about the health of what was found. */
  readonly inventoryComplete: boolean;
  readonly sources: readonly SourceReport[];
  readonly servers: readonly ServerReport[];
  readonly instructions: readonly InstructionReport[];
  readonly coverage: Coverage;
}
