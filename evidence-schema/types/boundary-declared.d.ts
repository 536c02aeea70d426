// Written from the schema of the same name: npm run schemas.

/** boundary/declared.json: the restrictions as declared */
export type BoundaryDeclared = {
  readonly formatVersion: 1;
  readonly boundaries: readonly ({
    readonly exec: boolean;
    readonly limits: BoundaryDeclaredBoundaryLimits;
    readonly boundary: {
      readonly formatVersion: 1;
      readonly platform: BoundaryDeclaredPlatform;
      readonly uid: BoundaryDeclaredCount;
      readonly gid: BoundaryDeclaredCount;
      readonly supplementaryGids: readonly (BoundaryDeclaredCount)[];
      readonly capabilities: readonly (BoundaryDeclaredWord)[];
      readonly noNewPrivileges: boolean;
      readonly seccompSha256: BoundaryDeclaredSha256;
      readonly network: BoundaryDeclaredWord;
      readonly rootReadOnly: boolean;
      readonly mounts: readonly (BoundaryDeclaredWritableMount)[];
      readonly ipc: BoundaryDeclaredWord;
      readonly cgroupNamespace: BoundaryDeclaredWord;
      readonly pidsLimit: number;
      readonly memoryBytes: number;
      readonly memorySwapBytes: number;
      readonly cpuMillis: number;
      readonly hostname: BoundaryDeclaredWord;
      readonly resourceLimits: readonly ({
        readonly name: BoundaryDeclaredWord;
        readonly value: number;
      })[];
      readonly maskedPaths: readonly (BoundaryDeclaredWord)[];
      readonly readonlyPaths: readonly (BoundaryDeclaredWord)[];
    };
  })[];
  readonly seccomp: {
    readonly formatVersion: 1;
    readonly defaultErrno: "EPERM" | "ENOSYS";
    readonly allow: readonly (string)[];
    readonly allowOnly: {
      readonly "linux/amd64": readonly (string)[];
      readonly "linux/arm64": readonly (string)[];
    };
    readonly allowWhen: readonly ({
      readonly syscall: string;
      readonly reason: BoundaryDeclaredSentence;
      readonly arguments: readonly ({
        readonly index: number;
        readonly mask: string;
        readonly oneOf: readonly (string)[];
      })[];
    })[];
    readonly allowWhenOnly: {
      readonly "linux/amd64": readonly ({
        readonly syscall: string;
        readonly reason: BoundaryDeclaredSentence;
        readonly arguments: readonly ({
          readonly index: number;
          readonly mask: string;
          readonly oneOf: readonly (string)[];
        })[];
      })[];
      readonly "linux/arm64": readonly ({
        readonly syscall: string;
        readonly reason: BoundaryDeclaredSentence;
        readonly arguments: readonly ({
          readonly index: number;
          readonly mask: string;
          readonly oneOf: readonly (string)[];
        })[];
      })[];
    };
    readonly answers: readonly ({
      readonly syscall: string;
      readonly errno: "EPERM" | "ENOSYS";
      readonly reason: BoundaryDeclaredSentence;
    })[];
    readonly refused: readonly ({
      readonly reason: BoundaryDeclaredSentence;
      readonly syscalls: readonly (string)[];
    })[];
  };
};

export type BoundaryDeclaredBoundaryLimits = readonly ({
  readonly name: "cpuMillis" | "fileSizeBytes" | "homeBytes" | "memoryBytes" | "openFiles" | "pids" | "tmpBytes" | "workBytes";
  readonly value: BoundaryDeclaredCount;
})[];

export type BoundaryDeclaredCount = number;

export type BoundaryDeclaredMode = string;

export type BoundaryDeclaredPlatform = "linux/amd64" | "linux/arm64";

export type BoundaryDeclaredSentence = string;

export type BoundaryDeclaredSha256 = string;

export type BoundaryDeclaredWord = string;

export type BoundaryDeclaredWritableMount = {
  readonly path: BoundaryDeclaredWord;
  readonly sizeBytes: BoundaryDeclaredCount;
  readonly inodes: BoundaryDeclaredCount;
  readonly uid: BoundaryDeclaredCount;
  readonly gid: BoundaryDeclaredCount;
  readonly mode: BoundaryDeclaredMode;
  readonly exec: boolean;
};
