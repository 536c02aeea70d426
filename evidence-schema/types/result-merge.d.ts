// Written from the schema of the same name: npm run schemas.

/** what packproof merge --json says */
export type ResultMerge = {
  readonly formatVersion: 1;
  readonly evidence: string;
  readonly shards: ResultMergeCount;
  readonly runExitCode: number;
  readonly counts: {
    readonly pass: ResultMergeCount;
    readonly fail: ResultMergeCount;
    readonly error: ResultMergeCount;
    readonly unrun: ResultMergeCount;
    readonly excluded: ResultMergeCount;
    readonly unsupported: ResultMergeCount;
    readonly flaky: ResultMergeCount;
  };
};

export type ResultMergeCount = number;
