import { createReadStream, realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { CompiledArchive } from '../suite/archive.ts';
import { neededArchives } from '../suite/archives.ts';
import type { ContextSuiteArchive } from './context-document.ts';
import { hashFile } from './disk.ts';
import { type PrepareCode, PrepareError } from './errors.ts';
import { fetchPackage } from './fetch.ts';
import type { ArchiveDigest } from './integrity.ts';
import type { PreparedSuite } from './prepare-options.ts';
import { reportStage } from './progress.ts';
import { findPublished } from './published.ts';
import type { Workshop } from './workshop.ts';

/** An archive with the suites that declare it, for messages, and where their files lie. */
interface WantedArchive {
  readonly suiteId: string;
  readonly folder: string | null;
  readonly archive: CompiledArchive;
}

/**
 * Puts the archives that the suites need on the shelf, each once, by name. Bytes are streamed: an archive may have
 * gigabytes.
 *
 * @throws {PrepareError} SUITE_ARCHIVE_CONFLICT, SUITE_ARCHIVE_MISSING, SUITE_ARCHIVE_SIZE, SUITE_ARCHIVE_DIGEST,
 * kind `usage`: the pin is the suite's; those of fetching
 */
export async function fetchSuiteArchives(
  workshop: Workshop,
  suites: readonly PreparedSuite[],
): Promise<readonly ContextSuiteArchive[]> {
  const found: ContextSuiteArchive[] = [];
  for (const wanted of listWanted(suites)) {
    const { name, unpack, strip } = wanted.archive;
    reportStage(workshop.report, 'fetch', `archive ${name}`);
    const digest = await fetchArchive(workshop, wanted);
    if (digest.sizeBytes !== wanted.archive.sizeBytes) throw wrongSize(wanted, digest.sizeBytes);
    found.push({ name, ...digest, unpack, strip });
  }
  return found;
}

/** The archives that suites need, by name; two of one name must be the same, because both would lie at one place. */
function listWanted(suites: readonly PreparedSuite[]): readonly WantedArchive[] {
  const byName = new Map<string, WantedArchive>();
  for (const { suite, folder } of suites) {
    for (const archive of neededArchives(suite)) {
      const known = byName.get(archive.name);
      const wanted = { suiteId: suite.id, folder, archive };
      if (known !== undefined && describe(known.archive) !== describe(archive)) {
        const expected = `what suite ${known.suiteId} says: ${describe(known.archive)}`;
        throw refuse('SUITE_ARCHIVE_CONFLICT', wanted, expected, describe(archive));
      }
      // The one that can be found beside its suite is worth more than one that is only named.
      if (known === undefined || known.archive.source.kind === 'given') byName.set(archive.name, wanted);
    }
  }
  return [...byName.values()].sort((one, other) => (one.archive.name < other.archive.name ? -1 : 1));
}

function describe({ sha256, sizeBytes, unpack, strip }: CompiledArchive): string {
  return `${sha256}, ${sizeBytes} bytes, ${unpack}, strip ${strip}`;
}

async function fetchArchive(workshop: Workshop, wanted: WantedArchive): Promise<ArchiveDigest> {
  const { shelf, folder } = workshop;
  const { sha256, source } = wanted.archive;
  const expected = { sha256, label: labelOf(wanted) };
  const given = folder?.read({ sha256 }) ?? null;
  if (given !== null) return (await shelf.take(expected)) ?? (await shelf.add(given, expected));
  if (source.kind === 'file') {
    const beside = await addBeside(workshop, wanted, source.path);
    if (beside !== null) return beside;
  }
  const known = await shelf.take(expected);
  if (known !== null) return known;
  if (source.kind === 'npm' && folder === null) return fetchPublished(workshop, wanted, source);
  const places = [
    'in --archives DIR',
    'in the archive store',
    ...(source.kind === 'file' ? [source.path] : []),
  ];
  throw refuse('SUITE_ARCHIVE_MISSING', wanted, `sha256 ${sha256}, ${places.join(' or ')}`, 'none');
}

/** A file below the suite's folder; null when there is none. A link out of the folder leads nowhere. */
async function addBeside(
  { shelf }: Workshop,
  wanted: WantedArchive,
  path: string,
): Promise<ArchiveDigest | null> {
  const file = wanted.folder === null ? null : resolveBeside(wanted.folder, path);
  const digest = file === null ? null : await hashFile(file);
  if (file === null || digest === null) return null;
  const { sha256, sizeBytes } = wanted.archive;
  if (digest.sizeBytes !== sizeBytes) throw wrongSize(wanted, digest.sizeBytes);
  if (digest.sha256 !== sha256) throw refuse('SUITE_ARCHIVE_DIGEST', wanted, sha256, digest.sha256);
  const expected = { sha256, label: labelOf(wanted) };
  return (
    (await shelf.take(expected)) ??
    (await shelf.add(createReadStream(file, { highWaterMark: 1 << 20 }), expected))
  );
}

function resolveBeside(folder: string, path: string): string | null {
  try {
    const root = realpathSync(folder);
    const real = realpathSync(resolve(root, path));
    const inside = relative(root, real);
    return inside === '' || inside === '..' || inside.startsWith('../') ? null : real;
  } catch {
    return null;
  }
}

async function fetchPublished(
  workshop: Workshop,
  wanted: WantedArchive,
  source: Extract<CompiledArchive['source'], { readonly kind: 'npm' }>,
): Promise<ArchiveDigest> {
  const { registry, cacheFolder } = workshop;
  const { package: name, version } = source;
  const reference = await findPublished({ name, requested: version, registry, cacheFolder });
  const digest = await fetchPackage(reference, workshop);
  const { sha256 } = wanted.archive;
  if (digest.sha256 !== sha256) throw refuse('SUITE_ARCHIVE_DIGEST', wanted, sha256, digest.sha256);
  return digest;
}

function wrongSize(wanted: WantedArchive, sizeBytes: number): PrepareError {
  return refuse('SUITE_ARCHIVE_SIZE', wanted, `${wanted.archive.sizeBytes} bytes`, `${sizeBytes} bytes`);
}

function labelOf({ suiteId, archive }: WantedArchive): string {
  return `suite ${suiteId}, archive ${archive.name}`;
}

function refuse(code: PrepareCode, wanted: WantedArchive, expected: string, actual: string): PrepareError {
  return new PrepareError('usage', code, 'suite archive', { where: labelOf(wanted), expected, actual });
}
