// Written from the schema of the same name: npm run schemas.

/** a line of cases/<case>/controls.ndjson */
export type ControlsLine = {
  readonly step: ControlsLineStepName;
  readonly when: "program";
  readonly word: number;
  readonly file: {
    readonly path: ControlsLineSentence;
    readonly mode: ControlsLineMode;
    readonly sizeBytes: ControlsLineCount;
    readonly sha256: ControlsLineSha256 | null;
  } | null;
} | {
  readonly step: ControlsLineStepName;
  readonly when: "laid" | "ran" | "undone";
  readonly path: ControlsLineSentence;
  readonly kind: "file" | "directory" | "symlink" | "fifo" | "socket" | "character-device" | "block-device";
  readonly mode: ControlsLineMode;
  readonly uid: ControlsLineCount;
  readonly gid: ControlsLineCount;
  readonly mtimeMs: number;
  readonly sizeBytes: ControlsLineCount;
  readonly sha256: ControlsLineSha256 | null;
  readonly target: ControlsLineSentence | null;
};

export type ControlsLineCount = number;

export type ControlsLineMode = string;

export type ControlsLineSentence = string;

export type ControlsLineSha256 = string;

export type ControlsLineStepName = string;
