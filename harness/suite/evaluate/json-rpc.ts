import { isRecord } from '../../document/json-record.ts';
import { JSON_LINES_LIMIT } from '../limits.ts';
import { splitLines } from './text.ts';

export type JsonRpcId = string | number;

/** One line of a stream as JSON; `value` is undefined when it is none. */
export interface JsonLine {
  readonly text: string;
  readonly value: unknown;
}

/** A JSON-RPC response as far as a check needs it. */
export interface JsonRpcResponse {
  readonly id: JsonRpcId;
  readonly outcome:
    | { readonly kind: 'result'; readonly result: unknown }
    | { readonly kind: 'error'; readonly code: unknown };
}

/** The JSON of a stream: its lines up to the limit, and whether these were all. */
export interface JsonLines {
  readonly lines: readonly JsonLine[];
  readonly whole: boolean;
}

/** Reads the lines of a stream, each with its JSON value where it has one. */
export function parseJsonLines(bytes: Buffer): JsonLines {
  const lines: JsonLine[] = [];
  for (const text of splitLines(bytes)) {
    if (lines.length >= JSON_LINES_LIMIT) return { lines, whole: false };
    lines.push({ text, value: parseLine(text) });
  }
  return { lines, whole: true };
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is a JSON-RPC 2.0 message or, as revision 2025-03-26 has it, a batch of them. */
export function isJsonRpc(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => isMessage(one));
  return isMessage(value);
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  if (typeof value['method'] === 'string') return true;
  return Object.hasOwn(value, 'id') && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
}

/** All responses with an id among lines, in order; batches are opened. */
export function listResponses(lines: readonly JsonLine[]): readonly JsonRpcResponse[] {
  return lines
    .flatMap((line): readonly unknown[] => (Array.isArray(line.value) ? line.value : [line.value]))
    .flatMap((message) => toResponse(message) ?? []);
}

function toResponse(value: unknown): JsonRpcResponse | null {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0' || typeof value['method'] === 'string') return null;
  const id = value['id'];
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (Object.hasOwn(value, 'result')) return { id, outcome: { kind: 'result', result: value['result'] } };
  if (!isRecord(value['error'])) return null;
  return { id, outcome: { kind: 'error', code: value['error']['code'] } };
}

/**
 * The value that a JSON Pointer leads to, undefined when it leads nowhere. Source: RFC 6901.
 *
 * Own properties only: a candidate's `__proto__` or a pointer to `constructor` finds nothing inherited.
 */
export function valueAt(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  let value = document;
  for (const raw of pointer.slice(1).split('/')) {
    const token = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[token];
  }
  return value;
}
