import { sha256Hex } from '../../document/digest.ts';
import type { FindingList } from '../finding.ts';
import type { AuditLimits } from '../limits.ts';
import { type ArchiveEntry, type EntryKind, toEntryKind } from './entry.ts';
import { type Extended, Extensions } from './extensions.ts';
import { WHOLE } from './gzip.ts';
import { BLOCK_BYTES, isZero, type RawHeader, readHeader } from './header.ts';
import { decodeName, displayName } from './name-text.ts';

/** The entries of a tar; `complete` is false when the walk had to stop before the end mark. */
export interface TarWalk {
  readonly entries: readonly ArchiveEntry[];
  readonly complete: boolean;
}

const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES);
const EXTENSION_TYPES = 'xgLK';

/**
 * Walks the raw 512-byte blocks of a tar and tells every fault of its frame.
 *
 * Where readers differ the walk follows node-tar, because npm installs with it, and reports the difference.
 * Sizes and counts are checked before the bytes behind them are touched.
 * Source: POSIX.1-2017 ustar and pax; GNU tar's formats.
 */
export function walkTar(tar: Buffer, limits: AuditLimits, findings: FindingList): TarWalk {
  return new TarWalker(tar, limits, findings).walk();
}

class TarWalker {
  readonly #tar: Buffer;
  readonly #limits: AuditLimits;
  readonly #findings: FindingList;
  readonly #extensions: Extensions;
  readonly #entries: ArchiveEntry[] = [];
  #offset = 0;
  #stopped = false;

  constructor(tar: Buffer, limits: AuditLimits, findings: FindingList) {
    this.#tar = tar;
    this.#limits = limits;
    this.#findings = findings;
    this.#extensions = new Extensions(findings);
  }

