import { posix } from 'node:path';
import type { FindingCode } from '../catalogue/catalogue.ts';
import type { FindingList } from '../finding.ts';
import type { ArchiveEntry } from './entry.ts';
import { splitPath } from './names.ts';

const SPECIAL_BITS = 0o7000;
const WORLD_WRITE = 0o002;
const OWNER_READ = 0o400;

/** Tells every entry that is not a plain file or folder, and every mode that says more than it should. */
export function checkKinds(entries: readonly ArchiveEntry[], findings: FindingList): void {
  let writable = 0;
  let firstWritable = '';
  for (const entry of entries) {
    const code = toKindCode(entry);
    if (code !== null) {
      findings.add(code, entry.path, {
        expected: 'a file or folder',
        actual: entry.linkName === null ? `type ${JSON.stringify(entry.typeFlag)}` : `→ ${entry.linkName}`,
      });
    }
    if (entry.kind === 'symlink') continue;
    checkMode(entry, findings);
    if ((entry.mode & WORLD_WRITE) === 0) continue;
    if (writable === 0) firstWritable = entry.path;
    writable += 1;
  }
  if (writable > 0) {
    findings.add('MODE_WORLD_WRITABLE', firstWritable, {
      expected: 'mode without write for others',
      actual: `${writable} entries`,
    });
  }
}

function toKindCode(entry: ArchiveEntry): FindingCode | null {
  switch (entry.kind) {
    case 'file':
    case 'directory':
      return null;
    case 'symlink':
      return leavesRoot(entry) ? 'LINK_SYMBOLIC_OUTSIDE' : 'LINK_SYMBOLIC';
    case 'hardlink':
      return leavesRoot(entry) ? 'LINK_HARD_OUTSIDE' : 'LINK_HARD';
    case 'character-device':
    case 'block-device':
      return 'ENTRY_DEVICE';
    case 'fifo':
      return 'ENTRY_FIFO';
    case 'other':
      return entry.typeFlag === 'S' ? null : 'TAR_TYPE_UNKNOWN';
    default:
      return entry.kind satisfies never;
  }
}

/** A symbolic link counts from its own folder, a hard link from the top of the archive. */
function leavesRoot(entry: ArchiveEntry): boolean {
  const target = (entry.linkName ?? '').replaceAll('\\', '/');
  if (target.startsWith('/') || /^[A-Za-z]:/.test(target)) return true;
  const root = splitPath(entry.path)[0] ?? '';
  const base = entry.kind === 'symlink' ? posix.dirname(entry.path) : '.';
  const landed = posix.normalize(`${base}/${target}`);
  return landed !== root && !landed.startsWith(`${root}/`);
}

function checkMode(entry: ArchiveEntry, findings: FindingList): void {
  const actual = toModeText(entry.mode);
  if ((entry.mode & SPECIAL_BITS) !== 0) {
    findings.add('MODE_SPECIAL_BITS', entry.path, { expected: 'no setuid, setgid or sticky bit', actual });
  }
  if (entry.kind === 'file' && (entry.mode & OWNER_READ) === 0) {
    findings.add('MODE_UNREADABLE', entry.path, { expected: 'read for the owner', actual });
  }
}

/** Permission bits as four octal digits. */
export function toModeText(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
