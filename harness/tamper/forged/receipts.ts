import type { BaseBundle } from '../base-bundle.ts';
import { isRecord, valueAt } from '../places.ts';

/** A receipt as a forger reads it: loosely, because it is only to be changed. */
export interface FoundReceipt {
  readonly path: string;
  /** `cases/<folder>` */
  readonly folder: string;
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly outcome: string;
}

export function receiptsOf(bundle: BaseBundle): readonly FoundReceipt[] {
  return bundle.documents().flatMap((path) => receiptOf(path, () => bundle.document(path)) ?? []);
}

/** Null for another file, and for one that holds no receipt. */
export function receiptOf(path: string, read: () => unknown): FoundReceipt | null {
  const folder = /^(cases\/[^/]+)\/receipt\.json$/.exec(path)?.[1];
  const receipt = folder === undefined ? null : read();
  if (folder === undefined || !isRecord(receipt)) return null;
  const id = `${String(receipt['caseId'])}@${String(receipt['node'])}`;
  return { path, folder, receipt, id, outcome: String(receipt['outcome']) };
}

export function listAt(document: unknown, ...place: readonly (string | number)[]): readonly unknown[] {
  const list = valueAt(document, ...place);
  return Array.isArray(list) ? list : [];
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
