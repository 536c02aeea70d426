// Written from the schema of the same name: npm run schemas.

/** a line of image/<node>/inventory.ndjson */
export type ImageInventoryLine = {
  readonly kind: "file";
  readonly path: ImageInventoryLineSentence;
  readonly mode: ImageInventoryLineMode;
  readonly sizeBytes: ImageInventoryLineCount;
  readonly sha256: ImageInventoryLineSha256;
  readonly target: null;
} | {
  readonly kind: "directory";
  readonly path: ImageInventoryLineSentence;
  readonly mode: ImageInventoryLineMode;
  readonly sizeBytes: 0;
  readonly sha256: null;
  readonly target: null;
} | {
  readonly kind: "symlink";
  readonly path: ImageInventoryLineSentence;
  readonly mode: ImageInventoryLineMode;
  readonly sizeBytes: 0;
  readonly sha256: null;
  readonly target: ImageInventoryLineSentence;
};

export type ImageInventoryLineCount = number;

export type ImageInventoryLineMode = string;

export type ImageInventoryLineSentence = string;

export type ImageInventoryLineSha256 = string;
