import { toSegment } from '../cases/declared.ts';
import type { StoredReceipt } from '../cases/outcome.ts';
import type { ClosedList } from '../closed-list.ts';
import { openEnvelope, parsePublicKey } from '../dsse.ts';
import type { Findings } from '../finding.ts';
import type { RecordedImage } from '../inputs/image.ts';
import { parseCanonical } from '../read.ts';
import { type Replay, replayShape } from '../shape/replay.ts';
import type { Report } from '../shape/report.ts';
import { parseShape } from '../shape/shape.ts';
import { asObject } from '../shape.ts';
import { firstDifference } from '../statements/difference.ts';

const AT = '--replay';
const PREDICATE = `${AT}.predicate`;
const STATEMENT = 'https://in-toto.io/Statement/v1';
const REPLAY = 'pkg:npm/packproof#replay/v1';

/** The bundle that must have been replayed. */
export interface ReplayedBundle {
  readonly list: ClosedList;
  readonly report: Report;
  readonly receipts: readonly StoredReceipt[];
  readonly images: readonly RecordedImage[];
  /** Digests of listed files: of merged evidence those of the shard that the images are of. */
  readonly imageFiles: ClosedList['files'];
}

/** What was given of a replay: the bytes of its document, and the keys (SPKI PEM) one of which must sign it. */
export interface GivenReplay {
  readonly bytes: Buffer | null;
  readonly keys: readonly string[];
}

/**
 * Holds an auditor's replay document against the bundle: signed by each key that is asked for, about this very
 * bundle, in agreement with it and with itself, and not `different`.
 *
 * Without a key its content is checked all the same, and nobody's word is taken for it. Returns whether an
 * auditor's key vouches for it.
 */
export function checkReplay(given: GivenReplay, bundle: ReplayedBundle, findings: Findings): boolean {
  const { bytes, keys } = given;
  if (bytes === null) {
    if (keys.length > 0) findings.add('REPLAY_MISSING', AT, 'the document of a replay', 'none');
    return false;
  }
  const before = findings.count;
  const statement = openStatement(bytes, keys, findings);
  if (statement === null) return false;
  const replay = readReplay(statement, bundle.list, findings);
  if (replay !== null) checkContent(replay, bundle, findings);
  return keys.length > 0 && findings.count === before;
}

/** The signed bytes, or, where no key is asked for, those of a document without an envelope too. */
function openStatement(bytes: Buffer, keys: readonly string[], findings: Findings): Buffer | null {
  const parsed = parseCanonical(AT, bytes);
  if (parsed.kind === 'rejected') {
    findings.addAll([parsed.finding]);
    return null;
  }
  if (asObject(parsed.value)?.['_type'] !== undefined) {
    if (keys.length === 0) return bytes;
    findings.add('REPLAY_UNSIGNED', AT, 'an envelope with a signature', 'a bare statement');
    return null;
  }
  const opened = openEnvelope(AT, bytes);
  if ('findings' in opened) {
    findings.addAll(opened.findings);
    return null;
  }
  for (const pem of keys) {
    const trusted = parsePublicKey(pem);
    if (trusted !== null && opened.isSignedBy(trusted)) continue;
    const expected = `a signature of key ${trusted?.keyId ?? 'that can be read'}`;
    findings.add('REPLAY_SIGNATURE', `${AT}.signatures[0].sig`, expected, 'another');
    return null;
  }
  return opened.payload;
}

function readReplay(bytes: Buffer, list: ClosedList, findings: Findings): Replay | null {
  const parsed = parseCanonical(`${AT} payload`, bytes);
  if (parsed.kind === 'rejected') {
    findings.addAll([parsed.finding]);
    return null;
  }
  const statement = asObject(parsed.value) ?? {};
  const head = { _type: statement['_type'], predicateType: statement['predicateType'] };
  const other = firstDifference({ _type: STATEMENT, predicateType: REPLAY }, head, AT);
  if (other !== null) {
    findings.add('REPLAY_SHAPE', other.at, other.expected, other.actual);
    return null;
  }
  const subject = [{ name: 'bundle.json', digest: { sha256: list.indexSha256 } }];
  const elsewhere = firstDifference(subject, statement['subject'], `${AT}.subject`);
  if (elsewhere !== null) {
    findings.add('REPLAY_OTHER_BUNDLE', elsewhere.at, elsewhere.expected, elsewhere.actual);
    return null;
  }
  const shaped = parseShape(replayShape, statement['predicate']);
  if ('value' in shaped) return shaped.value;
  for (const { at, expected, actual } of shaped.misfits) {
    findings.add('REPLAY_SHAPE', `${PREDICATE}${at}`, expected, actual);
  }
  return null;
}

