import { sha256Hex } from '../document/digest.ts';
import { packageName, parseLock } from '../image/lock-file.ts';
import { type PlatformBase, readPlatformBase } from '../prepare/base-lock.ts';
import {
  CONTEXT_FORMAT_VERSION,
  type ContextBase,
  type ContextBasePackage,
  type ContextCandidate,
  type ContextDependency,
  type ContextDocument,
  type ContextFile,
  type ContextPackage,
  type ContextSuiteArchive,
} from '../prepare/context-document.ts';
import { ContextDraft } from '../prepare/context-folder.ts';
import { type PreparedContext, readContext } from '../prepare/read-context.ts';
import { sourcePath, suitePath } from '../prepare/suite-path.ts';
import { type ArchiveSources, gatherArchives } from './archives.ts';
import { ReplayError } from './errors.ts';
import type { RecordedArchive, RecordedRun } from './recorded-run.ts';

/**
 * Makes the context of a recorded run anew at `out`, an absolute path that is absent, from the bundle and the
 * pinned archives alone. It passes the reader that every context passes.
 *
 * @throws {ReplayError} ARCHIVE_MISSING, BASE_UNKNOWN, EVIDENCE_UNREADABLE; {PrepareError} of the reader
 */
export async function rebuildContext(
  run: RecordedRun,
  sources: ArchiveSources,
  out: string,
): Promise<PreparedContext> {
  const draft = await ContextDraft.begin(out);
  try {
    await gatherArchives(run.archives, sources, draft.archivesFolder);
    const files = await writeFiles(draft, run);
    await draft.writeDocument(toDocument(run, files));
    return await readContext(await draft.finish());
  } finally {
    await draft.discard();
  }
}

async function writeFiles(draft: ContextDraft, run: RecordedRun): Promise<readonly ContextFile[]> {
  const contents = [
    { path: 'audit.json', bytes: run.audit },
    { path: 'package-lock.json', bytes: run.packageLock },
    ...run.suites.flatMap(({ id, bytes, sources }) => [
      { path: suitePath(id), bytes },
      ...sources.map((source) => ({ path: sourcePath(id, source.path), bytes: source.bytes })),
    ]),
  ].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const files: ContextFile[] = [];
  for (const content of contents) files.push(await draft.write(content));
  return files;
}

/** The `context.json` that the run had, as far as an image and a run depend on it. */
export function toDocument(run: RecordedRun, files: readonly ContextFile[]): ContextDocument {
  const { report } = run;
  const dependencies = toDependencies(run);
  const base = readPlatformBase(report.platform);
  return {
    formatVersion: CONTEXT_FORMAT_VERSION,
    platform: report.platform,
    candidate: toHandedIn(only(run, 'candidate')),
    siblings: ofRole(run, 'sibling').map(toHandedIn),
    npm: toPackage(only(run, 'npm')),
    nodes: report.nodeVersions,
    runtimes: report.nodeVersions.map((version) => toPackage(runtimeOf(run, version))),
    base: toBase(run, base),
    installer: null,
    suiteArchives: toSuiteArchives(run),
    dependencies,
    installScripts: [],
    withScripts: report.scripts === 'on',
    resolvedAt: report.startedAt,
    suites: run.suites.map(({ id, bytes }) => ({ id, sha256: sha256Hex(bytes) })),
    blocked: null,
    files,
  };
}

function ofRole(run: RecordedRun, role: string): readonly RecordedArchive[] {
  return run.archives.filter((archive) => archive.role === role);
}

function only(run: RecordedRun, role: string): RecordedArchive {
  const [archive, ...more] = ofRole(run, role);
  if (archive !== undefined && more.length === 0) return archive;
  throw unreadable(`archives of role ${role}`, 'one', `${more.length + (archive === undefined ? 0 : 1)}`);
}

function runtimeOf(run: RecordedRun, version: string): RecordedArchive {
  const found = ofRole(run, 'runtime').find(({ name }) => splitName(name).version === version);
  if (found !== undefined) return found;
  throw unreadable('archives of role runtime', version, 'none');
}

function toArchive({ sha256, sha512, sizeBytes, name }: RecordedArchive): {
  readonly sha256: string;
  readonly integrity: string;
  readonly sizeBytes: number;
} {
  if (sha512 === null) throw unreadable(name, 'a sha512', 'none');
  return { sha256, integrity: toIntegrity(sha512), sizeBytes };
}

