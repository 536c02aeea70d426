// Written from the schema of the same name: npm run schemas.

/** cases/<case>/receipt.json: the record of one case */
export type Receipt = {
  readonly formatVersion: 1;
  readonly runId: ReceiptRunId;
  readonly suite: ReceiptCaseId;
  readonly caseId: ReceiptCaseId;
  readonly node: ReceiptNodeVersion;
  readonly outcome: "pass" | "fail" | "error" | "unrun" | "excluded" | "unsupported" | "flaky";
  readonly reason: "budget" | "interrupted" | "selection" | "exclusion" | "audit" | "no-node-version" | "not-of-this-class" | "classification-missing" | "attempts-differ" | "box-not-opened" | "box-lost" | "not-observed" | "not-evaluated" | "image-unread" | "check-not-judged" | "control-failed" | "no-check-exercised" | null;
  readonly detail: ReceiptSentence;
  readonly proves: readonly (ReceiptSentence)[];
  readonly doesNotProve: readonly (ReceiptSentence)[];
  readonly checks: readonly (ReceiptCheck)[];
  readonly attempts: readonly (ReceiptAttempt)[];
};

export type ReceiptAttempt = {
  readonly attempt: number;
  readonly folder: string;
  readonly boxId: string;
  readonly steps: readonly (ReceiptStep)[];
  readonly leftovers: readonly (ReceiptProcess)[];
  readonly filesTruncated: readonly (ReceiptSentence)[];
  readonly outsideSha256: ReceiptSha256;
  readonly end: {
    readonly oomKilled: boolean;
    readonly oomKills: ReceiptCount | null;
    readonly inspect: { readonly [name: string]: ReceiptWord | boolean | number | null };
  };
  readonly teardown: readonly ({
    readonly action: "freeze" | "list" | "kill-all" | "drain" | "lay" | "undo" | "snapshot" | "kill-box" | "close";
    readonly atMs: ReceiptDuration;
    readonly detail: ReceiptSentence;
  })[];
};

export type ReceiptCaseId = string;

export type ReceiptCheck = {
  readonly id: ReceiptCheckId;
  readonly severity: ReceiptSeverity;
  readonly result: "pass" | "fail" | "not-exercised" | "error";
  readonly message: ReceiptSentence;
};

export type ReceiptCheckId = string;

export type ReceiptCount = number;

export type ReceiptDuration = number;

export type ReceiptNodeVersion = string;

export type ReceiptProcess = {
  readonly pid: ReceiptCount | null;
  readonly parentPid: ReceiptCount | null;
  readonly argv: readonly (ReceiptSentence)[];
  readonly state: ReceiptWord;
};

export type ReceiptRunId = string;

export type ReceiptSentence = string;

export type ReceiptSeverity = "gate" | "warn" | "info";

export type ReceiptSha256 = string;

export type ReceiptSignalName = string;

export type ReceiptStep = {
  readonly name: ReceiptStepName;
  readonly argv: readonly (ReceiptSentence)[];
  readonly startedAt: ReceiptTime;
  readonly durationMs: ReceiptDuration;
  readonly termination: {
    readonly kind: "exited";
    readonly code: number;
  } | {
    readonly kind: "signaled";
    readonly signal: ReceiptSignalName;
  } | {
    readonly kind: "timed-out";
    readonly limitMs: number;
  } | {
    readonly kind: "output-limit";
    readonly stream: ReceiptStreamName;
  } | {
    readonly kind: "budget";
  } | {
    readonly kind: "interrupted";
  } | {
    readonly kind: "not-started";
    readonly errno: string;
  };
  readonly killedBy: "candidate" | "packproof" | "engine" | "oom" | null;
  readonly oomKilled: boolean;
  readonly stdout: ReceiptStream;
  readonly stderr: ReceiptStream;
};

export type ReceiptStepName = string;

export type ReceiptStream = {
  readonly totalBytes: ReceiptCount;
  readonly keptBytes: ReceiptCount;
  readonly totalSha256: ReceiptSha256;
  readonly keptSha256: ReceiptSha256;
  readonly truncated: boolean;
  readonly eofSeen: boolean;
  readonly lastByteAtMs: ReceiptDuration | null;
};

export type ReceiptStreamName = "stdout" | "stderr";

export type ReceiptTime = string;

export type ReceiptWord = string;
