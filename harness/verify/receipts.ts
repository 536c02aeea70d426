import type { Json } from './canonical.ts';
import type { ClosedList } from './closed-list.ts';
import { type Finding, toFinding } from './finding.ts';
import { exitOfRun, outcomeOfChecks } from './outcome.ts';
import { parseCanonical, readBytes } from './read.ts';
import { asList, asObject, asText, type JsonObject, keyDifference } from './shape.ts';

const RECEIPT_KEYS = [
  'formatVersion',
  'runId',
  'suite',
  'caseId',
  'node',
  'outcome',
  'reason',
  'detail',
  'checks',
  'attempts',
];
const OUTCOMES = ['pass', 'fail', 'error', 'unrun', 'excluded', 'unsupported', 'flaky'];

export interface ReceiptsResult {
  readonly findings: readonly Finding[];
  readonly exitCode: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Holds receipts, suites and report against each other: every declared case once, outcomes and counts re-derived. */
export function checkReceipts(root: string, list: ClosedList): ReceiptsResult {
  const findings: Finding[] = [];
  const open = (path: string): JsonObject | undefined => openDocument(root, path, findings);
  const report = open('report.json') ?? {};
  const audit = open('inputs/audit.json') ?? {};
  const nodes = (asList(report.nodeVersions) ?? []).flatMap((node) => asText(node) ?? []);
  const suites = [...list.files.keys()].filter((path) => /^inputs\/suites\/[^/]+\/suite\.json$/.test(path));
  const declared = suites.flatMap((path) => declaredExecutions(open(path) ?? {}, nodes));
  const receipts = new Map<string, JsonObject>();
  for (const path of list.files.keys()) {
    const match = /^cases\/([^/]+)\/receipt\.json$/.exec(path);
    if (match === null) continue;
    const receipt = open(path);
    if (receipt !== undefined) receipts.set(match[1] ?? '', receipt);
  }
  findings.push(...checkPresence(declared, receipts));
  for (const [folder, receipt] of receipts) findings.push(...checkReceipt(folder, receipt, list));
  const counts = countOutcomes(receipts.values());
  const gates = (asList(audit.findings) ?? []).map((item) => asObject(item) ?? {}).filter(isOpenGate).length;
  const exitCode = exitOfRun([...receipts.values()], {
    gateFindings: gates,
    blocked: asObject(report.blocked) !== undefined,
    interruptedBy: asText(report.interruptedBy) ?? null,
  });
  findings.push(...checkReport(report, list, { counts, exitCode }));
  return { findings, exitCode, counts };
}

function isOpenGate(finding: JsonObject): boolean {
  return finding.severity === 'gate' && (finding.waived === undefined || finding.waived === null);
}

function openDocument(root: string, path: string, findings: Finding[]): JsonObject | undefined {
  const bytes = readBytes(root, path);
  if (bytes === null) {
    findings.push(toFinding('REQUIRED_FILE_MISSING', path, 'a regular file', 'none'));
    return undefined;
  }
  const parsed = parseCanonical(path, bytes);
  if (parsed.kind === 'rejected') {
    findings.push(parsed.finding);
    return undefined;
  }
  const object = asObject(parsed.value);
  if (object === undefined) findings.push(toFinding('DOCUMENT_SHAPE', path, 'an object', 'another value'));
  else if (object.formatVersion !== 1) {
    findings.push(
      toFinding('FORMAT_UNKNOWN', `${path}.formatVersion`, '1', JSON.stringify(object.formatVersion)),
    );
  }
  return object;
}

/** Folder names of the executions that a suite declares on these Node versions. */
function declaredExecutions(suite: JsonObject, nodes: readonly string[]): readonly string[] {
  return (asList(suite.cases) ?? []).flatMap((item: Json) => {
    const declared = asObject(item);
    const id = asText(declared?.id);
    if (declared === undefined || id === undefined) return [];
    const versions = declared.node === 'each' ? nodes : nodes.slice(0, 1);
    return versions.map((node) => toFolder(`${id}@${node}`));
  });
}

/** The bundle's own encoding of a case id as a folder name. */
function toFolder(name: string): string {
  const text = [...Buffer.from(name, 'utf8')]
    .map((byte) =>
      /[a-z0-9._@-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
  return text.startsWith('.') ? `%2e${text.slice(1)}` : text;
}

function checkPresence(
  declared: readonly string[],
  receipts: ReadonlyMap<string, JsonObject>,
): readonly Finding[] {
  const wanted = new Set(declared);
  return [
    ...[...wanted]
      .filter((folder) => !receipts.has(folder))
      .map((folder) =>
        toFinding(
          'RECEIPT_MISSING',
          `cases/${folder}/receipt.json`,
          'a receipt of every declared case',
          'none',
        ),
      ),
    ...[...receipts.keys()]
      .filter((folder) => !wanted.has(folder))
      .map((folder) =>
        toFinding('RECEIPT_EXTRA', `cases/${folder}/receipt.json`, 'a declared case', 'none declares it'),
      ),
  ];
}

function checkReceipt(folder: string, receipt: JsonObject, list: ClosedList): readonly Finding[] {
  const path = `cases/${folder}/receipt.json`;
  const difference = keyDifference(receipt, RECEIPT_KEYS);
  if (difference.length > 0)
    return [toFinding('DOCUMENT_SHAPE', path, RECEIPT_KEYS.join(','), difference.join(','))];
  const findings: Finding[] = [];
  const named = toFolder(`${asText(receipt.caseId) ?? ''}@${asText(receipt.node) ?? ''}`);
  if (named !== folder) findings.push(toFinding('RECEIPT_IDENTITY', path, folder, named));
  if (receipt.runId !== list.runId)
    findings.push(toFinding('RECEIPT_IDENTITY', `${path}.runId`, list.runId, String(receipt.runId)));
  if (!OUTCOMES.includes(asText(receipt.outcome) ?? '')) {
    findings.push(
      toFinding('RECEIPT_OUTCOME', `${path}.outcome`, OUTCOMES.join('|'), String(receipt.outcome)),
    );
  }
  const derived = outcomeOfChecks(receipt);
  if (derived !== null && derived !== receipt.outcome) {
    findings.push(toFinding('RECEIPT_OUTCOME', `${path}.outcome`, derived, String(receipt.outcome)));
  }
  return [...findings, ...checkStreams(folder, receipt, list)];
}

/** Every step's kept bytes must be those of its stored file. */
function checkStreams(folder: string, receipt: JsonObject, list: ClosedList): readonly Finding[] {
  const attempts = (asList(receipt.attempts) ?? []).map((item) => asObject(item) ?? {});
  return attempts.flatMap((attempt) =>
    (asList(attempt.steps) ?? []).flatMap((item, index) => {
      const step = asObject(item) ?? {};
      return ['stdout', 'stderr'].flatMap((stream) => {
        const path = `cases/${folder}/${asText(attempt.folder) ?? ''}steps/${index + 1}-${asText(step.name) ?? ''}/${stream}`;
        const recorded = asObject(step[stream]) ?? {};
        const file = list.files.get(path);
        if (file === undefined) return [toFinding('RECEIPT_STREAM', path, 'the stored stream', 'none')];
        const same = recorded.keptSha256 === file.sha256 && recorded.keptBytes === file.sizeBytes;
        return same ? [] : [toFinding('RECEIPT_STREAM', path, String(recorded.keptSha256), file.sha256)];
      });
    }),
  );
}

function countOutcomes(receipts: Iterable<JsonObject>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
  for (const receipt of receipts) {
    const outcome = asText(receipt.outcome);
    if (outcome !== undefined && outcome in counts) counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

interface Derived {
  readonly counts: Readonly<Record<string, number>>;
  readonly exitCode: number;
}

function checkReport(report: JsonObject, list: ClosedList, derived: Derived): readonly Finding[] {
  const findings: Finding[] = [];
  if (report.runId !== list.runId)
    findings.push(toFinding('RECEIPT_IDENTITY', 'report.json.runId', list.runId, String(report.runId)));
  const stated = asObject(report.counts) ?? {};
  for (const [outcome, count] of Object.entries(derived.counts)) {
    if (stated[outcome] !== count)
      findings.push(
        toFinding('COUNTS_MISMATCH', `report.json.counts.${outcome}`, String(count), String(stated[outcome])),
      );
  }
  if (report.exitCode !== derived.exitCode) {
    findings.push(
      toFinding(
        'EXIT_CODE_MISMATCH',
        'report.json.exitCode',
        String(derived.exitCode),
        String(report.exitCode),
      ),
    );
  }
  const passed = derived.counts.pass ?? 0;
  if (report.result === 'passed' && passed === 0) {
    findings.push(toFinding('NO_CASES', 'report.json.result', 'at least one passed case behind a pass', '0'));
  }
  if ((report.result === 'passed') !== (derived.exitCode === 0)) {
    findings.push(
      toFinding(
        'EXIT_CODE_MISMATCH',
        'report.json.result',
        derived.exitCode === 0 ? 'passed' : 'failed or error',
        String(report.result),
      ),
    );
  }
  return findings;
}
