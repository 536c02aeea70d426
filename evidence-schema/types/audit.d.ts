// Written from the schema of the same name: npm run schemas.

/** inputs/audit.json: findings on the candidate's bytes */
export type Audit = {
  readonly formatVersion: 1;
  readonly candidate: {
    readonly name: AuditSentence | null;
    readonly version: AuditSentence | null;
    readonly sha256: AuditSha256;
    readonly sha512: AuditSha512;
    readonly sizeBytes: AuditCount;
  };
  readonly entries: AuditCount;
  readonly unpackedBytes: AuditCount;
  readonly root: AuditSentence | null;
  readonly complete: boolean;
  readonly manifest: {
    readonly name: AuditSentence | null;
    readonly version: AuditSentence | null;
    readonly type: "module" | "commonjs" | null;
    readonly private: boolean;
    readonly bins: readonly ({
      readonly name: AuditSentence;
      readonly path: AuditSentence;
      readonly declaredBy: "bin" | "directories.bin";
    })[];
    readonly main: AuditSentence | null;
    readonly exports: readonly ({
      readonly subpath: AuditSentence;
      readonly targets: readonly (AuditSentence)[];
    })[];
    readonly engines: {
      readonly node: AuditSentence | null;
      readonly npm: AuditSentence | null;
    };
    readonly os: readonly (AuditSentence)[];
    readonly cpu: readonly (AuditSentence)[];
    readonly libc: readonly (AuditSentence)[];
    readonly dependencies: readonly ({
      readonly name: AuditSentence;
      readonly spec: AuditSentence;
    })[];
    readonly optionalDependencies: readonly ({
      readonly name: AuditSentence;
      readonly spec: AuditSentence;
    })[];
    readonly peerDependencies: readonly ({
      readonly name: AuditSentence;
      readonly spec: AuditSentence;
      readonly optional: boolean;
    })[];
    readonly bundledDependencies: readonly (AuditSentence)[];
    readonly installScripts: readonly ({
      readonly name: "preinstall" | "install" | "postinstall";
      readonly command: AuditSentence;
      readonly implicit: boolean;
    })[];
    readonly hasShrinkwrap: boolean;
  } | null;
  readonly findings: readonly ({
    readonly code: string;
    readonly severity: "gate" | "warn" | "info";
    readonly unsafe: boolean;
    readonly path: AuditSentence;
    readonly expected: AuditSentence;
    readonly actual: AuditSentence;
    readonly waived: {
      readonly reason: AuditSentence;
      readonly expires: AuditDay;
    } | null;
  })[];
  readonly omitted: readonly ({
    readonly code: string;
    readonly count: AuditCount;
  })[];
  readonly waivers: readonly ({
    readonly code: string;
    readonly path: AuditSentence | null;
    readonly reason: AuditSentence;
    readonly expires: AuditDay;
    readonly state: "used" | "unused" | "expired";
  })[];
};

export type AuditCount = number;

export type AuditDay = string;

export type AuditSentence = string;

export type AuditSha256 = string;

export type AuditSha512 = string;