  walk(): TarWalk {
    let zeroBlocks = 0;
    while (!this.#stopped && this.#offset + BLOCK_BYTES <= this.#tar.length) {
      if (this.#isAtZeroBlock()) {
        zeroBlocks += 1;
        this.#offset += BLOCK_BYTES;
        if (zeroBlocks === 2) break;
        continue;
      }
      if (zeroBlocks > 0) this.#report('TAR_LONE_ZERO_BLOCK', 'two zero blocks', 'one, then more entries');
      zeroBlocks = 0;
      this.#takeBlock();
    }
    if (!this.#stopped) this.#checkEnd(zeroBlocks);
    return { entries: this.#entries, complete: !this.#stopped };
  }

  #isAtZeroBlock(): boolean {
    if (this.#tar[this.#offset] !== 0) return false;
    return ZERO_BLOCK.equals(this.#tar.subarray(this.#offset, this.#offset + BLOCK_BYTES));
  }

  #takeBlock(): void {
    const header = readHeader(this.#tar, this.#offset);
    if (!header.checksumMatches) {
      this.#stop('TAR_HEADER_CHECKSUM', 'a header with a right checksum', 'a wrong one');
      return;
    }
    if (header.size.kind === 'invalid') {
      this.#stop('TAR_NUMBER_INVALID', 'a size in octal digits', header.size.text);
      return;
    }
    if (EXTENSION_TYPES.includes(header.typeFlag)) this.#takeExtension(header, header.size.value);
    else this.#takeEntry(header, header.size.value);
  }

  #takeExtension(header: RawHeader, size: number): void {
    if (size > this.#limits.extensionBytes) {
      this.#stop('EXTENSION_TOO_LARGE', `at most ${this.#limits.extensionBytes} bytes`, `${size} bytes`);
      return;
    }
    const place = this.#place();
    const content = this.#takeContent(size, place);
    if (content === null) return;
    if (header.typeFlag === 'x') this.#extensions.addPax(content, place);
    else if (header.typeFlag === 'g') this.#extensions.addGlobal(content, place);
    else if (header.typeFlag === 'L') this.#extensions.addLongName(content, place);
    else this.#extensions.addLongLink(content, place);
  }

  #takeEntry(header: RawHeader, headerSize: number): void {
    const extended = this.#extensions.take(this.#place());
    const name = extended.path ?? header.name;
    const kind = toEntryKind(header.typeFlag, name);
    const place = displayName(name);
    this.#checkHeader(header, place);
    if (!this.#mayTake(header, extended, place)) return;
    if (extended.size !== null && extended.size !== headerSize) {
      this.#findings.add('PAX_SIZE_OVERRIDE', place, {
        expected: `${headerSize} bytes`,
        actual: `${extended.size} bytes`,
      });
    }
    const size = this.#sizeOf(kind, extended.size ?? headerSize, place);
    const offset = this.#offset + BLOCK_BYTES;
    const content = this.#takeContent(size, place);
    if (content === null) return;
    this.#entries.push({
      ...decodeName(name),
      kind,
      typeFlag: header.typeFlag === '\0' ? '0' : header.typeFlag,
      mode: header.mode.kind === 'invalid' ? 0 : header.mode.value & 0o7777,
      uid: header.uid.kind === 'invalid' ? 0 : header.uid.value,
      gid: header.gid.kind === 'invalid' ? 0 : header.gid.value,
      sizeBytes: size,
      offset,
      sha256: kind === 'file' ? sha256Hex(content) : null,
      linkName: isLink(kind) ? decodeName(extended.linkPath ?? header.linkName).path : null,
    });
  }

  #mayTake(header: RawHeader, extended: Extended, place: string): boolean {
    if (header.typeFlag === 'S' || extended.sparse) {
      this.#findings.add('TAR_ENTRY_SPARSE', place, { expected: 'a plain file', actual: 'a sparse file' });
      // Old GNU sparse headers are followed by maps whose length only a sparse reader knows.
      if (header.typeFlag === 'S') this.#stopped = true;
      return header.typeFlag !== 'S';
    }
    if (this.#entries.length < this.#limits.entries) return true;
    this.#findings.add('ENTRIES_TOO_MANY', WHOLE, {
      expected: `at most ${this.#limits.entries} entries`,
      actual: 'more',
    });
    this.#stopped = true;
    return false;
  }

  /** Folders have no content for node-tar whatever they state; links keep what they state. */
  #sizeOf(kind: EntryKind, stated: number, place: string): number {
    if (stated > 0 && kind !== 'file' && kind !== 'other') {
      this.#findings.add('TAR_ENTRY_WITH_CONTENT', place, {
        expected: `0 bytes for a ${kind}`,
        actual: `${stated} bytes`,
      });
    }
    return kind === 'directory' ? 0 : stated;
  }

  /** The content after the header at the current offset; moves to the next header. */
  #takeContent(size: number, place: string): Buffer | null {
    const start = this.#offset + BLOCK_BYTES;
    const end = start + size;
    const next = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (next > this.#tar.length) {
      this.#stop('TAR_TRUNCATED', `${next - start} bytes of content`, `${this.#tar.length - start} bytes`);
      return null;
    }
    if (end < next && !isZero(this.#tar.subarray(end, next))) {
      this.#findings.add('TAR_PADDING_NOT_ZERO', place, {
        expected: 'zero bytes',
        actual: `${next - end} bytes of padding with content`,
      });
    }
    this.#offset = next;
    return this.#tar.subarray(start, end);
  }

  #checkHeader(header: RawHeader, place: string): void {
    const { mode, uid, gid, mtime, size } = header;
    if (mode.kind === 'invalid') {
      this.#findings.add('TAR_NUMBER_INVALID', place, {
        expected: 'a mode in octal digits',
        actual: mode.text,
      });
    }
    const odd = [uid, gid, mtime].find((field) => field.kind === 'invalid');
    if (odd !== undefined) {
      this.#findings.add('TAR_OWNER_FIELD_INVALID', place, {
        expected: 'owner and time in octal digits',
        actual: odd.kind === 'invalid' ? odd.text : '',
      });
    }
    if ([mode, uid, gid, mtime, size].some((field) => field.kind === 'base256')) {
      this.#reportOnce('TAR_NUMBER_BASE256', place, 'octal digits', 'a binary number');
    }
    if (header.hasBytesAfterNul) {
      this.#findings.add('TAR_BYTES_AFTER_NUL', place, { expected: 'zero bytes', actual: 'other bytes' });
    }
    this.#checkFormat(header, place);
  }

  #checkFormat(header: RawHeader, place: string): void {
    if (header.format === 'v7') this.#reportOnce('TAR_MAGIC_OLD', place, 'ustar', 'no format mark');
    if (header.format === 'unknown') {
      this.#reportOnce('TAR_MAGIC_UNKNOWN', place, 'ustar', 'another format mark');
    }
    if (header.uid.kind === 'invalid' || header.gid.kind === 'invalid') return;
    const isAnonymous = header.uid.value === 0 && header.gid.value === 0;
    if (!isAnonymous || header.owner !== '' || header.group !== '') {
      const actual = `${header.uid.value}:${header.gid.value} ${header.owner}:${header.group}`;
      if (actual !== '0:0 root:root') this.#reportOnce('OWNER_RECORDED', place, 'no owner', actual);
    }
  }

  #checkEnd(zeroBlocks: number): void {
    this.#extensions.finish(this.#place());
    const rest = this.#tar.subarray(this.#offset);
    const restIsZero = isZeroRun(rest);
    if (zeroBlocks < 2 && rest.length > 0 && !restIsZero) {
      this.#stop('TAR_TRUNCATED', 'a header of 512 bytes', `${rest.length} bytes`);
      return;
    }
    if (this.#entries.length === 0) {
      this.#findings.add('TAR_EMPTY', WHOLE, { expected: 'entries', actual: 'none' });
    } else if (zeroBlocks < 2) {
      this.#findings.add('TAR_EOF_MISSING', WHOLE, {
        expected: 'two zero blocks',
        actual: `${zeroBlocks}`,
      });
    } else if (!restIsZero) {
      this.#report('TAR_BYTES_AFTER_EOF', 'nothing but zero bytes', `${rest.length} bytes`);
    }
  }

  #place(): string {
    return `${WHOLE}@${this.#offset}`;
  }

  #report(code: Parameters<FindingList['add']>[0], expected: string, actual: string): void {
    this.#findings.add(code, this.#place(), { expected, actual });
  }

  #reportOnce(code: Parameters<FindingList['add']>[0], place: string, ...seen: [string, string]): void {
    if (!this.#findings.has(code)) this.#findings.add(code, place, { expected: seen[0], actual: seen[1] });
  }

  #stop(code: Parameters<FindingList['add']>[0], expected: string, actual: string): void {
    this.#report(code, expected, actual);
    this.#stopped = true;
  }
}

function isLink(kind: EntryKind): boolean {
  return kind === 'symlink' || kind === 'hardlink';
}

/** Compares in pieces, because what follows the end mark can be as long as the limit allows. */
function isZeroRun(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const piece = bytes.subarray(at, at + BLOCK_BYTES);
    if (!ZERO_BLOCK.subarray(0, piece.length).equals(piece)) return false;
  }
  return true;
}
