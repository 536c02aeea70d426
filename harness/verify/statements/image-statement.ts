import type { FileSource } from '../files/source.ts';
import type { Manifest } from '../shape/inputs.ts';
import { asObject } from '../shape.ts';
import {
  checkMember,
  describeFile,
  producerOf,
  purl,
  readStatement,
  type StatementParts,
} from './statement.ts';

const PATH = 'statement-image.json';
const PROVENANCE = 'https://slsa.dev/provenance/v1';
const BUILD_TYPE = 'pkg:npm/packproof#image-build/v1';
const LOCK = 'inputs/package-lock.json';

/** The images' statement names config and layers of each, every input archive, and who built when. */
export function checkImageStatement(source: FileSource, parts: StatementParts): void {
  const { findings } = parts;
  const read = readStatement(source, PATH, PROVENANCE, findings);
  if (read === null) return;
  const { statement, predicate } = read;
  checkMember(
    'STATEMENT_SUBJECT',
    { path: PATH, member: 'subject' },
    [subjectsOf(parts), statement],
    findings,
  );
  const definition = asObject(predicate.buildDefinition) ?? {};
  const at = `${PATH}.predicate.buildDefinition`;
  for (const [member, expected] of Object.entries(definitionOf(parts))) {
    checkMember('STATEMENT_BUILD', { path: at, member }, [expected, definition], findings);
  }
  checkRunDetails(asObject(predicate.runDetails) ?? {}, parts);
}

function subjectsOf({ images, list }: StatementParts): readonly unknown[] {
  return images.flatMap(({ folder, diffIds }) => [
    describeFile(list, `${folder}/config.json`),
    ...diffIds.map((sha256, index) => ({ name: `${folder}/layers/${index + 1}`, digest: { sha256 } })),
  ]);
}

/** Every member in full: a parameter that is not known here would be an image that is built in another way. */
function definitionOf({ report, inputs, list }: StatementParts): Readonly<Record<string, unknown>> {
  const { candidate, platform, nodeVersions, npmVersion, scripts } = report;
  return {
    buildType: BUILD_TYPE,
    externalParameters: {
      candidate: purl(candidate.name, candidate.version),
      platform,
      nodeVersions,
      npmVersion,
      scripts,
    },
    resolvedDependencies: [
      ...inputs.manifest.archives.map((archive) => dependencyOf(archive, { inputs, platform })),
      ...(list.files.has(LOCK) ? [describeFile(list, LOCK)] : []),
    ],
  };
}

function dependencyOf(
  archive: Manifest['archives'][number],
  { inputs, platform }: Pick<StatementParts, 'inputs'> & { readonly platform: string },
): unknown {
  const { role, name, sha256, sha512 } = archive;
  return {
    name,
    uri: uriOf({ role, name, sha256 }, inputs, platform),
    digest: sha512 === null ? { sha256 } : { sha256, sha512 },
    annotations: { role },
  };
}

function uriOf(
  { role, name, sha256 }: { readonly role: string; readonly name: string; readonly sha256: string },
  { lock }: StatementParts['inputs'],
  platform: string,
): string {
  if (role === 'dependency') {
    const entry = lock !== null && Object.hasOwn(lock, name) ? lock[name] : undefined;
    // The last part of a place in the tree, unless an alias laid another package there.
    const [, last = ''] = /^.*node_modules\/(.+)$/s.exec(name) ?? [];
    return purl(entry?.name ?? last, entry?.version ?? '');
  }
  // What a suite pins is known by its bytes alone.
  if (role === 'suite') return `pkg:generic/${name}?checksum=sha256:${sha256}`;
  const [, own = '', version = ''] = /^(.*)@([^@]*)$/s.exec(name) ?? [];
  if (role !== 'base') return purl(own, version);
  const [, architecture = ''] = platform.split('/');
  if (version.startsWith('sha256:') && /^(rootfs$|image:)/.test(own))
    return broughtPurl(own, version, architecture);
  return `pkg:deb/debian/${encodeURIComponent(own)}@${encodeURIComponent(version)}?arch=${architecture}`;
}

/** A base that somebody brought: a root file system, or an image of a registry. */
function broughtPurl(own: string, digest: string, architecture: string): string {
  if (own === 'rootfs') return `pkg:generic/rootfs?arch=${architecture}&checksum=${digest}`;
  const [, path = ''] = /^image:(.*)$/.exec(own) ?? [];
  // A colon before the last slash belongs to the port of a host.
  const [, last = ''] = /([^/]*)$/.exec(path) ?? [];
  const [name = '', tag] = last.split(':');
  const repository = tag === undefined ? path : path.slice(0, -tag.length - 1);
  const qualifiers = [
    `arch=${architecture}`,
    `repository_url=${encodeURIComponent(repository)}`,
    ...(tag === undefined ? [] : [`tag=${encodeURIComponent(tag)}`]),
  ];
  return `pkg:oci/${name}@${encodeURIComponent(digest)}?${qualifiers.join('&')}`;
}

function checkRunDetails(details: NonNullable<ReturnType<typeof asObject>>, parts: StatementParts): void {
  const { report, images, list, findings } = parts;
  const { harness, runId, startedAt, finishedAt } = report;
  const at = `${PATH}.predicate.runDetails`;
  const builder = {
    id: purl('packproof', harness.version),
    version: { packproof: harness.version },
    builderDependencies: [producerOf(report)],
  };
  const metadata = { invocationId: runId, startedOn: startedAt, finishedOn: finishedAt };
  const records = images.flatMap(({ folder }) => [`${folder}/inventory.ndjson`, `${folder}/readback.json`]);
  const byproducts = ['bundle.json', ...records].map((path) => describeFile(list, path));
  checkMember('STATEMENT_BUILD', { path: at, member: 'builder' }, [builder, details], findings);
  checkMember('STATEMENT_BUILD', { path: at, member: 'metadata' }, [metadata, details], findings);
  checkMember('STATEMENT_BINDING', { path: at, member: 'byproducts' }, [byproducts, details], findings);
}
