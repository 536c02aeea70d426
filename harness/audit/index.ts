export { listEntries, type OpenedArchive, openArchive, readContent, readEntry } from './archive/archive.ts';
export type { ArchiveEntry, EntryKind } from './archive/entry.ts';
export { type AuditOptions, auditCandidate, auditOpened } from './audit.ts';
export { CATALOGUE, type FindingCode, isFindingCode, listFindingCodes } from './catalogue/catalogue.ts';
export type { CatalogueEntry } from './catalogue/entry.ts';
export { AuditError, type AuditErrorCode } from './errors.ts';
export type { AuditFinding, OmittedFindings, WaivedBy } from './finding.ts';
export { type AuditLimits, DEFAULT_LIMITS } from './limits.ts';
export type {
  BinFact,
  DependencyFact,
  ExportFact,
  InstallScript,
  ManifestFacts,
  PeerFact,
} from './manifest/facts.ts';
export type { ExpectedIdentity } from './manifest/identity.ts';
export { type AuditedCandidate, type AuditReport, isUnsafe, listGates } from './report.ts';
export type { Severity } from './severity.ts';
export { type AppliedWaiver, applyWaivers, parseWaivers, type Waiver } from './waivers.ts';
