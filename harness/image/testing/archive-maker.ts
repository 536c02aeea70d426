import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

/** One entry of an archive made for a test, written as it stands, sensible or not. */
export interface MadeEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  readonly mode?: number;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link';
  readonly target?: string;
}

/** A gzipped tar of these entries, below `package/` unless the path begins with a slash. */
export function makeArchive(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const header = new Header({
      path: `package/${entry.path}`,
      mode: entry.mode ?? 0o644,
      uid: 0,
      gid: 0,
      size: content.length,
      mtime: new Date(0),
      type: entry.type ?? 'File',
      linkpath: entry.target ?? '',
    });
    header.encode();
    return [header.block ?? Buffer.alloc(512), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A package archive with a manifest in front. */
export function makePackage(manifest: object, entries: readonly MadeEntry[]): Buffer {
  return makeArchive([{ path: 'package.json', content: JSON.stringify(manifest) }, ...entries]);
}
