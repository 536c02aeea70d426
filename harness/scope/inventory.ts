import { isTooDeep, type Surroundings } from './candidate-paths.ts';
import { explainInstruction, explainRoot, explainServer, explainSource } from './explain.ts';
import { inventoryInstructions } from './instruction-inventory.ts';
import { ANCESTOR_LIMIT } from './limits.ts';
import type {
  Coverage,
  InstructionReport,
  RootReport,
  ScopeReport,
  ServerReport,
  SourceReport,
} from './model.ts';
import type { ClientProfile } from './profiles/profile.ts';
import { profilesOf } from './profiles/profiles.ts';
import type { ReadSource } from './read/bounded-reader.ts';
import { isInventoried } from './read/file-state.ts';
import type { ProbeFile } from './read/instruction-probe.ts';
import type { ScopeRoot } from './read/root.ts';
import { relateNames } from './relations.ts';
import { DocumentCache, type FoundServer, inventorySource, type SourceContext } from './source-inventory.ts';

export interface InventoryOptions extends Surroundings {
  /** A client's id or `all`. */
  readonly client: string;
  /** Adds the reason of each row in words. */
  readonly explain: boolean;
  readonly readSource: ReadSource;
  readonly probeFile: ProbeFile;
}

/**
 * The inventory of the MCP configuration that concerns one selected directory.
 *
 * Everything that it knows of the machine comes through the options; it starts nothing and writes nothing.
 * The report is a snapshot, not an atomic view. A root that is not there gives a report without rows that is
 * not complete.
 * @throws {ScopeError} CLIENT_UNKNOWN, before anything is read
 */
export function inventory(root: ScopeRoot, options: InventoryOptions): ScopeReport {
  const profiles = profilesOf(options.client);
  const documents = new DocumentCache(options.readSource);
  const parts =
    root.canonicalPath === null
      ? []
      : profiles.map((profile) => inventoryClient(profile, root, documents, options));
  const sources = parts.flatMap((part) => part.sources);
  const servers = parts.flatMap((part) => part.servers);
  const instructions = parts.flatMap((part) => part.instructions);
  return {
    version: 1,
    client: options.client,
    platform: options.platform,
    root: options.explain ? explainRoot(toRootReport(root)) : toRootReport(root),
    inventoryComplete:
      root.canonicalPath !== null &&
      !isTooDeep(root.canonicalPath, options.platform) &&
      [...sources, ...instructions].every(isInventoried),
    sources: options.explain ? sources.map(explainSource) : sources,
    servers: options.explain ? servers.map(explainServer) : servers,
    instructions: options.explain ? instructions.map(explainInstruction) : instructions,
    coverage: coverageOf(profiles, root, options),
  };
}

function toRootReport({ state, spelledPath, canonicalPath }: ScopeRoot): RootReport {
  return { state, path: spelledPath, canonicalPath };
}

interface ClientPart {
  readonly sources: readonly SourceReport[];
  readonly servers: readonly ServerReport[];
  readonly instructions: readonly InstructionReport[];
}

function inventoryClient(
  profile: ClientProfile,
  root: ScopeRoot,
  documents: DocumentCache,
  options: InventoryOptions,
): ClientPart {
  const canonical = root.canonicalPath ?? root.spelledPath;
  const context: SourceContext = {
    root: canonical,
    spellings: [...new Set([canonical, root.spelledPath])],
    surroundings: options,
    documents,
  };
  const found = profile.sources
    .map((row) => inventorySource(profile, row, context))
    .filter((source) => source !== null);
  return {
    sources: found.map(({ report }) => report),
    servers: toServerReports(
      profile,
      found.flatMap(({ servers }) => servers),
    ),
    instructions: inventoryInstructions(profile, {
      root: canonical,
      surroundings: options,
      probe: options.probeFile,
    }),
  };
}

function toServerReports(profile: ClientProfile, servers: readonly FoundServer[]): readonly ServerReport[] {
  const declarations = servers.map(({ name, row }) => ({ name, origin: row.origin }));
  const relationsOf = relateNames(profile, declarations);
  return servers.map(({ name, row, facts }) => ({
    name,
    client: profile.id,
    source: `${profile.id}:${row.origin}`,
    origin: row.origin,
    scope: row.scope,
    format: row.format,
    configured: true,
    declaration: facts.declaration,
    guardForm: facts.guardForm,
    guardIdentity: facts.guardForm === 'none' ? 'not-applicable' : 'unknown',
    uninterpretedFields: facts.uninterpretedFields,
    ...relationsOf({ name, origin: row.origin }),
  }));
}

const CUT_LIMIT = `the root lies deeper than ${ANCESTOR_LIMIT} folders; instruction files further up were not asked for`;

function coverageOf(
  profiles: readonly ClientProfile[],
  { canonicalPath }: ScopeRoot,
  { platform }: Surroundings,
): Coverage {
  const isCut = canonicalPath !== null && isTooDeep(canonicalPath, platform);
  return {
    hostVersion: 'unknown',
    selectedProfile: 'unknown',
    forwarding: 'unknown',
    effectiveSelection: 'unknown',
    loading: 'unknown',
    enforcement: 'unknown',
    snapshot: 'not-atomic',
    limits: profiles.flatMap(({ id, limits }) =>
      [...(isCut ? [CUT_LIMIT] : []), ...limits].map((limit) => ({ client: id, limit })),
    ),
  };
}
