// Written from the schema of the same name: npm run schemas.

/** what packproof audit --json says */
export type ResultAudit = {
  readonly result: "passed" | "failed";
  readonly exitCode: number;
  readonly formatVersion: 1;
  readonly candidate: {
    readonly name: ResultAuditSentence | null;
    readonly version: ResultAuditSentence | null;
    readonly sha256: ResultAuditSha256;
    readonly sha512: ResultAuditSha512;
    readonly sizeBytes: ResultAuditCount;
  };
  readonly entries: ResultAuditCount;
  readonly unpackedBytes: ResultAuditCount;
  readonly root: ResultAuditSentence | null;
  readonly complete: boolean;
  readonly manifest: {
    readonly name: ResultAuditSentence | null;
    readonly version: ResultAuditSentence | null;
    readonly type: "module" | "commonjs" | null;
    readonly private: boolean;
    readonly bins: readonly ({
      readonly name: ResultAuditSentence;
      readonly path: ResultAuditSentence;
      readonly declaredBy: "bin" | "directories.bin";
    })[];
    readonly main: ResultAuditSentence | null;
    readonly exports: readonly ({
      readonly subpath: ResultAuditSentence;
      readonly targets: readonly (ResultAuditSentence)[];
    })[];
    readonly engines: {
      readonly node: ResultAuditSentence | null;
      readonly npm: ResultAuditSentence | null;
    };
    readonly os: readonly (ResultAuditSentence)[];
    readonly cpu: readonly (ResultAuditSentence)[];
    readonly libc: readonly (ResultAuditSentence)[];
    readonly dependencies: readonly ({
      readonly name: ResultAuditSentence;
      readonly spec: ResultAuditSentence;
    })[];
    readonly optionalDependencies: readonly ({
      readonly name: ResultAuditSentence;
      readonly spec: ResultAuditSentence;
    })[];
    readonly peerDependencies: readonly ({
      readonly name: ResultAuditSentence;
      readonly spec: ResultAuditSentence;
      readonly optional: boolean;
    })[];
    readonly bundledDependencies: readonly (ResultAuditSentence)[];
    readonly installScripts: readonly ({
      readonly name: "preinstall" | "install" | "postinstall";
      readonly command: ResultAuditSentence;
      readonly implicit: boolean;
    })[];
    readonly hasShrinkwrap: boolean;
  } | null;
  readonly findings: readonly ({
    readonly code: string;
    readonly severity: "gate" | "warn" | "info";
    readonly unsafe: boolean;
    readonly path: ResultAuditSentence;
    readonly expected: ResultAuditSentence;
    readonly actual: ResultAuditSentence;
    readonly waived: {
      readonly reason: ResultAuditSentence;
      readonly expires: ResultAuditDay;
    } | null;
    readonly advice: ResultAuditSentence;
  })[];
  readonly omitted: readonly ({
    readonly code: string;
    readonly count: ResultAuditCount;
  })[];
  readonly waivers: readonly ({
    readonly code: string;
    readonly path: ResultAuditSentence | null;
    readonly reason: ResultAuditSentence;
    readonly expires: ResultAuditDay;
    readonly state: "used" | "unused" | "expired";
  })[];
};

export type ResultAuditCount = number;

export type ResultAuditDay = string;

export type ResultAuditSentence = string;

export type ResultAuditSha256 = string;

export type ResultAuditSha512 = string;
