// Written from the schema of the same name: npm run schemas.

/** what packproof check and run say with --json */
export type Result = {
  readonly formatVersion: 1;
  readonly result: "passed" | "failed" | "error";
  readonly exitCode: number;
  readonly candidate: {
    readonly name: string;
    readonly version: string;
    readonly sha256: ResultSha256;
    readonly sha512: string;
  };
  readonly engine: {
    readonly name: string;
    readonly version: string;
  } | null;
  readonly counts: {
    readonly pass: ResultCount;
    readonly fail: ResultCount;
    readonly error: ResultCount;
    readonly unrun: ResultCount;
    readonly excluded: ResultCount;
    readonly unsupported: ResultCount;
    readonly flaky: ResultCount;
  };
  readonly failures: readonly ({
    readonly case: string;
    readonly check: string;
    readonly severity: "gate" | "warn" | "info";
    readonly message: string;
    readonly advice: string;
    readonly evidencePath: string;
  })[];
  readonly audit: readonly ({
    readonly code: string;
    readonly severity: "gate" | "warn" | "info";
    readonly unsafe: boolean;
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
    readonly advice: string;
    readonly waived: boolean;
  })[];
  readonly evidence: string;
  readonly verdict: "accepted" | "rejected";
  readonly signedBy: ResultKeyId | null;
  readonly budget: {
    readonly limitMs: ResultCount;
    readonly usedMs: ResultCount;
    readonly exhausted: boolean;
  };
  readonly prepareMs: ResultCount | null;
  readonly selfCheck: {
    readonly kinds: ResultCount;
    readonly mutations: ResultCount;
    readonly accepted: readonly ({
      readonly kind: string;
      readonly place: string;
    })[];
  } | null;
  readonly durationMs: ResultCount;
};

export type ResultCount = number;

export type ResultKeyId = string;

export type ResultSha256 = string;