function toIntegrity(sha512: string): string {
  return `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
}

function toPackage(archive: RecordedArchive): ContextPackage {
  return { ...toArchive(archive), ...splitName(archive.name) };
}

function toHandedIn(archive: RecordedArchive): ContextCandidate {
  const { name, version } = splitName(archive.name);
  const fileName = `${archive.sha256}.tgz`;
  return { ...toArchive(archive), name, version, source: { kind: 'file', fileName } };
}

/** `@scope/name@1.2.3`: the version follows the last `@`. */
function splitName(text: string): { readonly name: string; readonly version: string } {
  const at = text.lastIndexOf('@');
  if (at < 1) throw unreadable(text, 'name@version', text);
  return { name: text.slice(0, at), version: text.slice(at + 1) };
}

/**
 * The manifest names a dependency's archive by its path in the tree and leaves out those that are the
 * candidate's own archive; the lock has them all.
 */
function toDependencies(run: RecordedRun): readonly ContextDependency[] {
  const byPath = new Map(ofRole(run, 'dependency').map((archive) => [archive.name, archive]));
  const candidate = only(run, 'candidate');
  const ownPath = `node_modules/${run.report.candidate.name}`;
  const ownIntegrity = candidate.sha512 === null ? null : toIntegrity(candidate.sha512);
  return parseLock(run.packageLock).packages.flatMap(({ path, version, integrity }) => {
    const isOwn = path === ownPath || (integrity !== null && integrity === ownIntegrity);
    const archive = byPath.get(path) ?? (isOwn ? candidate : undefined);
    if (archive === undefined) return [];
    return [{ ...toArchive(archive), path, name: packageName(path), version, installScript: false }];
  });
}

/** The manifest has the bytes, the suites how they are laid. */
function toSuiteArchives(run: RecordedRun): readonly ContextSuiteArchive[] {
  const declared = run.suites.flatMap(({ suite }) => suite.archives);
  return ofRole(run, 'suite').map((archive) => {
    const said = declared.find(({ name, sha256 }) => name === archive.name && sha256 === archive.sha256);
    if (said === undefined)
      throw unreadable(archive.name, 'an archive that a suite declares', archive.sha256);
    const { name, unpack, strip } = said;
    return { ...toArchive(archive), name, unpack, strip };
  });
}

/** A base that somebody brought is named by its kind and digest; the others are Debian packages. */
const BROUGHT = /^(?:rootfs|image:(.+))@sha256:([0-9a-f]{64})$/u;

function toBase(run: RecordedRun, { codename, release, packages }: PlatformBase): ContextBase {
  const archives = ofRole(run, 'base');
  const brought = archives.find(({ name }) => BROUGHT.test(name));
  const debian = {
    codename,
    release,
    packages: archives
      .filter((archive) => archive !== brought)
      .map((archive) => toBasePackage(archive, packages)),
  };
  if (brought === undefined) return { kind: 'debian', ...debian };
  const [, reference, digest = ''] = BROUGHT.exec(brought.name) ?? [];
  const rootfs = toArchive(brought);
  return reference === undefined
    ? { kind: 'rootfs', fileName: `${brought.sha256}.tar`, rootfs, ...debian }
    : { kind: 'image', reference, digest, rootfs, ...debian };
}

/** Which files of a Debian package go into the base is packproof's own list, found by package and version. */
function toBasePackage(archive: RecordedArchive, known: PlatformBase['packages']): ContextBasePackage {
  const { name, version } = splitName(archive.name);
  const pinned = known.find((item) => item.package === name);
  if (pinned === undefined) {
    throw new ReplayError('BASE_UNKNOWN', 'base', {
      where: archive.name,
      expected: 'a package of this packproof’s base',
      actual: 'another',
    });
  }
  const { sizeBytes, sha256, integrity } = toArchive(archive);
  return { ...pinned, version, sizeBytes, sha256, integrity, pinned: null };
}

function unreadable(where: string, expected: string, actual: string): ReplayError {
  return new ReplayError('EVIDENCE_UNREADABLE', 'inputs/manifest.json', { where, expected, actual });
}
