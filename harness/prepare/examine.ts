import npa from 'npm-package-arg';
import type { SealedBase } from './base-source.ts';
import type { ContextBlock } from './context-document.ts';
import { PrepareError } from './errors.ts';
import { type PackageManifest, readManifestFiles } from './manifest-files.ts';
import type { AuditOutcome, PreparePorts, UnsafeFinding } from './prepare-options.ts';
import type { LocalPackage } from './resolve.ts';
import type { SealedArchive } from './seal.ts';

/** What was found in the archives that were handed in. */
export interface Examination<Audit extends AuditOutcome> {
  readonly audit: Audit;
  /** Null when the candidate's manifest cannot be read. */
  readonly manifest: PackageManifest | null;
  /** Empty when blocked by one of them. */
  readonly siblings: readonly LocalPackage[];
  readonly blocked: ContextBlock | null;
}

export interface SealedInputs {
  readonly candidate: SealedArchive;
  readonly siblings: readonly SealedArchive[];
  readonly base: SealedBase;
}

/**
 * Audits the sealed archives, then reads their manifests in memory. An unsafe archive blocks the context:
 * nothing later touches it.
 *
 * @throws {PrepareError} SIBLING_UNREADABLE, SIBLING_DUPLICATE
 */
export async function examine<Audit extends AuditOutcome>(
  inputs: SealedInputs,
  ports: Pick<PreparePorts<Audit>, 'audit'>,
): Promise<Examination<Audit>> {
  const { candidate } = inputs;
  const declared = candidate.source.kind === 'registry' ? candidate.source : null;
  const audit = await ports.audit(candidate.bytes, declared);
  const read = await readCandidate(candidate);
  const manifest = 'manifest' in read ? read.manifest : null;
  const base = { audit, manifest, siblings: [] };
  const unsafe = audit.unsafe[0];
  if (unsafe !== undefined) return { ...base, blocked: toBlock(unsafe, audit.unsafe.length) };
  if ('block' in read) return { ...base, blocked: read.block };
  if (
    declared !== null &&
    (declared.name !== read.manifest.name || declared.version !== read.manifest.version)
  ) {
    return { ...base, blocked: renamed(declared, read.manifest) };
  }
  const siblings: LocalPackage[] = [];
  for (const sibling of inputs.siblings) {
    const found = await ports.audit(sibling.bytes, null);
    const first = found.unsafe[0];
    if (first !== undefined) return { ...base, blocked: siblingBlock(sibling, first) };
    siblings.push(await readSibling(sibling));
  }
  requireDistinct([read.manifest, ...siblings.map((item) => item.manifest)]);
  return { audit, manifest, siblings, blocked: null };
}

async function readCandidate(
  candidate: SealedArchive,
): Promise<{ readonly manifest: PackageManifest } | { readonly block: ContextBlock }> {
  try {
    const manifest = await readManifestFiles(candidate.bytes, 'candidate.tgz');
    if (isRegistryName(manifest.name)) return { manifest };
    return { block: blockOf('TREE_INVALID', 'package.json', 'a package name', manifest.name) };
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    return { block: blockOf(error.code, error.where, error.expected ?? '', error.actual ?? '') };
  }
}

/** A name that npm would not take as something else, such as a path or an address. */
function isRegistryName(name: string): boolean {
  try {
    const spec = npa.resolve(name, '1.0.0');
    return spec.registry === true && spec.name === name;
  } catch {
    return false;
  }
}

async function readSibling(sibling: SealedArchive): Promise<LocalPackage> {
  const where = nameOf(sibling);
  try {
    const manifest = await readManifestFiles(sibling.bytes, where);
    return { manifest, integrity: sibling.digest.integrity };
  } catch (error) {
    throw new PrepareError('usage', 'SIBLING_UNREADABLE', 'sibling', {
      where,
      expected: 'a packed package',
      actual: error instanceof PrepareError ? (error.actual ?? error.code) : 'something else',
      cause: error,
    });
  }
}

function requireDistinct(manifests: readonly PackageManifest[]): void {
  const seen = new Set<string>();
  for (const { name, version } of manifests) {
    const label = `${name}@${version}`;
    if (seen.has(label)) {
      throw new PrepareError('usage', 'SIBLING_DUPLICATE', 'sibling', {
        where: label,
        expected: 'each package once',
        actual: 'two archives',
      });
    }
    seen.add(label);
  }
}

function nameOf(archive: SealedArchive): string {
  return archive.source.kind === 'file' ? archive.source.fileName : archive.source.name;
}

function toBlock(first: UnsafeFinding, total: number): ContextBlock {
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  return blockOf(first.code, first.path, first.expected, `${first.actual}${more}`);
}

function siblingBlock(sibling: SealedArchive, first: UnsafeFinding): ContextBlock {
  return blockOf('SIBLING_UNSAFE', nameOf(sibling), first.expected, `${first.code} ${first.actual}`);
}

function renamed(
  declared: { readonly name: string; readonly version: string },
  manifest: PackageManifest,
): ContextBlock {
  const expected = `${declared.name}@${declared.version}`;
  return blockOf('CANDIDATE_RENAMED', 'package.json', expected, `${manifest.name}@${manifest.version}`);
}

function blockOf(code: string, where: string, expected: string, actual: string): ContextBlock {
  return { stage: 'audit', code, where, expected, actual };
}
