import type { Platform } from '../boundary/boundary.ts';
import {
  count,
  flag,
  integrityText,
  listOf,
  matching,
  nullable,
  oneOf,
  parseDocument,
  recordOf,
  type Shape,
  sha256Text,
  shared,
  text,
  timeText,
  unionOf,
} from '../document/shape.ts';
import type { BaseArchive } from '../image/base-lock.ts';
import type { ArchiveForm } from '../suite/archive.ts';
import { referenceText } from './base-selection.ts';
import { PrepareError } from './errors.ts';

export const CONTEXT_FORMAT_VERSION = 1;

/** An archive by its bytes. It lies at `archives/sha256/<sha256>`. */
export interface ContextArchive {
  readonly sha256: string;
  readonly integrity: string;
  readonly sizeBytes: number;
}

/** How the candidate was named on the command line; no path of the host. */
export type CandidateSource =
  | { readonly kind: 'file'; readonly fileName: string }
  | {
      readonly kind: 'registry';
      readonly name: string;
      readonly requested: string;
      readonly version: string;
    };

/** An archive that was handed in: the candidate, or a sibling beside it. */
export interface ContextCandidate extends ContextArchive {
  /** From its `package.json`; null when there is none that can be read. */
  readonly name: string | null;
  readonly version: string | null;
  readonly source: CandidateSource;
}

/** A package of a registry: npm, a runtime, or (below) one of the tree. */
export interface ContextPackage extends ContextArchive {
  readonly name: string;
  readonly version: string;
}

/** One package of the resolved tree that is installed on the platform. */
export interface ContextDependency extends ContextPackage {
  readonly path: string;
  /** npm would run something of it at install time: scripts, or an implicit `node-gyp rebuild`. */
  readonly installScript: boolean;
}

export interface ContextBasePackage extends BaseArchive {
  readonly integrity: string;
  /** What the base lock asked for, when a newer version was taken because that one is no longer served. */
  readonly pinned: { readonly version: string; readonly sha256: string } | null;
}

/** Pinned packages of Debian: packproof's own base, or what of it is laid on another one. */
export interface DebianPackages {
  readonly codename: string;
  readonly release: string;
  /** Empty when blocked before anything was fetched. */
  readonly packages: readonly ContextBasePackage[];
}

/** An archive that suites pin, and how it is laid. */
export interface ContextSuiteArchive extends ContextArchive {
  readonly name: string;
  readonly unpack: ArchiveForm;
  readonly strip: number;
}

/** What the base layer is made of. */
export type ContextBase =
  | ({ readonly kind: 'debian' } & DebianPackages)
  | ({
      readonly kind: 'rootfs';
      /** The last part of the path that was handed in. */
      readonly fileName: string;
      readonly rootfs: ContextArchive;
    } & DebianPackages)
  | ({
      readonly kind: 'image';
      /** `registry/name:tag`, as it was handed in, without the digest. */
      readonly reference: string;
      /** sha256 of the image's manifest, as registries name it. */
      readonly digest: string;
      /** The image's files in the one form that they always have. */
      readonly rootfs: ContextArchive;
    } & DebianPackages);

export interface ContextInstaller {
  readonly platform: Platform;
  readonly runtime: ContextPackage;
  readonly base: readonly ContextBasePackage[];
}

/** Why nothing can be run: every case of a run of this context is `unrun`. */
export interface ContextBlock {
  readonly stage: 'audit' | 'resolve' | 'install';
  readonly code: string;
  readonly where: string;
  readonly expected: string;
  readonly actual: string;
}

/** A file of the context beside the archives. */
export interface ContextFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** `context.json`. */
export interface ContextDocument {
  readonly formatVersion: typeof CONTEXT_FORMAT_VERSION;
  readonly platform: Platform;
  readonly candidate: ContextCandidate;
  readonly siblings: readonly ContextCandidate[];
  /** Null when blocked before anything was fetched. */
  readonly npm: ContextPackage | null;
  /** Versions of the run, in the order asked for; the first is the one that `node: first` cases use. */
  readonly nodes: readonly string[];
  /** One for each of `nodes`, in that order; empty when blocked before anything was fetched. */
  readonly runtimes: readonly ContextPackage[];
  readonly base: ContextBase;
  /** What npm runs on where `platform` could not run when the context was made; null where it could. */
  readonly installer: ContextInstaller | null;
  /** Archives that cases of the suites run, by name; empty when blocked before anything was fetched. */
  readonly suiteArchives: readonly ContextSuiteArchive[];
  /** By path. Empty when blocked before the tree was resolved. */
  readonly dependencies: readonly ContextDependency[];
  /** Paths in the tree, candidate included, that npm would run something of. */
  readonly installScripts: readonly string[];
  readonly withScripts: boolean;
  /** When the tree was resolved, which may be long before this context; null when it was not. */
  readonly resolvedAt: string | null;
  readonly suites: readonly { readonly id: string; readonly sha256: string }[];
  readonly blocked: ContextBlock | null;
  /** Every file of the folder but `context.json` and the archives, in byte order of path. */
  readonly files: readonly ContextFile[];
}

