// Written from the schema of the same name: npm run schemas.

/** bundle.json: the closed list of an evidence bundle */
export type Bundle = {
  readonly formatVersion: 1;
  readonly runId: BundleRunId;
  readonly nonce: string | null;
  readonly files: readonly ({
    readonly path: BundleWord;
    readonly sizeBytes: BundleCount;
    readonly sha256: BundleSha256;
  })[];
};

export type BundleCount = number;

export type BundleRunId = string;

export type BundleSha256 = string;

export type BundleWord = string;
