/** The records of one pax header, and why it cannot be trusted when it cannot. */
export interface PaxRecords {
  readonly records: ReadonlyMap<string, Buffer>;
  readonly problem: PaxProblem | null;
}

export type PaxProblem =
  | { readonly kind: 'invalid-record'; readonly at: number }
  | { readonly kind: 'repeated-key'; readonly key: string };

const SPACE = 0x20;
const EQUALS = 0x3d;
const NEWLINE = 0x0a;

/** Digits of a record's own length; more would exceed every allowed header. */
const LENGTH_DIGITS = 7;

/**
 * Splits a pax extended header into its records `LENGTH KEY=VALUE\n`, trusting no length before it was checked.
 *
 * Reading stops at the first record whose stated length does not lead to its own line end, because from
 * there readers disagree. Source: POSIX.1-2017 pax, extended header.
 */
export function parsePaxRecords(bytes: Buffer): PaxRecords {
  const records = new Map<string, Buffer>();
  let problem: PaxProblem | null = null;
  for (let at = 0; at < bytes.length; ) {
    const record = readRecord(bytes, at);
    if (record === null) return { records, problem: { kind: 'invalid-record', at } };
    if (records.has(record.key)) problem ??= { kind: 'repeated-key', key: record.key };
    records.set(record.key, record.value);
    at = record.end;
  }
  return { records, problem };
}

interface PaxRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly end: number;
}

function readRecord(bytes: Buffer, at: number): PaxRecord | null {
  const space = bytes.subarray(at, at + LENGTH_DIGITS + 1).indexOf(SPACE);
  if (space < 1) return null;
  const digits = bytes.toString('latin1', at, at + space);
  if (!/^[1-9][0-9]*$/.test(digits)) return null;
  const end = at + Number(digits);
  if (end > bytes.length || bytes[end - 1] !== NEWLINE) return null;
  const body = bytes.subarray(at + space + 1, end - 1);
  const equals = body.indexOf(EQUALS);
  if (equals < 1) return null;
  return { key: body.toString('latin1', 0, equals), value: body.subarray(equals + 1), end };
}
