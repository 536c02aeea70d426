import type { NodeKind } from '../boundary/kind.ts';
import type { StoredReceipt } from '../cases/outcome.ts';
import type { ClosedList } from '../closed-list.ts';
import type { FileSource } from '../files/source.ts';
import type { FindingCode, Findings } from '../finding.ts';
import type { RecordedImage } from '../inputs/image.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { parseCanonical, readBytes } from '../read.ts';
import type { Report } from '../shape/report.ts';
import { asObject, type JsonObject } from '../shape.ts';
import { firstDifference } from './difference.ts';
import type { StatementName } from './names.ts';

const TYPE = 'https://in-toto.io/Statement/v1';

/** What the statements of a bundle must agree with. */
export interface StatementParts {
  readonly findings: Findings;
  readonly list: ClosedList;
  readonly report: Report;
  readonly receipts: readonly StoredReceipt[];
  readonly inputs: Inputs;
  readonly images: readonly RecordedImage[];
  /** Kinds of boxes whose boundary was measured. */
  readonly kinds: readonly NodeKind[];
  readonly exitCode: number;
}

/** A statement as it is read: members that it has beside ours are ignored, as in-toto asks. */
export interface ReadStatement {
  readonly path: StatementName;
  readonly statement: JsonObject;
  readonly predicate: JsonObject;
}

/** A statement of the given predicate; null with a finding when it is missing or of another form. */
export function readStatement(
  source: FileSource,
  path: StatementName,
  predicateType: string,
  findings: Findings,
): ReadStatement | null {
  const bytes = readBytes(source, path);
  if (bytes === null) {
    findings.add('REQUIRED_FILE_MISSING', path, 'a regular file', 'none');
    return null;
  }
  const parsed = parseCanonical(path, bytes);
  if (parsed.kind === 'rejected') {
    findings.addAll([parsed.finding]);
    return null;
  }
  const statement = asObject(parsed.value) ?? {};
  for (const [key, expected] of Object.entries({ _type: TYPE, predicateType })) {
    if (statement[key] === expected) continue;
    findings.add('STATEMENT_SHAPE', `${path}.${key}`, expected, JSON.stringify(statement[key]) ?? 'nothing');
  }
  return { path, statement, predicate: asObject(statement.predicate) ?? {} };
}

/** A finding unless the member is exactly the value that the bundle gives. */
export function checkMember(
  code: FindingCode,
  { path, member }: { readonly path: string; readonly member: string },
  [expected, object]: readonly [unknown, JsonObject],
  findings: Findings,
): void {
  const difference = firstDifference(expected, object[member], `${path}.${member}`);
  if (difference !== null) findings.add(code, difference.at, difference.expected, difference.actual);
}

export interface Descriptor {
  readonly name: string;
  readonly digest: { readonly sha256: string | null };
}

/** A file of the bundle, or its index, as statements name it. */
export function describeFile(list: ClosedList, name: string): Descriptor {
  const sha256 = name === 'bundle.json' ? list.indexSha256 : list.files.get(name)?.sha256;
  return { name, digest: { sha256: sha256 ?? null } };
}

/** The candidate's tarball by both digests, which were compared with the embedded archive before. */
export function candidateSubject({ candidate }: Report): readonly unknown[] {
  const { name, version, sha256, sha512 } = candidate;
  return [{ name: purl(name, version), digest: { sha256, sha512 } }];
}

export function producerOf({ harness }: Report): unknown {
  return {
    name: 'bin/SHA256SUMS',
    uri: purl('packproof', harness.version),
    digest: { sha256: harness.distSha256 },
  };
}

/** Source: package URL specification, type npm. */
export function purl(name: string, version: string): string {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:npm/${encoded}@${encodeURIComponent(version)}`;
}
