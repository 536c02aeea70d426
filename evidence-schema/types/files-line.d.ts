// Written from the schema of the same name: npm run schemas.

/** a line of cases/<case>/files.ndjson */
export type FilesLine = {
  readonly when: "before" | "after";
  readonly path: FilesLineSentence;
  readonly kind: "file" | "directory" | "symlink" | "fifo" | "socket" | "character-device" | "block-device";
  readonly mode: FilesLineMode;
  readonly uid: FilesLineCount;
  readonly gid: FilesLineCount;
  readonly mtimeMs: number;
  readonly sizeBytes: FilesLineCount;
  readonly sha256: FilesLineSha256 | null;
  readonly target: FilesLineSentence | null;
};

export type FilesLineCount = number;

export type FilesLineMode = string;

export type FilesLineSentence = string;

export type FilesLineSha256 = string;
