import type { FileTable } from '../archive/file-table.ts';
import type { ReadContent } from '../archive/leaks.ts';
import type { FindingList } from '../finding.ts';
import type { AuditLimits } from '../limits.ts';
import { manifestPlace } from './read-manifest.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, toPointer } from './strict-json.ts';

/** What every check of package.json works on. */
export interface ManifestContext {
  readonly manifest: JsonObject;
  readonly files: FileTable;
  readonly read: ReadContent;
  readonly limits: AuditLimits;
  readonly findings: FindingList;
}

/** A text field, or null; another type is told once. */
export function readText(context: ManifestContext, key: string): string | null {
  const value = context.manifest.get(key);
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null) reportField(context, `/${key}`, 'text', value);
  return null;
}

/** A list of texts; a single text counts as a list of one, as npm reads it. */
export function readTexts(context: ManifestContext, key: string): readonly string[] {
  const value = context.manifest.get(key);
  if (typeof value === 'string') return [value];
  if (isJsonArray(value)) return value.filter((item) => typeof item === 'string');
  if (value !== undefined && value !== null) reportField(context, `/${key}`, 'a list of texts', value);
  return [];
}

/** The members of an object field; anything else is told and counts as empty. */
export function readMembers(
  context: ManifestContext,
  key: string,
): readonly (readonly [string, JsonValue])[] {
  const value = context.manifest.get(key);
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) {
    reportField(context, `/${key}`, 'an object', value);
    return [];
  }
  return capList(context, `/${key}`, [...value]);
}

/** A text below an object field, such as `engines.node`. */
export function readNestedText(context: ManifestContext, key: string, inner: string): string | null {
  const value = context.manifest.get(key);
  const text = isJsonObject(value) ? value.get(inner) : undefined;
  return typeof text === 'string' ? text : null;
}

/** Cuts a list whose members each cost work. */
export function capList<T>(context: ManifestContext, pointer: string, items: readonly T[]): readonly T[] {
  const most = context.limits.manifestListLength;
  if (items.length <= most) return items;
  context.findings.add('MANIFEST_LIST_TOO_LONG', manifestPlace(pointer), {
    expected: `at most ${most} members`,
    actual: `${items.length}`,
  });
  return items.slice(0, most);
}

export function reportField(
  context: ManifestContext,
  pointer: string,
  ...seen: [expected: string, actual: JsonValue]
): void {
  context.findings.add('MANIFEST_FIELD_INVALID', manifestPlace(pointer), {
    expected: seen[0],
    actual: describe(seen[1]),
  });
}

/** A JSON value in a few words. */
export function describe(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** A place one or two steps below the top of package.json. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return manifestPlace(keys.reduce<string>((pointer, key) => toPointer(pointer, key), ''));
}

/** npm's plain form of a path in package.json: forward slashes, no `.` or `..`, relative to the package. */
export function toPlainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Whether a path of package.json leads out of the package before it is tidied. */
export function leavesPackage(path: string): boolean {
  let depth = 0;
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
