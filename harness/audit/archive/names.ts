import type { FindingCode } from '../catalogue/catalogue.ts';
import type { FindingList } from '../finding.ts';
import type { AuditLimits } from '../limits.ts';
import type { ArchiveEntry } from './entry.ts';

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;
const DRIVE = /^[A-Za-z]:/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const WINDOWS_CHARACTER = /[<>:"|?*]/;

/** One rule about a name: the code it gives, and what it says when the name breaks it. */
interface NameRule {
  readonly code: FindingCode;
  readonly expected: string;
  readonly breaks: (name: NameParts) => boolean;
}

interface NameParts {
  readonly path: string;
  readonly isUtf8: boolean;
  readonly segments: readonly string[];
  readonly limits: AuditLimits;
}

const RULES: readonly NameRule[] = [
  { code: 'NAME_EMPTY', expected: 'a name', breaks: ({ segments }) => segments.length === 0 },
  { code: 'NAME_NUL', expected: 'no zero byte', breaks: ({ path }) => path.includes('\0') },
  { code: 'NAME_NOT_UTF8', expected: 'UTF-8', breaks: ({ isUtf8 }) => !isUtf8 },
  {
    code: 'NAME_CONTROL_CHARACTER',
    expected: 'no control character',
    breaks: ({ path }) => CONTROL.test(path.replaceAll('\0', '')),
  },
  { code: 'NAME_BIDI', expected: 'no direction mark', breaks: ({ path }) => BIDI.test(path) },
  { code: 'NAME_ABSOLUTE', expected: 'a relative path', breaks: ({ path }) => /^[/\\]/.test(path) },
  { code: 'NAME_DRIVE', expected: 'no drive letter', breaks: ({ path }) => DRIVE.test(path) },
  {
    code: 'NAME_DOT_DOT',
    expected: 'no .. in the path',
    breaks: ({ path }) => path.split(/[/\\]/).includes('..'),
  },
  { code: 'NAME_BACKSLASH', expected: 'forward slashes', breaks: ({ path }) => path.includes('\\') },
  {
    code: 'NAME_DOT_ROOT',
    expected: 'package/…',
    breaks: ({ segments }) => segments[0] === '.',
  },
  {
    code: 'NAME_DOT_SEGMENT',
    expected: 'no single dot in the path',
    breaks: ({ segments }) => segments.lastIndexOf('.') > 0,
  },
  {
    code: 'NAME_EMPTY_SEGMENT',
    expected: 'single slashes',
    breaks: ({ path }) => path.includes('//'),
  },
  {
    code: 'NAME_WINDOWS',
    expected: 'a name that Windows can store',
    breaks: ({ segments }) => segments.some(isHardOnWindows),
  },
  {
    code: 'PATH_TOO_LONG',
    expected: 'a shorter path',
    breaks: ({ path, limits }) => Buffer.byteLength(path) > limits.pathBytes,
  },
  {
    code: 'PATH_TOO_DEEP',
    expected: 'fewer folders',
    breaks: ({ segments, limits }) => segments.length > limits.pathDepth,
  },
  {
    code: 'NAME_SEGMENT_TOO_LONG',
    expected: 'a shorter name',
    breaks: ({ segments, limits }) => segments.some((part) => Buffer.byteLength(part) > limits.segmentBytes),
  },
];

/**
 * Tells every fault of the entries' names, each with its own code.
 *
 * Names are judged as spelled, before any tool has cleaned them: what one reader strips another follows.
 */
export function checkNames(
  entries: readonly ArchiveEntry[],
  limits: AuditLimits,
  findings: FindingList,
): void {
  for (const entry of entries) {
    const parts: NameParts = {
      path: entry.path,
      isUtf8: entry.rawPath === null,
      segments: splitPath(entry.path),
      limits,
    };
    for (const rule of RULES) {
      if (!rule.breaks(parts)) continue;
      const path = entry.path === '' ? '(empty name)' : entry.path;
      findings.add(rule.code, path, { expected: rule.expected, actual: entry.path });
    }
  }
  checkRoots(entries, findings);
}

/** The parts of a path between slashes; empty ones are left out, dots stay. */
export function splitPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function isHardOnWindows(segment: string): boolean {
  if (segment === '.' || segment === '..') return false;
  return WINDOWS_DEVICE.test(segment) || WINDOWS_CHARACTER.test(segment) || /[. ]$/.test(segment);
}

/** npm removes the first part of every name, so one top folder is the only arrangement without surprises. */
function checkRoots(entries: readonly ArchiveEntry[], findings: FindingList): void {
  const roots = new Set<string>();
  for (const entry of entries) {
    const segments = splitPath(entry.path);
    const root = segments[0];
    if (root === undefined) continue;
    if (segments.length === 1 && entry.kind !== 'directory') {
      findings.add('ROOT_MISSING', entry.path, { expected: 'package/…', actual: entry.path });
      continue;
    }
    roots.add(root);
  }
  const [only] = roots;
  if (roots.size > 1) {
    const names = [...roots].sort();
    for (const root of names.filter((name) => name !== 'package')) {
      findings.add('ROOT_SECOND', root, { expected: 'one top folder', actual: names.slice(0, 5).join(', ') });
    }
  } else if (only !== undefined && only !== 'package' && only !== '.') {
    findings.add('ROOT_NOT_PACKAGE', only, { expected: 'package', actual: only });
  }
}

/** The top folder when there is exactly one; what lies below it is what npm installs. */
export function findRoot(entries: readonly ArchiveEntry[]): string | null {
  const roots = new Set<string>();
  for (const entry of entries) {
    const [root, ...rest] = splitPath(entry.path);
    if (root !== undefined && (rest.length > 0 || entry.kind === 'directory')) roots.add(root);
  }
  if (roots.has('package')) return 'package';
  const [only] = roots;
  return roots.size === 1 && only !== undefined ? only : null;
}
