import type { Shape } from '../document/shape.ts';
import { isFindingCode } from './catalogue/catalogue.ts';
import { AuditError } from './errors.ts';
import { type AuditFinding, compareFindings, toFinding } from './finding.ts';
import { WAIVER_FILE_BYTES } from './limits.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
} from './manifest/strict-json.ts';
import type { AuditReport } from './report.ts';
import type { AppliedWaiver, Waiver } from './waiver.ts';
import { waiverFields, waiverText } from './waiver-shape.ts';

export type { Waiver } from './waiver.ts';

const FIELDS = Object.keys(waiverFields);
const WAIVER_DEPTH = 4;

/**
 * Reads a waiver file: a JSON list of `{code, path?, reason, expires}`.
 *
 * `file` names it in errors. All fields are checked, unknown ones refused. Codes marked unsafe protect the machine and cannot be waived.
 * @throws {AuditError} WAIVER_FILE_TOO_LARGE, WAIVER_FILE_INVALID, WAIVER_CODE_UNKNOWN, WAIVER_CODE_UNSAFE,
 * WAIVER_REPEATED
 */
export function parseWaivers(bytes: Buffer, file = 'waivers'): readonly Waiver[] {
  if (bytes.length > WAIVER_FILE_BYTES) {
    throw new AuditError('WAIVER_FILE_TOO_LARGE', {
      where: file,
      expected: `at most ${WAIVER_FILE_BYTES} bytes`,
      actual: `${bytes.length}`,
    });
  }
  const parsed = parseStrictJson(bytes.toString('utf8'), WAIVER_DEPTH);
  if (parsed.kind !== 'parsed') throw invalid(file, `JSON at offset ${parsed.offset}`, parsed.kind);
  const [oddity] = parsed.oddities;
  if (oddity !== undefined) throw invalid(`${file}${oddity.pointer}`, 'plain keys, each once', oddity.kind);
  if (!isJsonArray(parsed.value)) throw invalid(file, 'a list', typeof parsed.value);
  const waivers = parsed.value.map((value, index) => parseWaiver(value, `${file}/${index}`));
  checkRepeated(waivers, file);
  return waivers;
}

function parseWaiver(value: JsonValue, where: string): Waiver {
  if (!isJsonObject(value)) throw invalid(where, 'an object', typeof value);
  const unknown = [...value.keys()].find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw invalid(`${where}/${unknown}`, `one of ${FIELDS.join(', ')}`, unknown);
  const code = parseField(value, where, 'code');
  if (!isFindingCode(code)) {
    throw new AuditError('WAIVER_CODE_UNKNOWN', { where: `${where}/code`, expected: 'a code', actual: code });
  }
  if (!accepts(waiverFields.code, code)) {
    throw new AuditError('WAIVER_CODE_UNSAFE', { where: `${where}/code`, expected: 'another', actual: code });
  }
  const expires = parseField(value, where, 'expires');
  if (!accepts(waiverFields.expires, expires))
    throw invalid(`${where}/expires`, 'a date YYYY-MM-DD', expires);
  return {
    code,
    path: value.has('path') ? parseField(value, where, 'path') : null,
    reason: parseField(value, where, 'reason'),
    expires,
  };
}

function parseField(value: JsonObject, where: string, field: keyof typeof waiverFields): string {
  const text = value.get(field);
  if (typeof text === 'string' && accepts(waiverText, text)) return text;
  throw invalid(`${where}/${field}`, 'text', text === undefined ? 'nothing' : JSON.stringify(text));
}

function accepts(shape: Shape<string>, text: string): boolean {
  const wrong: string[] = [];
  shape.check(text, '', wrong);
  return wrong.length === 0;
}

function invalid(where: string, expected: string, actual: string): AuditError {
  return new AuditError('WAIVER_FILE_INVALID', { where, expected, actual });
}

function checkRepeated(waivers: readonly Waiver[], file: string): void {
  const seen = new Set<string>();
  for (const [index, waiver] of waivers.entries()) {
    const key = JSON.stringify([waiver.code, waiver.path]);
    if (seen.has(key)) {
      throw new AuditError('WAIVER_REPEATED', {
        where: `${file}/${index}`,
        expected: 'each code and path once',
        actual: waiver.code,
      });
    }
    seen.add(key);
  }
}

/**
 * Marks the findings that waivers cover, and adds one for each waiver that expired or covers nothing.
 *
 * `now` decides what has expired, by UTC day. Findings stay in the report; only `waived` is set.
 */
export function applyWaivers(report: AuditReport, waivers: readonly Waiver[], now: Date): AuditReport {
  const today = now.toISOString().slice(0, 10);
  const states = waivers.map((waiver): AppliedWaiver => {
    if (waiver.expires < today) return { ...waiver, state: 'expired' };
    const used = report.findings.some((finding) => covers(waiver, finding));
    return { ...waiver, state: used ? 'used' : 'unused' };
  });
  const inForce = states.filter((waiver) => waiver.state === 'used');
  const findings = report.findings.map((finding) => {
    const waiver = inForce.find((candidate) => covers(candidate, finding));
    return waiver === undefined
      ? finding
      : { ...finding, waived: { reason: waiver.reason, expires: waiver.expires } };
  });
  const added = states.flatMap((waiver, index) => toWaiverFinding(waiver, index, today));
  return { ...report, findings: [...findings, ...added].sort(compareFindings), waivers: states };
}

function covers(waiver: Waiver, finding: AuditFinding): boolean {
  if (finding.unsafe || waiver.code !== finding.code) return false;
  return waiver.path === null || waiver.path === finding.path;
}

function toWaiverFinding(waiver: AppliedWaiver, index: number, today: string): readonly AuditFinding[] {
  const path = `waivers/${index}`;
  if (waiver.state === 'expired') {
    const actual = `${waiver.code} expired ${waiver.expires}`;
    return [toFinding('WAIVER_EXPIRED', path, { expected: `${today} or later`, actual })];
  }
  if (waiver.state === 'used') return [];
  const place = waiver.path === null ? waiver.code : `${waiver.code} at ${waiver.path}`;
  return [toFinding('WAIVER_UNUSED', path, { expected: 'a finding', actual: place })];
}
