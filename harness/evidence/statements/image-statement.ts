import type { ImageRecord, InputArchive } from '../export-input.ts';
import type { RunReport } from '../report.ts';
import {
  type DescribeFile,
  type ResourceDescriptor,
  type Statement,
  toProducer,
  toPurl,
  toStatement,
} from './statement.ts';

const PROVENANCE_TYPE = 'https://slsa.dev/provenance/v1';
/** Names how an image follows from its inputs: `docs/statements.md` of the package states it. */
const BUILD_TYPE = 'pkg:npm/packproof#image-build/v1';
const LOCK = 'inputs/package-lock.json';

export interface ImageStatementInput {
  readonly report: RunReport;
  readonly archives: readonly InputArchive[];
  readonly packageLock: Uint8Array | null;
  /** With the folder of the bundle in which each one is recorded. */
  readonly images: readonly (ImageRecord & { readonly folder: string })[];
  readonly describe: DescribeFile;
}

/**
 * How the images came to be, as SLSA provenance v1: config and layers as subjects, every pinned archive as a
 * resolved dependency, the bundle and the lists of files as by-products. Null when there was no image.
 *
 * Times are those of the run, of which building the images is a part.
 */
export function buildImageStatement(input: ImageStatementInput): Statement | null {
  const { report, images, describe } = input;
  if (images.length === 0) return null;
  return toStatement({
    subject: images.flatMap(toSubjects),
    predicateType: PROVENANCE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {
          candidate: toPurl(report.candidate.name, report.candidate.version),
          platform: report.platform,
          nodeVersions: report.nodeVersions,
          npmVersion: report.npmVersion,
          scripts: report.scripts,
        },
        resolvedDependencies: [
          ...input.archives.map((archive) => toDependency(archive, input)),
          ...(input.packageLock === null ? [] : [describe(LOCK)]),
        ],
      },
      runDetails: {
        builder: {
          id: toPurl('packproof', report.harness.version),
          version: { packproof: report.harness.version },
          builderDependencies: [toProducer(report)],
        },
        metadata: {
          invocationId: report.runId,
          startedOn: report.startedAt,
          finishedOn: report.finishedAt,
        },
        byproducts: ['bundle.json', ...images.flatMap(({ folder }) => recordsIn(folder))].map(describe),
      },
    },
  });
}

function recordsIn(folder: string): readonly string[] {
  return [`${folder}/inventory.ndjson`, `${folder}/readback.json`];
}

/** Config and layers: what an image is. */
function toSubjects(image: ImageStatementInput['images'][number]): readonly ResourceDescriptor[] {
  const { folder, readback } = image;
  return [
    { name: `${folder}/config.json`, digest: { sha256: readback.configDigest } },
    ...readback.diffIds.map((sha256, index) => ({
      name: `${folder}/layers/${index + 1}`,
      digest: { sha256 },
    })),
  ];
}

function toDependency(archive: InputArchive, input: ImageStatementInput): ResourceDescriptor {
  const { role, name, sha256, sha512 } = archive;
  return {
    name,
    uri: toUri(archive, input),
    digest: sha512 === null ? { sha256 } : { sha256, sha512 },
    annotations: { role },
  };
}

/** The manifest names a dependency by its place in the tree, a suite's archive by its name, all else as `name@version`. */
function toUri({ role, name, sha256 }: InputArchive, { report, packageLock }: ImageStatementInput): string {
  if (role === 'dependency') return dependencyUri(name, packageLock);
  if (role === 'suite') return `pkg:generic/${name}?checksum=sha256:${sha256}`;
  const at = name.lastIndexOf('@');
  const [own, version] = [name.slice(0, at), name.slice(at + 1)];
  if (role !== 'base') return toPurl(own, version);
  const architecture = report.platform.slice('linux/'.length);
  const brought = BROUGHT.exec(name);
  if (brought !== null) return broughtUri(brought, architecture);
  return `pkg:deb/debian/${encodeURIComponent(own)}@${encodeURIComponent(version)}?arch=${architecture}`;
}

/** A base that is not ours: a root file system, or an image by `[host/]path[:tag]`; then its digest. */
const BROUGHT = /^(?:rootfs|image:([^@]+?)(?::([^:/@]+))?)@(sha256:[0-9a-f]{64})$/;

/** The purl types `generic` and `oci`. */
function broughtUri([, repository, tag, digest = '']: RegExpExecArray, architecture: string): string {
  if (repository === undefined) return `pkg:generic/rootfs?arch=${architecture}&checksum=${digest}`;
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  const tagged = tag === undefined ? '' : `&tag=${encodeURIComponent(tag)}`;
  const where = `repository_url=${encodeURIComponent(repository)}`;
  return `pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${architecture}&${where}${tagged}`;
}

/** An alias lies in the tree under another name than its own, which its lock entry then has. */
function dependencyUri(place: string, packageLock: Uint8Array | null): string {
  const lock: { readonly packages: Readonly<Record<string, { name?: string; version?: string }>> } =
    JSON.parse(Buffer.from(packageLock ?? '{"packages":{}}').toString('utf8'));
  const entry = Object.hasOwn(lock.packages, place) ? lock.packages[place] : undefined;
  const own = entry?.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return toPurl(own, entry?.version ?? '');
}
