import type { FileTreeEntry } from '../engine/engine.ts';
import type { CompiledFile } from '../suite/compiled.ts';

/** The files of a case in the form in which an engine lays them. */
export function toFileTree(files: readonly CompiledFile[]): readonly FileTreeEntry[] {
  return files.map(toEntry);
}

function toEntry(file: CompiledFile): FileTreeEntry {
  switch (file.kind) {
    case 'symlink':
    case 'owner':
      return file;
    case 'directory':
    case 'fifo':
    case 'socket':
      return { kind: file.kind, path: file.path, mode: Number.parseInt(file.mode, 8) };
    case 'sparse':
      return { ...file, mode: Number.parseInt(file.mode, 8) };
    case 'times':
      return { kind: 'times', path: file.path, mtimeMs: file.mtimeSeconds * 1000 };
    case 'file':
      return {
        kind: 'file',
        path: file.path,
        mode: Number.parseInt(file.mode, 8),
        content: Buffer.from(file.contentBase64, 'base64'),
      };
  }
}
