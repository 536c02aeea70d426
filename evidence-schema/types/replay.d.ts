// Written from the schema of the same name: npm run schemas.

/** what packproof replay --json says */
export type Replay = {
  readonly formatVersion: 1;
  readonly result: ReplayResult;
  readonly exitCode: 0 | 1;
  readonly candidate: {
    readonly name: string;
    readonly version: string;
    readonly sha256: ReplaySha256;
    readonly sha512: string;
  };
  readonly recorded: ReplaySide;
  readonly replayed: ReplaySide;
  readonly images: readonly ({
    readonly node: string;
    readonly configDigest: ReplaySha256;
    readonly diffIds: readonly (ReplaySha256)[];
  })[];
  readonly sameBoundary: boolean;
  readonly counts: {
    readonly identical: ReplayCount;
    readonly equivalent: ReplayCount;
    readonly different: ReplayCount;
  };
  readonly cases: readonly ({
    readonly id: string;
    readonly result: ReplayResult;
    readonly differences: readonly ({
      readonly kind: "case-absent" | "outcome" | "check" | "attempts" | "steps" | "termination" | "stream" | "files" | "control" | "kept-file" | "leftovers";
      readonly decisive: boolean;
      readonly volatile: string | null;
      readonly where: string;
      readonly recorded: string;
      readonly replayed: string;
      readonly bytes: {
        readonly offset: ReplayCount;
        readonly recordedHex: string;
        readonly replayedHex: string;
      } | null;
    })[];
  })[];
  readonly durationMs: ReplayCount;
};

export type ReplayCount = number;

export type ReplayResult = "identical" | "equivalent" | "different";

export type ReplaySha256 = string;

export type ReplaySide = {
  readonly runId: string;
  readonly bundleSha256: ReplaySha256;
  readonly engine: {
    readonly name: "docker" | "runc";
    readonly version: string;
  } | null;
  readonly exitCode: number;
  readonly harness: {
    readonly version: string;
    readonly distSha256: ReplaySha256;
  };
};
