import { once } from '../files/once.ts';
import { isRecord } from '../shape/shape.ts';
import { decode, inkedLines } from './text.ts';

/** Lines that are read as JSON; what more of them could change is unknown. */
const LINES_LIMIT = 20_000;

export interface JsonLines {
  /** The value of each line; undefined where it is no JSON. */
  readonly values: readonly unknown[];
  /** No line was left out. */
  readonly whole: boolean;
}

/** A JSON-RPC 2.0 response. */
export type Response =
  | { readonly id: string | number; readonly result: unknown }
  | { readonly id: string | number; readonly errorCode: unknown };

/** The same bytes are looked at by many checks. */
export function readJsonLines(bytes: Buffer): JsonLines {
  return once(bytes, 'json lines', () => parseLines(bytes));
}

function parseLines(bytes: Buffer): JsonLines {
  const values: unknown[] = [];
  for (const line of inkedLines(bytes)) {
    if (values.length === LINES_LIMIT) return { values, whole: false };
    values.push(toJson(decode(line)));
  }
  return { values, whole: true };
}

/** The value of a text, undefined when it is no JSON. */
export function toJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A JSON-RPC 2.0 message, or a batch of at least one. Source: JSON-RPC 2.0, sections 4 to 6. */
export function isMessage(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isSingle) : isSingle(value);
}

function isSingle(value: unknown): boolean {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  const answers = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  return typeof value['method'] === 'string' || (answers && Object.hasOwn(value, 'id'));
}

/** Every response among the values, batches opened, in order. */
export function* responsesOf(values: readonly unknown[]): Generator<Response, void, undefined> {
  for (const value of values) {
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      const response = toResponse(one);
      if (response !== null) yield response;
    }
  }
}

function toResponse(value: unknown): Response | null {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0' || typeof value['method'] === 'string') return null;
  const { id, error } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (Object.hasOwn(value, 'result')) return { id, result: value['result'] };
  return isRecord(error) ? { id, errorCode: error['code'] } : null;
}

/** Where a JSON Pointer leads over own members only; undefined when nowhere. Source: RFC 6901. */
export function follow(value: unknown, pointer: string): unknown {
  const tokens = pointer.split('/').slice(1);
  return tokens.reduce<unknown>((here, escaped) => {
    const token = escaped.replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, token)) return undefined;
    return Reflect.get(here, token);
  }, value);
}
