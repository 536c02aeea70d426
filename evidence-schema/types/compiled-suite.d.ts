// Written from the schema of the same name: npm run schemas.

/** inputs/suites/<id>/suite.json: a suite as it is run */
export type CompiledSuite = {
  readonly formatVersion: 1;
  readonly id: CompiledSuiteCaseId;
  readonly title: CompiledSuiteSentence;
  readonly proves: readonly (CompiledSuiteSentence)[];
  readonly doesNotProve: readonly (CompiledSuiteSentence)[];
  readonly archives: readonly (CompiledSuiteArchive)[];
  readonly cases: readonly (CompiledSuiteCase)[];
  readonly exclusions: readonly (CompiledSuiteException)[];
  readonly expectedUnsupported: readonly (CompiledSuiteException)[];
};

export type CompiledSuiteArchive = {
  readonly name: string;
  readonly sha256: CompiledSuiteSha256;
  readonly sizeBytes: number;
  readonly unpack: "none" | "tar" | "tar.gz" | "tar.xz";
  readonly strip: number;
  readonly source: {
    readonly kind: "given";
  } | {
    readonly kind: "file";
    readonly path: string;
  } | {
    readonly kind: "npm";
    readonly package: string;
    readonly version: string;
  };
};

export type CompiledSuiteBoundaryLimits = readonly ({
  readonly name: "cpuMillis" | "fileSizeBytes" | "homeBytes" | "memoryBytes" | "openFiles" | "pids" | "tmpBytes" | "workBytes";
  readonly value: CompiledSuiteCount;
})[];

export type CompiledSuiteBoxPath = string;

export type CompiledSuiteCase = {
  readonly id: CompiledSuiteCaseId;
  readonly why: CompiledSuiteSentence;
  readonly proves: readonly (CompiledSuiteSentence)[];
  readonly doesNotProve: readonly (CompiledSuiteSentence)[];
  readonly tags: readonly (string)[];
  readonly requires: {
    readonly classification: CompiledSuiteCaseId;
    readonly classes: readonly ("cli" | "reads-stdin" | "server" | "mcp-server" | "needs-terminal" | "broken" | "unclear")[];
  } | null;
  readonly node: "each" | "first" | readonly ({
    readonly from: string;
    readonly below: string | null;
  })[];
  readonly exec: boolean;
  readonly limits: CompiledSuiteBoundaryLimits;
  readonly outputBytes: number;
  readonly settleMs: number;
  readonly files: readonly (CompiledSuiteFile)[];
  readonly steps: readonly (CompiledSuiteStep)[];
  readonly controls: readonly ({
    readonly step: CompiledSuiteStepName;
    readonly phase: "positive" | "negative" | "restored";
    readonly files: readonly ({
      readonly kind: "file";
      readonly path: CompiledSuiteBoxPath;
      readonly mode: string;
      readonly contentBase64: string;
    })[];
    readonly remove: readonly (CompiledSuiteBoxPath)[];
    readonly restore: readonly (CompiledSuiteBoxPath)[];
  })[];
  readonly references: readonly ({
    readonly step: CompiledSuiteStepName;
    readonly archive: string;
    readonly files: readonly ({
      readonly kind: "file";
      readonly path: CompiledSuiteBoxPath;
      readonly mode: string;
      readonly contentBase64: string;
    })[];
  })[];
  readonly checks: readonly (CompiledSuiteCheck)[];
  readonly volatile: readonly ({
    readonly kind: "stream";
    readonly step: CompiledSuiteStepName;
    readonly stream: CompiledSuiteStreamName;
    readonly pattern: string | null;
    readonly why: string;
  } | {
    readonly kind: "files";
    readonly path: CompiledSuiteBoxPath;
    readonly why: string;
  })[];
};

export type CompiledSuiteCaseId = string;

export type CompiledSuiteCheck = {
  readonly id: CompiledSuiteCheckId;
  readonly severity: CompiledSuiteSeverity;
  readonly why: CompiledSuiteSentence;
  readonly advice: CompiledSuiteSentence;
  readonly precondition: CompiledSuiteExpectation | null;
  readonly expect: CompiledSuiteExpectation;
};

export type CompiledSuiteCheckId = string;

export type CompiledSuiteCount = number;

export type CompiledSuiteException = {
  readonly cases: string;
  readonly reason: string;
  readonly count: number;
};

