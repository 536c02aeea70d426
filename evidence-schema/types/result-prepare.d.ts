// Written from the schema of the same name: npm run schemas.

/** what packproof prepare --json says */
export type ResultPrepare = {
  readonly formatVersion: 1;
  readonly result: "passed" | "failed";
  readonly exitCode: number;
  readonly context: string;
  readonly contextSha256: ResultPrepareSha256;
  readonly candidate: {
    readonly name: string | null;
    readonly version: string | null;
    readonly sha256: ResultPrepareSha256;
  };
  readonly platform: "linux/amd64" | "linux/arm64";
  readonly untested: boolean;
  readonly base: string;
  readonly nodes: readonly (string)[];
  readonly images: readonly ({
    readonly node: string;
    readonly configDigest: ResultPrepareSha256;
    readonly diffIds: readonly (ResultPrepareSha256)[];
    readonly files: ResultPrepareCount;
  })[];
  readonly packages: ResultPrepareCount;
  readonly installScripts: readonly (string)[];
  readonly blocked: {
    readonly stage: "audit" | "resolve" | "install";
    readonly code: string;
    readonly where: string;
    readonly expected: string;
    readonly actual: string;
  } | null;
  readonly audit: readonly ({
    readonly code: string;
    readonly severity: "gate" | "warn" | "info";
    readonly unsafe: boolean;
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
    readonly waived: {
      readonly reason: string;
      readonly expires: string;
    } | null;
  })[];
};

export type ResultPrepareCount = number;

export type ResultPrepareSha256 = string;