/** Everything that it says of the bundle stands there, and its result follows from its cases. */
function checkContent(replay: Replay, bundle: ReplayedBundle, findings: Findings): void {
  const { list, report, receipts, images, imageFiles } = bundle;
  const { engine, harness } = report;
  const expected = {
    candidate: report.candidate,
    recorded: {
      runId: list.runId,
      bundleSha256: list.indexSha256,
      engine: engine === null ? null : { name: engine.name, version: engine.version },
      exitCode: report.exitCode,
      harness: { version: harness.version, distSha256: harness.distSha256 },
    },
    images: images.map(({ folder, node, diffIds }) => ({
      node,
      configDigest: imageFiles.get(`${folder}/config.json`)?.sha256,
      diffIds,
    })),
    counts: {
      identical: countOf(replay, 'identical'),
      equivalent: countOf(replay, 'equivalent'),
      different: countOf(replay, 'different'),
    },
    result: resultOf(replay),
    exitCode: resultOf(replay) === 'different' ? 1 : 0,
  };
  for (const [member, value] of Object.entries(expected)) {
    const found = firstDifference(value, Reflect.get(replay, member), `${PREDICATE}.${member}`);
    if (found !== null) findings.add('REPLAY_CONTRADICTS', found.at, found.expected, found.actual);
  }
  checkCases(replay, receipts, findings);
  if (replay.replayed.bundleSha256 === list.indexSha256) {
    const at = `${PREDICATE}.replayed.bundleSha256`;
    findings.add('REPLAY_CONTRADICTS', at, 'the bundle of a run of its own', 'the recorded one');
  }
  if (replay.result === 'different') {
    findings.add('REPLAY_DIFFERENT', `${PREDICATE}.result`, 'identical or equivalent', replay.result);
  }
}

function countOf({ cases }: Replay, result: Replay['result']): number {
  return cases.filter((one) => one.result === result).length;
}

function resultOf(replay: Replay): Replay['result'] {
  if (!replay.sameBoundary || replay.cases.length === 0 || countOf(replay, 'different') > 0)
    return 'different';
  return countOf(replay, 'equivalent') > 0 ? 'equivalent' : 'identical';
}

function checkCases({ cases }: Replay, receipts: readonly StoredReceipt[], findings: Findings): void {
  const told = new Set(cases.map(({ id }) => id));
  for (const { receipt } of receipts) {
    const id = `${receipt.caseId}@${receipt.node}`;
    if (!told.has(toSegment(id)))
      findings.add('REPLAY_CONTRADICTS', `${PREDICATE}.cases`, `the case ${id}`, 'none');
  }
  for (const [index, { result, differences }] of cases.entries()) {
    const decisive = differences.some((one) => one.decisive);
    const expected = differences.length === 0 ? 'identical' : decisive ? 'different' : 'equivalent';
    findings.same('REPLAY_CONTRADICTS', `${PREDICATE}.cases[${index}].result`, expected, result);
    checkVolatile(cases[index], receipts, { at: `${PREDICATE}.cases[${index}].differences`, findings });
  }
}

/** Only what a case says may differ is told to be volatile, with its reason, and nothing of it is decisive. */
function checkVolatile(
  told: Replay['cases'][number] | undefined,
  receipts: readonly StoredReceipt[],
  place: { readonly at: string; readonly findings: Findings },
): void {
  const named = told?.differences.filter(({ volatile }) => volatile !== null) ?? [];
  if (told === undefined || named.length === 0) return;
  const stored = receipts.find(({ receipt }) => toSegment(`${receipt.caseId}@${receipt.node}`) === told.id);
  const parts = stored?.execution.declared.volatile ?? [];
  for (const { kind, decisive, volatile } of named) {
    const ofKind = parts.filter((part) => (part.kind === 'stream') === (kind === 'stream'));
    const reasons = ofKind.map(({ why }) => why);
    const joined = [...new Set(reasons)];
    const isStated = ['stream', 'files', 'kept-file'].includes(kind) && isJoinOf(volatile ?? '', joined);
    if (isStated && !decisive) continue;
    place.findings.add(
      'REPLAY_CONTRADICTS',
      `${place.at}.volatile`,
      'a reason that the case gives',
      volatile,
    );
  }
}

/** Whether the text is some of the reasons, in their order. */
function isJoinOf(text: string, reasons: readonly string[]): boolean {
  return reasons.some((reason, index) => {
    if (!text.startsWith(reason)) return false;
    const rest = text.slice(reason.length);
    return (
      rest === '' ||
      (rest.startsWith('; ') && rest !== '; ' && isJoinOf(rest.slice(2), reasons.slice(index + 1)))
    );
  });
}