export type CompiledSuiteExpectation = {
  readonly kind: "all";
  readonly of: readonly (CompiledSuiteExpectation)[];
} | {
  readonly kind: "any";
  readonly of: readonly (CompiledSuiteExpectation)[];
} | {
  readonly kind: "not";
  readonly of: CompiledSuiteExpectation;
} | {
  readonly kind: "termination";
  readonly step: CompiledSuiteStepName;
  readonly caseId: CompiledSuiteCaseId | null;
  readonly anyOf: readonly ({
    readonly kind: "exited";
    readonly codes: "any" | "nonzero" | readonly (number)[];
  } | {
    readonly kind: "signaled";
    readonly signals: "any" | readonly (CompiledSuiteSignalName)[];
  } | {
    readonly kind: "timed-out";
  } | {
    readonly kind: "output-limit";
  } | {
    readonly kind: "budget";
  } | {
    readonly kind: "interrupted";
  } | {
    readonly kind: "not-started";
  })[];
} | {
  readonly kind: "stream-equals";
  readonly of: CompiledSuiteStreamReference;
  readonly contentBase64: string;
} | {
  readonly kind: "stream-empty";
  readonly of: CompiledSuiteStreamReference;
  readonly ignoreWhitespace: boolean;
} | {
  readonly kind: "stream-includes";
  readonly of: CompiledSuiteStreamReference;
  readonly text: string;
} | {
  readonly kind: "stream-matches";
  readonly of: CompiledSuiteStreamReference;
  readonly pattern: string;
} | {
  readonly kind: "stream-no-escapes";
  readonly of: CompiledSuiteStreamReference;
} | {
  readonly kind: "stream-utf8";
  readonly of: CompiledSuiteStreamReference;
} | {
  readonly kind: "stream-size";
  readonly of: CompiledSuiteStreamReference;
  readonly minBytes: number | null;
  readonly maxBytes: number | null;
} | {
  readonly kind: "streams-equal";
  readonly left: CompiledSuiteStreamReference;
  readonly right: CompiledSuiteStreamReference;
} | {
  readonly kind: "file-equals-stream";
  readonly path: CompiledSuiteBoxPath;
  readonly of: CompiledSuiteStreamReference;
} | {
  readonly kind: "file-not-longer";
  readonly path: CompiledSuiteBoxPath;
  readonly than: CompiledSuiteStreamReference;
} | {
  readonly kind: "json-lines";
  readonly of: CompiledSuiteStreamReference;
  readonly jsonRpc: boolean;
  readonly nonJson: "refuse" | "skip";
} | {
  readonly kind: "json-rpc-answer";
  readonly of: CompiledSuiteStreamReference;
  readonly id: string | number;
  readonly resultHas: readonly (string)[];
} | {
  readonly kind: "json-rpc-value";
  readonly of: CompiledSuiteStreamReference;
  readonly id: string | number;
  readonly pointer: string;
  readonly anyOf: readonly (CompiledSuiteSentence)[];
} | {
  readonly kind: "json-rpc-error";
  readonly of: CompiledSuiteStreamReference;
  readonly id: string | number;
  readonly codes: readonly (number)[];
} | {
  readonly kind: "json-rpc-ids";
  readonly of: CompiledSuiteStreamReference;
  readonly sent: readonly (string | number)[];
} | {
  readonly kind: "json-value";
  readonly of: CompiledSuiteStreamReference;
  readonly scope: "stream" | "every-line" | "some-line";
  readonly rule: "equals" | "subset" | "schema";
  readonly json: string;
} | {
  readonly kind: "files-unchanged";
  readonly below: readonly (CompiledSuiteBoxPath)[];
  readonly except: readonly (CompiledSuiteBoxPath)[];
  readonly compare: readonly ("bytes" | "modes" | "times")[];
} | {
  readonly kind: "path-changed";
  readonly path: CompiledSuiteBoxPath;
  readonly change: "created" | "removed" | "changed";
  readonly control: CompiledSuiteStepName | null;
} | {
  readonly kind: "path-absent";
  readonly path: CompiledSuiteBoxPath;
  readonly control: CompiledSuiteStepName | null;
} | {
  readonly kind: "control-undone";
  readonly control: CompiledSuiteStepName;
} | {
  readonly kind: "no-canaries";
  readonly texts: readonly (string)[];
} | {
  readonly kind: "file-is";
  readonly path: CompiledSuiteBoxPath;
  readonly type: "file" | "directory" | "symlink" | "fifo" | "socket";
  readonly mode: CompiledSuiteMode | null;
  readonly sha256: CompiledSuiteSha256 | null;
  readonly target: string | null;
  readonly control: CompiledSuiteStepName | null;
} | {
  readonly kind: "duration";
  readonly step: CompiledSuiteStepName;
  readonly minMs: number | null;
  readonly maxMs: number | null;
} | {
  readonly kind: "no-leftovers";
} | {
  readonly kind: "no-oom-kill";
} | {
  readonly kind: "no-files-created";
  readonly below: readonly (CompiledSuiteBoxPath)[];
  readonly except: readonly (CompiledSuiteBoxPath)[];
} | {
  readonly kind: "exit-lag";
  readonly step: CompiledSuiteStepName;
  readonly maxMs: number;
} | {
  readonly kind: "ended-after-signal";
  readonly step: CompiledSuiteStepName;
  readonly signal: CompiledSuiteSignalName;
  readonly withinMs: number;
} | {
  readonly kind: "action-absent";
  readonly step: CompiledSuiteStepName;
  readonly action: "signal";
  readonly detail: CompiledSuiteSignalName;
} | {
  readonly kind: "classified";
  readonly caseId: CompiledSuiteCaseId | null;
  readonly classes: readonly ("cli" | "reads-stdin" | "server" | "mcp-server" | "needs-terminal" | "broken" | "unclear")[];
};

