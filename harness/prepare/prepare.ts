import { Fault } from '../document/fault.ts';
import type { ExportImage } from './base-selection.ts';
import { sealBase } from './base-source.ts';
import type { ContextBlock, ContextDocument } from './context-document.ts';
import { ContextDraft } from './context-folder.ts';
import { type Examination, examine, type SealedInputs } from './examine.ts';
import type { LockDifference } from './lock.ts';
import { checkLock, keepLock } from './lock-state.ts';
import type { AuditOutcome, PreparedImage, PrepareOptions, PreparePorts } from './prepare-options.ts';
import { reportStage } from './progress.ts';
import { type PreparedContext, readContext } from './read-context.ts';
import type { PackageReference } from './registry.ts';
import {
  enginesOf,
  lockTable,
  parseNodeList,
  readNodeTable,
  runtimePackage,
  selectRuntimes,
} from './runtime.ts';
import { listRuntimes } from './runtime-list.ts';
import { type SealedArchive, sealArchive } from './seal.ts';
import { fetchSuiteArchives } from './suite-archives.ts';
import { type Supply, supply } from './supply.ts';
import { openWorkshop, type Workshop } from './workshop.ts';
import { compileSuites, writeContext } from './write-context.ts';

/** A context, and what its making had to say. */
export interface PrepareResult extends PreparedContext {
  /** What the lock pinned otherwise; empty with a lock that holds, or none. */
  readonly lockDifferences: readonly LockDifference[];
  /** One for each Node version; empty when nothing was installed. */
  readonly images: readonly PreparedImage[];
  /** Whether `packproof.lock.json` was written. */
  readonly lockWritten: boolean;
}

/**
 * Makes a context of a candidate: seal, audit, resolve, fetch, install, write.
 *
 * Nothing of the candidate is run on the host. A candidate that is unsafe, or whose tree cannot be resolved
 * or installed, gives a context too, with the reason in `blocked`. A second call with the same bytes asks
 * nobody, unless `refresh` is set. On any throw nothing is left at `out`.
 * @throws {PrepareError} for usage and infrastructure; what the ports throw passes through
 */
export async function prepareContext<Audit extends AuditOutcome>(
  options: PrepareOptions,
  ports: PreparePorts<Audit>,
): Promise<PrepareResult> {
  const draft = await ContextDraft.begin(options.out, ports.announce);
  try {
    const workshop = await openWorkshop(options, draft, ports.report);
    reportStage(ports.report, 'seal', options.candidate);
    const inputs = await sealInputs(workshop, ports.exportImage);
    reportStage(ports.report, 'audit', options.candidate);
    const found = await examine(inputs, ports);
    const chosen = await selectNodes(workshop, found);
    const nodes = chosen.map(({ version }) => version);
    const { audit, manifest } = found;
    const suites = await compileSuites(ports, { audit, manifest, nodes, platform: options.platform });
    const supplied = await supplyUnlessBlocked(workshop, { inputs, found, chosen });
    const suiteArchives = isGoingOn(supplied) ? await fetchSuiteArchives(workshop, suites) : [];
    const lock = checkLock(workshop, supplied, { base: inputs.base, suiteArchives });
    await writeContext(workshop, draft, { inputs, found, nodes, supplied, suites, suiteArchives });
    reportStage(ports.report, 'write', options.out);
    // Everything is read back before anything is made of it, as a later run would.
    const { context, images } = await install(draft, ports, await readContext(draft.folder));
    const folder = await draft.finish();
    const lockWritten = await keepLock(workshop, lock);
    return { ...context, folder, images, lockDifferences: lock.differences, lockWritten };
  } finally {
    await draft.discard();
  }
}

/** Nothing of a candidate that is blocked will run, so that no archive is needed beside it. */
function isGoingOn(supplied: Supply | null): boolean {
  return supplied !== null && supplied.blocked === null;
}

async function sealInputs(workshop: Workshop, exportImage: ExportImage): Promise<SealedInputs> {
  const { options } = workshop;
  const seal = (argument: string): Promise<SealedArchive> =>
    sealArchive({ ...workshop, argument, cwd: options.cwd });
  const candidate = await seal(options.candidate);
  const siblings: SealedArchive[] = [];
  for (const argument of options.siblings) siblings.push(await seal(argument));
  return { candidate, siblings, base: await sealBase(workshop, exportImage) };
}

async function selectNodes(
  workshop: Workshop,
  found: Examination<AuditOutcome>,
): Promise<readonly PackageReference[]> {
  const { options, lock, store, registry } = workshop;
  const { platform, refresh } = options;
  const pinned = lock === null || refresh ? [] : [lockTable(lock.runtimes)];
  return selectRuntimes(parseNodeList(options.node), {
    platform,
    engines: enginesOf(found.manifest?.json ?? null),
    tables: [...pinned, readNodeTable(platform)],
    list: () => listRuntimes({ name: runtimePackage(platform), store, registry, refresh }),
  });
}

interface Selected {
  readonly inputs: SealedInputs;
  readonly found: Examination<AuditOutcome>;
  readonly chosen: readonly PackageReference[];
}

async function supplyUnlessBlocked(workshop: Workshop, selected: Selected): Promise<Supply | null> {
  const { found, inputs, chosen } = selected;
  if (found.blocked !== null || found.manifest === null) return null;
  const candidate = { manifest: found.manifest, integrity: inputs.candidate.digest.integrity };
  return supply(workshop, { candidate, siblings: found.siblings, nodes: chosen, base: inputs.base });
}

interface Installed {
  readonly context: PreparedContext;
  readonly images: readonly PreparedImage[];
}

/** Installs for every Node version; the candidate's own fault becomes `blocked`. */
async function install<Audit extends AuditOutcome>(
  draft: ContextDraft,
  ports: PreparePorts<Audit>,
  context: PreparedContext,
): Promise<Installed> {
  const images: PreparedImage[] = [];
  if (ports.install === null || context.document.blocked !== null) return { context, images };
  for (const node of context.document.nodes) {
    reportStage(ports.report, 'install', `Node ${node}`);
    try {
      images.push(await ports.install(context, node));
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'candidate') throw error;
      const document: ContextDocument = { ...context.document, blocked: installBlock(error) };
      return { context: { ...context, document, sha256: await draft.writeDocument(document) }, images: [] };
    }
  }
  return { context, images };
}

function installBlock(fault: Fault): ContextBlock {
  return {
    stage: 'install',
    code: fault.code,
    where: fault.where,
    expected: fault.expected ?? '',
    actual: fault.actual ?? '',
  };
}
