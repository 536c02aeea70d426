// Written from the schema of the same name: npm run schemas.

/** what every command with --json says that ended before its result */
export type ResultError = {
  readonly formatVersion: 1;
  readonly result: "error";
  readonly exitCode: number;
  readonly error: {
    readonly code: string;
    readonly what: string;
    readonly where: string;
    readonly expected: string | null;
    readonly actual: string | null;
  };
  readonly candidate: {
    readonly name: string;
    readonly version: string;
    readonly sha256: ResultErrorSha256;
    readonly sha512: string;
  } | null;
  readonly engine: {
    readonly name: string;
    readonly version: string;
  } | null;
  readonly counts: {
    readonly pass: ResultErrorCount;
    readonly fail: ResultErrorCount;
    readonly error: ResultErrorCount;
    readonly unrun: ResultErrorCount;
    readonly excluded: ResultErrorCount;
    readonly unsupported: ResultErrorCount;
    readonly flaky: ResultErrorCount;
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
  readonly evidence: string | null;
  readonly durationMs: ResultErrorCount;
};

export type ResultErrorCount = number;

export type ResultErrorSha256 = string;
