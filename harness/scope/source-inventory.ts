import { candidatePath, type Surroundings } from './candidate-paths.ts';
import { containerLabel, findContainer, hasOtherRootFields, type RootSpellings } from './container.ts';
import { HELD_DOCUMENT_BYTES, SERVER_LIMIT } from './limits.ts';
import type { SourceProblem, SourceReport } from './model.ts';
import type { ConfigObject } from './parse/config-value.ts';
import { type ParsedDocument, parseDocument } from './parse/document.ts';
import type { ParserName } from './parse/parsed.ts';
import type { ClientProfile, SourceRow } from './profiles/profile.ts';
import type { ReadSource, SourceReading } from './read/bounded-reader.ts';
import { examineEntry, type ServerFacts } from './server-entry.ts';

export interface FoundServer {
  readonly name: string;
  readonly row: SourceRow;
  readonly facts: ServerFacts;
}

export interface InventoriedSource {
  readonly report: SourceReport;
  readonly servers: readonly FoundServer[];
}

/** What the sources of all profiles are looked for with. */
export interface SourceContext {
  readonly root: string;
  readonly spellings: RootSpellings;
  readonly surroundings: Surroundings;
  readonly documents: DocumentCache;
}

/** Reads each file once, so that two sources in the same file are of the same moment. */
export class DocumentCache {
  readonly #read: ReadSource;
  readonly #readings = new Map<string, SourceReading>();
  readonly #documents = new Map<string, ParsedDocument>();

  constructor(read: ReadSource) {
    this.#read = read;
  }

  read(path: string): SourceReading {
    const known = this.#readings.get(path);
    if (known !== undefined) return known;
    const reading = this.#read(path);
    this.#readings.set(path, reading);
    return reading;
  }

  parse(path: string, bytes: Uint8Array, parser: ParserName): ParsedDocument {
    const key = `${parser}\0${path}`;
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const document = parseDocument(bytes, parser);
    // Of a large file only the bytes are kept: its values take many times as much.
    if (bytes.length <= HELD_DOCUMENT_BYTES) this.#documents.set(key, document);
    return document;
  }
}

/** Inventories one row; null when the client documents no such file on this platform. */
export function inventorySource(
  profile: ClientProfile,
  row: SourceRow,
  context: SourceContext,
): InventoriedSource | null {
  const path = candidatePath(row.paths, context.root, context.surroundings);
  if (path === 'no-candidate') return null;
  const blank = blankReport(profile, row, path === 'unresolvable' ? null : path);
  if (path === 'unresolvable') return without(blank, { state: 'unreadable', problem: 'home-unknown' });
  const reading = context.documents.read(path);
  if (reading.state !== 'present') return without(blank, reading);
  const document = context.documents.parse(path, reading.bytes, row.parser);
  if (document.kind === 'refused') {
    const state = document.problem === 'too-many-values' ? 'too-large' : 'malformed';
    return without(blank, { state, problem: document.problem });
  }
  return inDocument(document.root, row, { blank, spellings: context.spellings });
}

function inDocument(
  document: ConfigObject,
  row: SourceRow,
  { blank, spellings }: { readonly blank: SourceReport; readonly spellings: RootSpellings },
): InventoriedSource {
  const uninterpretedRootFields = hasOtherRootFields(document, row.container);
  const found = findContainer(document, row.container, spellings);
  const report: SourceReport = { ...blank, container: found.label, uninterpretedRootFields };
  if (found.kind === 'refused') return without(report, { state: 'malformed', problem: found.problem });
  if (found.kind === 'absent') {
    return { report: { ...report, containerState: 'absent', state: 'present' }, servers: [] };
  }
  const declared: SourceReport = { ...report, containerState: 'present', serverCount: found.entries.size };
  return found.entries.size > SERVER_LIMIT
    ? without(declared, { state: 'too-large', problem: 'too-many-servers' })
    : withServers(declared, row, found.entries);
}

function withServers(report: SourceReport, row: SourceRow, entries: ConfigObject): InventoriedSource {
  const servers = [...entries].map(([name, value]) => ({
    name,
    row,
    facts: examineEntry(value, row.entry),
  }));
  // A declaration that cannot be interpreted stays visible, and the inventory is not called complete.
  const isWhole = servers.every(({ facts }) => facts.declaration !== 'malformed');
  return {
    report: {
      ...report,
      state: isWhole ? 'present' : 'malformed',
      problem: isWhole ? null : 'entry-malformed',
    },
    servers,
  };
}

function without(
  report: SourceReport,
  outcome: { readonly state: SourceReport['state']; readonly problem: SourceProblem | null },
): InventoriedSource {
  return { report: { ...report, state: outcome.state, problem: outcome.problem }, servers: [] };
}

function blankReport(profile: ClientProfile, row: SourceRow, path: string | null): SourceReport {
  return {
    id: `${profile.id}:${row.origin}`,
    client: profile.id,
    origin: row.origin,
    scope: row.scope,
    path,
    format: row.format,
    parser: row.parser,
    container: containerLabel(row.container),
    containerState: 'unknown',
    // Not read until something was read.
    state: 'unreadable',
    problem: null,
    serverCount: 0,
    uninterpretedRootFields: 'unknown',
    fact: row.fact,
  };
}
