// Written from the schema of the same name: npm run schemas.

/** report.json: the run as a whole */
export type Report = {
  readonly formatVersion: 1;
  readonly runId: ReportRunId;
  readonly nonce: string | null;
  readonly result: "passed" | "failed" | "error";
  readonly exitCode: number;
  readonly candidate: {
    readonly name: ReportSentence;
    readonly version: ReportSentence;
    readonly sha256: ReportSha256;
    readonly sha512: ReportSha512;
  };
  readonly platform: ReportPlatform;
  readonly engine: {
    readonly name: "docker" | "runc";
    readonly version: ReportWord;
    readonly apiVersion: ReportWord | null;
    readonly runtime: {
      readonly name: ReportWord;
      readonly version: ReportWord;
    };
    readonly kernel: ReportWord;
    readonly cgroupVersion: 1 | 2;
    readonly storage: ReportWord;
    readonly evidenceWay: "host" | "engine-archive";
  } | null;
  readonly nodeVersions: readonly (ReportNodeVersion)[];
  readonly npmVersion: ReportVersion | null;
  readonly scripts: "off" | "on";
  readonly startedAt: ReportTime;
  readonly finishedAt: ReportTime;
  readonly durationMs: ReportDuration;
  readonly budget: {
    readonly limitMs: ReportDuration;
    readonly usedMs: ReportDuration;
    readonly exhausted: boolean;
  };
  readonly limits: {
    readonly caseTimeoutMs: number;
    readonly jobs: number;
    readonly repeat: number;
  };
  readonly selection: {
    readonly only: readonly (string)[];
    readonly shard: {
      readonly index: number;
      readonly count: number;
      readonly durationsSha256: ReportSha256 | null;
    } | null;
    readonly shuffle: string | null;
  };
  readonly watchdog: {
    readonly limitMs: ReportDuration;
    readonly firedAtMs: ReportDuration | null;
    readonly kills: readonly ({
      readonly boxName: ReportWord;
      readonly askedAtMs: ReportDuration;
      readonly doneAtMs: ReportDuration;
      readonly result: "killed" | "already-gone" | "failed";
    })[];
  } | null;
  readonly timings: {
    readonly prepareMs: ReportDuration | null;
    readonly probeMs: ReportDuration;
    readonly casesMs: ReportDuration;
    readonly totalMs: ReportDuration;
  } | null;
  readonly interruptedBy: "SIGINT" | "SIGTERM" | "SIGHUP" | null;
  readonly counts: {
    readonly pass: ReportCount;
    readonly fail: ReportCount;
    readonly error: ReportCount;
    readonly unrun: ReportCount;
    readonly excluded: ReportCount;
    readonly unsupported: ReportCount;
    readonly flaky: ReportCount;
  };
  readonly declared: ReportCount;
  readonly executed: ReportCount;
  readonly blocked: {
    readonly stage: "audit" | "resolve" | "install";
    readonly code: ReportWord;
    readonly where: ReportSentence;
    readonly expected: ReportSentence;
    readonly actual: ReportSentence;
  } | null;
  readonly exclusions: readonly ({
    readonly caseId: ReportCaseId;
    readonly reason: ReportSentence;
  })[];
  readonly expectedUnsupported: readonly ({
    readonly caseId: ReportCaseId;
    readonly reason: ReportSentence;
  })[];
  readonly staleExpectations: readonly ({
    readonly caseId: ReportCaseId;
    readonly node: ReportNodeVersion;
    readonly outcome: "pass" | "fail" | "error" | "unrun" | "excluded" | "unsupported" | "flaky";
  })[];
  readonly references: {
    readonly observed: ReportCount;
    readonly excluded: readonly ({
      readonly caseId: ReportCaseId;
      readonly node: ReportNodeVersion;
      readonly attempt: number;
      readonly step: ReportStepName;
      readonly archive: string;
      readonly termination: {
        readonly kind: "exited";
        readonly code: number;
      } | {
        readonly kind: "signaled";
        readonly signal: ReportSignalName;
      } | {
        readonly kind: "timed-out";
        readonly limitMs: number;
      } | {
        readonly kind: "output-limit";
        readonly stream: ReportStreamName;
      } | {
        readonly kind: "budget";
      } | {
        readonly kind: "interrupted";
      } | {
        readonly kind: "not-started";
        readonly errno: string;
      };
    })[];
  };
  readonly waivers: readonly ({
    readonly code: ReportWord;
    readonly path: ReportSentence | null;
    readonly reason: ReportSentence;
    readonly expires: ReportDay;
  })[];
  readonly harness: {
    readonly version: ReportVersion;
    readonly distSha256: ReportSha256;
    readonly verifierSha256: ReportSha256;
  };
  readonly suites: readonly ({
    readonly id: ReportCaseId;
    readonly proves: readonly (ReportSentence)[];
    readonly doesNotProve: readonly (ReportSentence)[];
    readonly caseClaims: readonly ({
      readonly caseId: ReportCaseId;
      readonly proves: readonly (ReportSentence)[];
      readonly doesNotProve: readonly (ReportSentence)[];
    })[];
    readonly volatile: number;
  })[];
};

export type ReportCaseId = string;

export type ReportCount = number;

export type ReportDay = string;

export type ReportDuration = number;

export type ReportNodeVersion = string;

export type ReportPlatform = "linux/amd64" | "linux/arm64";

export type ReportRunId = string;

export type ReportSentence = string;

export type ReportSha256 = string;

export type ReportSha512 = string;

export type ReportSignalName = string;

export type ReportStepName = string;

export type ReportStreamName = "stdout" | "stderr";

export type ReportTime = string;

export type ReportVersion = string;

export type ReportWord = string;
