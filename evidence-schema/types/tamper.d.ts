// Written from the schema of the same name: npm run schemas.

/** what packproof tamper --json says */
export type Tamper = {
  readonly formatVersion: 1;
  readonly result: "held" | "broken";
  readonly exitCode: 0 | 4;
  readonly evidence: string;
  readonly runId: string;
  readonly bundleSha256: TamperSha256;
  readonly seed: string;
  readonly extent: "short" | "whole" | "all";
  readonly levels: readonly ("a" | "b" | "c")[];
  readonly key: {
    readonly keyId: TamperKeyId;
    readonly origin: "given" | "made-for-this";
  } | null;
  readonly given: readonly (string)[];
  readonly mutations: TamperCount;
  readonly rejected: TamperCount;
  readonly kinds: readonly ({
    readonly kind: string;
    readonly level: "a" | "b" | "c";
    readonly what: string;
    readonly state: "exercised" | "not-exercised" | "not-reached";
    readonly opportunities: TamperCount;
    readonly mutations: TamperCount;
    readonly rejected: TamperCount;
    readonly survivors: TamperCount;
    readonly accepted: TamperCount;
  })[];
  readonly accepted: readonly ({
    readonly document: string;
    readonly field: string;
    readonly kind: string;
    readonly level: "a" | "b" | "c";
    readonly place: string;
    readonly judgedWith: "no-key" | "key";
  })[];
  readonly survivors: readonly ({
    readonly document: string;
    readonly field: string;
    readonly kinds: readonly (string)[];
    readonly mutations: TamperCount;
    readonly why: string;
  })[];
  readonly survivorsWithKey: TamperCount;
  readonly durationMs: TamperCount;
};

export type TamperCount = number;

export type TamperKeyId = string;

export type TamperSha256 = string;