export type CompiledSuiteFile = {
  readonly kind: "directory";
  readonly path: CompiledSuiteBoxPath;
  readonly mode: string;
} | {
  readonly kind: "file";
  readonly path: CompiledSuiteBoxPath;
  readonly mode: string;
  readonly contentBase64: string;
} | {
  readonly kind: "symlink";
  readonly path: CompiledSuiteBoxPath;
  readonly target: string;
} | {
  readonly kind: "fifo";
  readonly path: CompiledSuiteBoxPath;
  readonly mode: string;
} | {
  readonly kind: "socket";
  readonly path: CompiledSuiteBoxPath;
  readonly mode: string;
} | {
  readonly kind: "sparse";
  readonly path: CompiledSuiteBoxPath;
  readonly mode: string;
  readonly sizeBytes: number;
} | {
  readonly kind: "times";
  readonly path: CompiledSuiteBoxPath;
  readonly mtimeSeconds: number;
} | {
  readonly kind: "owner";
  readonly path: CompiledSuiteBoxPath;
  readonly uid: number;
  readonly gid: number;
};

export type CompiledSuiteMode = string;

export type CompiledSuiteSentence = string;

export type CompiledSuiteSeverity = "gate" | "warn" | "info";

export type CompiledSuiteSha256 = string;

export type CompiledSuiteSignalName = string;

export type CompiledSuiteStep = {
  readonly name: CompiledSuiteStepName;
  readonly argv: readonly (string)[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: CompiledSuiteBoxPath;
  readonly stdin: {
    readonly kind: "closed";
  } | {
    readonly kind: "idle";
  } | {
    readonly kind: "bytes";
    readonly contentBase64: string;
    readonly thenClose: boolean;
  } | {
    readonly kind: "fill";
    readonly sizeBytes: number;
    readonly thenClose: boolean;
  } | {
    readonly kind: "dialogue";
    readonly exchanges: readonly ({
      readonly line: CompiledSuiteSentence;
      readonly answerId: string | number | null;
      readonly waitMs: number;
    })[];
    readonly ladder: {
      readonly afterEofMs: number;
      readonly afterTermMs: number;
    };
  };
  readonly stdout: "pipe" | {
    readonly file: CompiledSuiteBoxPath;
  } | {
    readonly closeAfterBytes: number;
  };
  readonly signals: readonly ({
    readonly signal: CompiledSuiteSignalName;
    readonly after: "start" | "first-output";
    readonly delayMs: number;
  })[];
  readonly timeoutMs: number;
};

export type CompiledSuiteStepName = string;

export type CompiledSuiteStreamName = "stdout" | "stderr";

export type CompiledSuiteStreamReference = {
  readonly caseId: CompiledSuiteCaseId | null;
  readonly step: CompiledSuiteStepName;
  readonly stream: CompiledSuiteStreamName;
};
