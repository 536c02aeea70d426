import type { AuditFinding, OmittedFindings } from './finding.ts';
import type { ManifestFacts } from './manifest/facts.ts';
import type { AppliedWaiver } from './waiver.ts';

/** The document `audit.json`: what the bytes of a candidate's archive show, without running any of them. */
export interface AuditReport {
  readonly formatVersion: 1;
  readonly candidate: AuditedCandidate;
  /** Tar entries that describe something to be unpacked; extension headers are not counted. */
  readonly entries: number;
  readonly unpackedBytes: number;
  /** The single top folder, which is cut off at install. */
  readonly root: string | null;
  /** False when damage or a limit hid a part of the archive; checks of the content were then left out. */
  readonly complete: boolean;
  /** Null when there is no package.json that can be read. */
  readonly manifest: ManifestFacts | null;
  /** Gravest first, then by code and path. */
  readonly findings: readonly AuditFinding[];
  readonly omitted: readonly OmittedFindings[];
  readonly waivers: readonly AppliedWaiver[];
}

export interface AuditedCandidate {
  readonly name: string | null;
  readonly version: string | null;
  /** Hex, like `sha512`. */
  readonly sha256: string;
  readonly sha512: string;
  readonly sizeBytes: number;
}

/** Findings that stop the run from passing: gates that no waiver covers. */
export function listGates(report: AuditReport): readonly AuditFinding[] {
  return report.findings.filter((finding) => finding.severity === 'gate' && finding.waived === null);
}

/** Whether installing the archive is dangerous; such an archive is not installed at all. */
export function isUnsafe(report: AuditReport): boolean {
  return report.findings.some((finding) => finding.unsafe && finding.severity === 'gate');
}
