import { readAsset } from '../document/assets.ts';
import type { BaseArchiveFile } from '../image/base-layer.ts';
import type { ImageInputs, PlatformInputs } from '../image/image.ts';
import type { PinnedFile } from '../image/pinned-file.ts';
import type { ContextArchive, ContextBasePackage, ContextPackage } from './context-document.ts';
import { PrepareError } from './errors.ts';
import { archivePath, type PreparedContext } from './read-context.ts';

/**
 * What the image of one Node version is made of, as a context holds it.
 *
 * @throws {PrepareError} CONTEXT_BLOCKED; NODE_VERSION_UNKNOWN when the context has no such runtime
 */
export function toImageInputs(context: PreparedContext, nodeVersion: string): ImageInputs {
  const { document, packageLock } = context;
  const { candidate, blocked, npm, installer } = document;
  if (
    blocked !== null ||
    npm === null ||
    packageLock === null ||
    candidate.name === null ||
    candidate.version === null
  ) {
    throw new PrepareError('candidate', 'CONTEXT_BLOCKED', 'context', {
      where: blocked?.where ?? 'context.json',
      expected: blocked?.expected ?? 'a resolved tree',
      actual: blocked === null ? 'none' : `${blocked.code} ${blocked.actual}`,
    });
  }
  const runtime = findRuntime(context, nodeVersion);
  const { base } = document;
  const own = toPlatform(context, {
    platform: document.platform,
    runtime,
    rootfs: base.kind === 'debian' ? null : base.rootfs,
    base: base.packages,
  });
  return {
    ...own,
    holderSource: readAsset('harness/engine/holder/holder.pl'),
    probeSource: readAsset('harness/boundary/probe.pl'),
    npmArchive: pin(context, npm),
    candidate: { name: candidate.name, version: candidate.version, archive: pin(context, candidate) },
    packages: document.dependencies.map((item) => ({
      path: item.path,
      integrity: item.integrity,
      ...pin(context, item),
    })),
    packageLock,
    suiteArchives: document.suiteArchives.map(({ name, unpack, strip, ...archive }) => ({
      ...{ name, unpack, strip },
      ...pin(context, archive),
    })),
    withScripts: document.withScripts,
    ...(installer === null ? {} : { installer: toPlatform(context, { ...installer, rootfs: null }) }),
  };
}

function findRuntime(context: PreparedContext, version: string): ContextPackage {
  const runtime = context.document.runtimes.find((item) => item.version === version);
  if (runtime !== undefined) return runtime;
  throw new PrepareError('usage', 'NODE_VERSION_UNKNOWN', 'context', {
    where: 'runtimes',
    expected: context.document.nodes.join(', '),
    actual: version,
  });
}

interface PlatformParts {
  readonly platform: PlatformInputs['platform'];
  readonly runtime: ContextPackage;
  readonly rootfs: ContextArchive | null;
  readonly base: readonly ContextBasePackage[];
}

function toPlatform(context: PreparedContext, parts: PlatformParts): PlatformInputs {
  return {
    platform: parts.platform,
    rootfs: parts.rootfs === null ? null : pin(context, parts.rootfs),
    baseArchives: parts.base.map((item) => toBaseArchive(context, item)),
    nodeArchive: pin(context, parts.runtime),
  };
}

function toBaseArchive(context: PreparedContext, item: ContextBasePackage): BaseArchiveFile {
  const { integrity: _integrity, pinned: _pinned, ...archive } = item;
  return { archive, file: archivePath(context, item) };
}

function pin(context: PreparedContext, archive: ContextArchive): PinnedFile {
  return { file: archivePath(context, archive), sha256: archive.sha256 };
}
