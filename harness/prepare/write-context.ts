import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import type { FetchedBase } from './base.ts';
import {
  CONTEXT_FORMAT_VERSION,
  type ContextBasePackage,
  type ContextCandidate,
  type ContextDocument,
  type ContextFile,
  type ContextInstaller,
  type ContextSuiteArchive,
} from './context-document.ts';
import type { ContextContent, ContextDraft } from './context-folder.ts';
import { PrepareError } from './errors.ts';
import type { Examination, SealedInputs } from './examine.ts';
import { releaseOf } from './lock-state.ts';
import type { PackageManifest } from './manifest-files.ts';
import type { AuditOutcome, PreparedSuite, PreparePorts, SuiteRequest } from './prepare-options.ts';
import type { ContextSuite } from './read-context.ts';
import type { SealedArchive } from './seal.ts';
import { sourcePath, suitePath } from './suite-path.ts';
import type { Supply } from './supply.ts';
import type { Workshop } from './workshop.ts';

/** Everything that a context says. */
export interface Gathered<Audit extends AuditOutcome> {
  readonly inputs: SealedInputs;
  readonly found: Examination<Audit>;
  readonly nodes: readonly string[];
  /** Null when blocked before anything was fetched. */
  readonly supplied: Supply | null;
  readonly suites: readonly PreparedSuite[];
  /** On the shelf; empty when blocked before anything was fetched. */
  readonly suiteArchives: readonly ContextSuiteArchive[];
}

/** Writes every document of the context; the archives lie there already. */
export async function writeContext<Audit extends AuditOutcome>(
  workshop: Workshop,
  draft: ContextDraft,
  gathered: Gathered<Audit>,
): Promise<void> {
  const { found, supplied } = gathered;
  const suites = gathered.suites.map(toContextSuite);
  const contents: ContextContent[] = [
    { path: 'audit.json', bytes: toCanonicalBytes(found.audit.document) },
    ...suites.flatMap(({ id, bytes, sources }) => [
      { path: suitePath(id), bytes },
      ...sources.map((source) => ({ path: sourcePath(id, source.path), bytes: Buffer.from(source.bytes) })),
    ]),
  ];
  const packageLock = supplied?.packageLock ?? null;
  if (packageLock !== null) contents.push({ path: 'package-lock.json', bytes: packageLock });
  contents.sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
  const files: ContextFile[] = [];
  for (const content of contents) files.push(await draft.write(content));
  const document = toDocument(workshop, gathered, {
    files,
    suites: suites.map(({ id, bytes }) => ({ id, sha256: sha256Hex(bytes) })),
  });
  await draft.writeDocument(document);
}

function toDocument(
  workshop: Workshop,
  gathered: Gathered<AuditOutcome>,
  written: Pick<ContextDocument, 'files' | 'suites'>,
): ContextDocument {
  const { inputs, found, nodes, supplied } = gathered;
  const { platform, withScripts } = workshop.options;
  const dependencies = supplied?.dependencies ?? [];
  return {
    formatVersion: CONTEXT_FORMAT_VERSION,
    platform,
    candidate: describe(inputs.candidate, found.manifest),
    siblings: inputs.siblings.map((sibling, index) =>
      describe(sibling, found.siblings[index]?.manifest ?? null),
    ),
    npm: supplied?.npm ?? null,
    nodes,
    runtimes: supplied?.runtimes ?? [],
    base: { ...inputs.base, ...releaseOf(workshop), packages: (supplied?.base ?? []).map(toBasePackage) },
    installer: toInstaller(supplied),
    suiteArchives: gathered.suiteArchives,
    dependencies,
    installScripts: dependencies.filter((item) => item.installScript).map((item) => item.path),
    withScripts,
    resolvedAt: supplied?.resolvedAt ?? null,
    blocked: found.blocked ?? supplied?.blocked ?? null,
    ...written,
  };
}

function toBasePackage(item: FetchedBase): ContextBasePackage {
  return { ...item.package, integrity: item.digest.integrity, pinned: item.pinned };
}

function toInstaller(supplied: Supply | null): ContextInstaller | null {
  const installer = supplied?.installer ?? null;
  return installer === null ? null : { ...installer, base: installer.base.map(toBasePackage) };
}

function describe(archive: SealedArchive, manifest: PackageManifest | null): ContextCandidate {
  const { source, digest } = archive;
  return { name: manifest?.name ?? null, version: manifest?.version ?? null, source, ...digest };
}

/** Also the folder name in the context. */
const SUITE_ID = /^[a-z0-9][a-z0-9._-]{0,119}$/u;

/** @throws {PrepareError} SUITE_ID_INVALID */
export async function compileSuites<Audit extends AuditOutcome>(
  ports: PreparePorts<Audit>,
  request: SuiteRequest<Audit>,
): Promise<readonly PreparedSuite[]> {
  const suites = await ports.suites(request);
  const seen = new Set<string>();
  for (const { suite } of suites) {
    if (!SUITE_ID.test(suite.id) || seen.has(suite.id)) {
      throw new PrepareError('usage', 'SUITE_ID_INVALID', 'suite', {
        where: suite.id,
        expected: 'an id of a-z, 0-9, dot, dash and underscore, used once',
        actual: seen.has(suite.id) ? 'a second suite of this id' : suite.id,
      });
    }
    seen.add(suite.id);
  }
  return suites;
}

function toContextSuite({ suite, sources }: PreparedSuite): ContextSuite {
  return { id: suite.id, bytes: toCanonicalBytes(suite), sources };
}