const name = matching(/^(?:@[^/@\s]+\/)?[^/@\s]+$/u);
const archiveFields = { sha256: sha256Text, integrity: integrityText, sizeBytes: count };
const packageFields = { ...archiveFields, name, version: text };
const relativePath = matching(/^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\u0000\\]+$/u);

const basePackageFields: Shape<ContextBasePackage> = recordOf<ContextBasePackage>({
  package: text,
  version: text,
  architecture: text,
  archive: oneOf('debian', 'debian-security'),
  poolPath: relativePath,
  sizeBytes: count,
  sha256: sha256Text,
  integrity: integrityText,
  include: listOf(recordOf<BaseArchive['include'][number]>({ from: relativePath, to: relativePath })),
  pinned: nullable(
    recordOf<{ readonly version: string; readonly sha256: string }>({ version: text, sha256: sha256Text }),
  ),
});

const basePackage = shared('basePackage', basePackageFields);
const registryPackage = shared('package', recordOf<ContextPackage>(packageFields));
const archive = shared('archive', recordOf<ContextArchive>(archiveFields));
const debianFields = { codename: text, release: text, packages: listOf(basePackage) };
const base: Shape<ContextBase> = unionOf<ContextBase>({
  debian: recordOf<Extract<ContextBase, { kind: 'debian' }>>({ kind: oneOf('debian'), ...debianFields }),
  rootfs: recordOf<Extract<ContextBase, { kind: 'rootfs' }>>({
    kind: oneOf('rootfs'),
    fileName: text,
    rootfs: archive,
    ...debianFields,
  }),
  image: recordOf<Extract<ContextBase, { kind: 'image' }>>({
    kind: oneOf('image'),
    reference: referenceText,
    digest: sha256Text,
    rootfs: archive,
    ...debianFields,
  }),
});

const handedIn: Shape<ContextCandidate> = recordOf<ContextCandidate>({
  ...archiveFields,
  name: nullable(text),
  version: nullable(text),
  source: unionOf<CandidateSource>({
    file: recordOf<Extract<CandidateSource, { kind: 'file' }>>({ kind: oneOf('file'), fileName: text }),
    registry: recordOf<Extract<CandidateSource, { kind: 'registry' }>>({
      kind: oneOf('registry'),
      name,
      requested: text,
      version: text,
    }),
  }),
});

/** `context.json`. */
export const contextShape: Shape<ContextDocument> = recordOf<ContextDocument>({
  formatVersion: oneOf(CONTEXT_FORMAT_VERSION),
  platform: oneOf('linux/amd64', 'linux/arm64'),
  candidate: shared('handedIn', handedIn),
  siblings: listOf(shared('handedIn', handedIn)),
  npm: nullable(registryPackage),
  nodes: listOf(matching(/^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$/u)),
  runtimes: listOf(registryPackage),
  base,
  installer: nullable(
    recordOf<ContextInstaller>({
      platform: oneOf('linux/amd64', 'linux/arm64'),
      runtime: registryPackage,
      base: listOf(basePackage),
    }),
  ),
  suiteArchives: listOf(
    recordOf<ContextSuiteArchive>({
      ...archiveFields,
      name: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/u),
      unpack: oneOf('none', 'tar', 'tar.gz', 'tar.xz'),
      strip: count,
    }),
  ),
  dependencies: listOf(
    recordOf<ContextDependency>({ ...packageFields, path: relativePath, installScript: flag }),
  ),
  installScripts: listOf(relativePath),
  withScripts: flag,
  resolvedAt: nullable(timeText),
  suites: listOf(
    recordOf<{ readonly id: string; readonly sha256: string }>({ id: text, sha256: sha256Text }),
  ),
  blocked: nullable(
    recordOf<ContextBlock>({
      stage: oneOf('audit', 'resolve', 'install'),
      code: matching(/^[A-Z][A-Z0-9_]*$/u),
      where: text,
      expected: text,
      actual: text,
    }),
  ),
  files: listOf(recordOf<ContextFile>({ path: relativePath, sizeBytes: count, sha256: sha256Text })),
});

/**
 * Accepts the bytes of a `context.json`: closed fields, one byte form.
 *
 * @throws {PrepareError} CONTEXT_VERSION, CONTEXT_INVALID (with all wrong fields), CONTEXT_NOT_CANONICAL
 */
export function parseContext(bytes: Buffer): ContextDocument {
  const parsed = parseDocument(bytes, CONTEXT_FORMAT_VERSION, contextShape);
  if (parsed.kind === 'document') return parsed.value;
  const { defect } = parsed;
  switch (defect.kind) {
    case 'version':
      throw refuse('CONTEXT_VERSION', `formatVersion ${CONTEXT_FORMAT_VERSION}`, defect.actual);
    case 'fields':
      throw refuse('CONTEXT_INVALID', 'the fields of a context', defect.paths.join(', '));
    case 'form':
      throw refuse('CONTEXT_NOT_CANONICAL', 'RFC 8785 bytes', 'another form');
    default:
      return defect satisfies never;
  }
}

function refuse(
  code: 'CONTEXT_VERSION' | 'CONTEXT_INVALID' | 'CONTEXT_NOT_CANONICAL',
  expected: string,
  actual: string,
): PrepareError {
  return new PrepareError('usage', code, 'context', { where: 'context.json', expected, actual });
}
