import { createHash } from 'node:crypto';
import { sha256Hex } from '../document/digest.ts';
import { type OpenedArchive, openArchive, readContent } from './archive/archive.ts';
import { FileTable } from './archive/file-table.ts';
import { checkKinds } from './archive/kinds.ts';
import { checkLeaks, type ReadContent } from './archive/leaks.ts';
import { checkNames } from './archive/names.ts';
import { checkTree } from './archive/tree.ts';
import { FindingList } from './finding.ts';
import { checkClosure } from './imports/closure.ts';
import { type AuditLimits, DEFAULT_LIMITS } from './limits.ts';
import { type CheckedBin, checkBins } from './manifest/bins.ts';
import type { ManifestContext } from './manifest/context.ts';
import { checkDependencies, type Dependencies } from './manifest/dependencies.ts';
import { checkEngines } from './manifest/engines.ts';
import { checkExports } from './manifest/exports.ts';
import type { ManifestFacts } from './manifest/facts.ts';
import { checkIdentity, type ExpectedIdentity } from './manifest/identity.ts';
import { readManifest } from './manifest/read-manifest.ts';
import { checkScripts } from './manifest/scripts.ts';
import { checkShrinkwrap } from './manifest/shrinkwrap.ts';
import { isJsonObject, type JsonObject } from './manifest/strict-json.ts';
import type { AuditReport } from './report.ts';

export interface AuditOptions {
  readonly expected?: ExpectedIdentity;
  /** Exact versions of Node this run will use; empty when that is not known yet. */
  readonly nodeVersions?: readonly string[];
  readonly limits?: Partial<AuditLimits>;
  /** Host of npm's default registry; without it every https source in a shrinkwrap counts as usual. */
  readonly publicRegistry?: string;
}

/**
 * Audits the bytes of a candidate's archive: pure, in memory, without running or unpacking anything.
 *
 * Bad bytes never throw; they give findings. The same bytes and options give the same report. Every limit is
 * checked before the work it bounds.
 */
export function auditCandidate(bytes: Buffer, options: AuditOptions = {}): AuditReport {
  return auditOpened(bytes, options).report;
}

/** Like `auditCandidate`, and hands over the opened archive, so that it need not be unpacked twice. */
export function auditOpened(
  bytes: Buffer,
  options: AuditOptions = {},
): { readonly report: AuditReport; readonly archive: OpenedArchive } {
  const limits: AuditLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const findings = new FindingList();
  const archive = openArchive(bytes, limits, findings);
  checkNames(archive.entries, limits, findings);
  checkKinds(archive.entries, findings);
  checkTree(archive.entries, limits, findings);
  const isReadable = archive.complete && !findings.has('ENTRIES_TOO_MANY');
  const manifest = isReadable ? auditContent(archive, { limits, findings, options }) : null;
  return { archive, report: toReport({ bytes, archive, isReadable, manifest, findings }) };
}

interface ContentRequest {
  readonly limits: AuditLimits;
  readonly findings: FindingList;
  readonly options: AuditOptions;
}

/** Checks what is in the archive. Left out when a part is hidden: what is missing could not be told. */
function auditContent(archive: OpenedArchive, request: ContentRequest): ManifestFacts | null {
  const { limits, findings, options } = request;
  if (archive.entries.length === 0) return null;
  const read: ReadContent = (entry) => readContent(archive, entry);
  const files = new FileTable(archive.root ?? 'package', archive.entries, limits.pathDepth);
  checkLeaks(files, read, findings);
  const manifest = readManifest({ files, entries: archive.entries, read, limits }, findings);
  if (manifest === null) return null;
  const context: ManifestContext = { manifest, files, read, limits, findings };
  const identity = checkIdentity(context, options.expected ?? {});
  const bins = checkBins(context, identity.name);
  const dependencies = checkDependencies(context);
  checkClosure(context, bins.checked.flatMap(toStart), {
    name: identity.name,
    installed: new Set(listInstalled(dependencies)),
    development: new Set(listKeys(manifest, 'devDependencies')),
  });
  return {
    ...identity,
    type: toType(manifest),
    private: manifest.get('private') === true,
    bins: bins.declared,
    main: toText(manifest, 'main'),
    exports: checkExports(context),
    ...checkEngines(context, options.nodeVersions ?? []),
    ...dependencies,
    installScripts: checkScripts(context),
    hasShrinkwrap: checkShrinkwrap(context, identity, options.publicRegistry ?? null),
  };
}

/** A native program loads no scripts; a command under another interpreter may know other ways to find them. */
function toStart({
  path,
  start,
}: CheckedBin): readonly { readonly path: string; readonly certain: boolean }[] {
  return start.kind === 'native' ? [] : [{ path, certain: start.plainNode || start.kind === 'none' }];
}

function listInstalled(lists: Dependencies): readonly string[] {
  const named = [...lists.dependencies, ...lists.optionalDependencies, ...lists.peerDependencies];
  return [...named.map((dependency) => dependency.name), ...lists.bundledDependencies];
}

function listKeys(manifest: JsonObject, key: string): readonly string[] {
  const value = manifest.get(key);
  return isJsonObject(value) ? [...value.keys()] : [];
}

function toText(manifest: JsonObject, key: string): string | null {
  const value = manifest.get(key);
  return typeof value === 'string' ? value : null;
}

function toType(manifest: JsonObject): ManifestFacts['type'] {
  const type = manifest.get('type');
  return type === 'module' || type === 'commonjs' ? type : null;
}

interface ReportParts {
  readonly bytes: Buffer;
  readonly archive: OpenedArchive;
  readonly isReadable: boolean;
  readonly manifest: ManifestFacts | null;
  readonly findings: FindingList;
}

function toReport({ bytes, archive, isReadable, manifest, findings }: ReportParts): AuditReport {
  return {
    formatVersion: 1,
    candidate: {
      name: manifest?.name ?? null,
      version: manifest?.version ?? null,
      sha256: sha256Hex(bytes),
      sha512: createHash('sha512').update(bytes).digest('hex'),
      sizeBytes: bytes.length,
    },
    entries: archive.entries.length,
    unpackedBytes: archive.tar.length,
    root: archive.root,
    complete: isReadable,
    manifest,
    findings: findings.sorted(),
    omitted: findings.omitted(),
    waivers: [],
  };
}
