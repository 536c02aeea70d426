import type { RunReport } from '../report.ts';

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** in-toto's ResourceDescriptor, as far as ours are: something by its digest. */
export interface ResourceDescriptor {
  readonly name: string;
  readonly uri?: string;
  readonly digest: { readonly sha256: string; readonly sha512?: string };
  readonly mediaType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A file of the bundle, or its index, as its statements name it. */
export type DescribeFile = (path: string) => ResourceDescriptor;

/** An in-toto Statement v1. Source: in-toto attestation, spec/v1/statement.md. */
export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly ResourceDescriptor[];
  readonly predicateType: string;
  readonly predicate: object;
}

export function toStatement(parts: Omit<Statement, '_type'>): Statement {
  return { _type: STATEMENT_TYPE, ...parts };
}

/** The candidate's tarball, by both digests: npm's tools ask for sha512, others for sha256. */
export function toCandidate({ candidate }: RunReport): ResourceDescriptor {
  const { name, version, sha256, sha512 } = candidate;
  return { name: toPurl(name, version), digest: { sha256, sha512 } };
}

/** The package URL of an npm package; a scope is a namespace, its `@` percent-encoded (purl spec, npm type). */
export function toPurl(name: string, version: string): string {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:npm/${encoded}@${encodeURIComponent(version)}`;
}

/** The packproof that made the evidence; `bin/SHA256SUMS` of its package lists every program file. */
export function toProducer({ harness }: RunReport): ResourceDescriptor {
  return {
    name: 'bin/SHA256SUMS',
    uri: toPurl('packproof', harness.version),
    digest: { sha256: harness.distSha256 },
  };
}
