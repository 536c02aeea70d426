import type { ArchiveEntry } from '../archive/entry.ts';
import type { FileTable } from '../archive/file-table.ts';
import type { ReadContent } from '../archive/leaks.ts';
import { splitPath } from '../archive/names.ts';
import type { FindingCode } from '../catalogue/catalogue.ts';
import type { FindingList } from '../finding.ts';
import type { AuditLimits } from '../limits.ts';
import { isJsonObject, type JsonObject, type JsonOddity, parseStrictJson } from './strict-json.ts';

export const MANIFEST = 'package.json';

/** What reading needs beside the files. */
export interface ManifestSource {
  readonly files: FileTable;
  readonly entries: readonly ArchiveEntry[];
  readonly read: ReadContent;
  readonly limits: AuditLimits;
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Top-level keys that installers and runtimes act on; a second value for one of them is a trap. */
const DECIDING_KEYS = new Set([
  'name',
  'version',
  'type',
  'main',
  'bin',
  'directories',
  'exports',
  'imports',
  'scripts',
  'gypfile',
  'engines',
  'os',
  'cpu',
  'libc',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundledDependencies',
  'bundleDependencies',
]);

/** Below these keys a repeated member decides as well. */
const DECIDING_PARENTS = /^\/(?:bin|exports|imports|dependencies|optionalDependencies|peerDependencies)\//;
const DECIDING_SCRIPT = /^\/scripts\/(?:preinstall|install|postinstall)$/;

/** A place in package.json, as findings name it. */
export function manifestPlace(pointer: string): string {
  return `${MANIFEST}#${pointer}`;
}

/**
 * Finds and reads the one package.json below the top folder; null when it is missing or cannot be read.
 *
 * Every deviation from a plain UTF-8 JSON object has its own code.
 */
export function readManifest(source: ManifestSource, findings: FindingList): JsonObject | null {
  const entry = source.files.get(MANIFEST);
  if (entry === undefined) {
    findings.add('MANIFEST_MISSING', source.files.toArchivePath(MANIFEST), {
      expected: 'a file',
      actual: source.files.getSpecial(MANIFEST)?.kind ?? 'nothing',
    });
    return null;
  }
  checkSingle(source, findings);
  if (entry.sizeBytes > source.limits.manifestBytes) {
    findings.add('MANIFEST_TOO_LARGE', MANIFEST, {
      expected: `at most ${source.limits.manifestBytes} bytes`,
      actual: `${entry.sizeBytes} bytes`,
    });
    return null;
  }
  return parseManifest(source.read(entry), source.limits, findings);
}

function checkSingle(source: ManifestSource, findings: FindingList): void {
  const same = source.entries.filter((entry) => {
    const [root, ...rest] = splitPath(entry.path);
    return root === source.files.root && rest.length === 1 && rest[0] === MANIFEST;
  });
  if (same.length < 2) return;
  findings.add('MANIFEST_TWICE', MANIFEST, { expected: 'one', actual: `${same.length}` });
}

function parseManifest(bytes: Buffer, limits: AuditLimits, findings: FindingList): JsonObject | null {
  const text = decode(bytes, findings);
  if (text === null) return null;
  const parsed = parseStrictJson(text, limits.manifestDepth);
  if (parsed.kind === 'too-deep') {
    findings.add('MANIFEST_TOO_DEEP', MANIFEST, {
      expected: `at most ${limits.manifestDepth} levels`,
      actual: `more at offset ${parsed.offset}`,
    });
    return null;
  }
  if (parsed.kind === 'syntax') {
    const seen = text.slice(parsed.offset, parsed.offset + 40);
    findings.add('MANIFEST_NOT_JSON', MANIFEST, {
      expected: parsed.expected,
      actual: `${seen === '' ? 'the end' : seen} at offset ${parsed.offset}`,
    });
    return null;
  }
  for (const oddity of parsed.oddities) reportOddity(oddity, findings);
  if (isJsonObject(parsed.value)) return parsed.value;
  findings.add('MANIFEST_NOT_OBJECT', MANIFEST, {
    expected: 'an object',
    actual: Array.isArray(parsed.value) ? 'a list' : typeof parsed.value,
  });
  return null;
}

function decode(bytes: Buffer, findings: FindingList): string | null {
  const hasBom = bytes.subarray(0, 3).equals(BOM);
  if (hasBom) findings.add('MANIFEST_BOM', MANIFEST, { expected: '{', actual: 'a byte order mark' });
  try {
    return STRICT.decode(hasBom ? bytes.subarray(3) : bytes);
  } catch {
    findings.add('MANIFEST_NOT_UTF8', MANIFEST, { expected: 'UTF-8', actual: 'other bytes' });
    return null;
  }
}

function reportOddity(oddity: JsonOddity, findings: FindingList): void {
  findings.add(toOddityCode(oddity), manifestPlace(oddity.pointer), {
    expected: oddity.kind === 'duplicate-key' ? 'the key once' : 'no such key or text',
    actual: oddity.kind,
  });
}

function toOddityCode(oddity: JsonOddity): FindingCode {
  switch (oddity.kind) {
    case 'proto-key':
      return 'MANIFEST_PROTO_KEY';
    case 'constructor-key':
      return 'MANIFEST_CONSTRUCTOR_KEY';
    case 'lone-surrogate':
      return 'MANIFEST_LONE_SURROGATE';
    case 'duplicate-key':
      return !oddity.same && isDeciding(oddity.pointer)
        ? 'MANIFEST_DUPLICATE_KEY'
        : 'MANIFEST_DUPLICATE_KEY_UNUSED';
    default:
      return oddity satisfies never;
  }
}

function isDeciding(pointer: string): boolean {
  return (
    DECIDING_KEYS.has(pointer.slice(1)) || DECIDING_PARENTS.test(pointer) || DECIDING_SCRIPT.test(pointer)
  );
}
