// Written from the schema of the same name: npm run schemas.

/** boundary/engine.json: the restrictions as the engine tells them */
export type BoundaryEngine = {
  readonly formatVersion: 1;
  readonly views: readonly ({
    readonly node: BoundaryEngineNodeVersion;
    readonly exec: boolean;
    readonly limits: BoundaryEngineBoundaryLimits;
    readonly outside: {
      readonly inspect: BoundaryEngineInspect;
      readonly status: { readonly [name: string]: BoundaryEngineWord } | null;
      readonly mounts: readonly (BoundaryEngineMount)[] | null;
      readonly namespaces: { readonly [name: string]: "private" | "host" } | null;
      readonly limits: {
        readonly pids: number;
        readonly memoryBytes: number;
        readonly memorySwapBytes: number;
        readonly cpuMillis: number;
      } | null;
    };
  })[];
};

export type BoundaryEngineBoundaryLimits = readonly ({
  readonly name: "cpuMillis" | "fileSizeBytes" | "homeBytes" | "memoryBytes" | "openFiles" | "pids" | "tmpBytes" | "workBytes";
  readonly value: BoundaryEngineCount;
})[];

export type BoundaryEngineCount = number;

export type BoundaryEngineInspect = {
  readonly user: BoundaryEngineWord;
  readonly supplementaryGids: readonly (BoundaryEngineCount)[];
  readonly capabilities: readonly (BoundaryEngineWord)[];
  readonly privileged: boolean;
  readonly noNewPrivileges: boolean;
  readonly seccompFormSha256: BoundaryEngineSha256;
  readonly networkMode: BoundaryEngineWord;
  readonly ipcMode: BoundaryEngineWord;
  readonly pidMode: BoundaryEngineWord;
  readonly utsMode: BoundaryEngineWord;
  readonly cgroupNamespaceMode: BoundaryEngineWord;
  readonly rootReadOnly: boolean;
  readonly writableMounts: readonly (BoundaryEngineWritableMount)[];
  readonly hostBinds: readonly (BoundaryEngineWord)[];
  readonly devices: readonly (BoundaryEngineWord)[];
  readonly pidsLimit: number;
  readonly memoryBytes: number;
  readonly memorySwapBytes: number;
  readonly cpuMillis: number;
  readonly hostname: BoundaryEngineWord;
  readonly resourceLimits: readonly ({
    readonly name: BoundaryEngineWord;
    readonly value: number;
  })[];
  readonly maskedPaths: readonly (BoundaryEngineWord)[];
  readonly readonlyPaths: readonly (BoundaryEngineWord)[];
};

export type BoundaryEngineMode = string;

export type BoundaryEngineMount = {
  readonly path: BoundaryEngineWord;
  readonly type: BoundaryEngineWord;
  readonly options: readonly (BoundaryEngineWord)[];
};

export type BoundaryEngineNodeVersion = string;

export type BoundaryEngineSha256 = string;

export type BoundaryEngineWord = string;

export type BoundaryEngineWritableMount = {
  readonly path: BoundaryEngineWord;
  readonly sizeBytes: BoundaryEngineCount;
  readonly inodes: BoundaryEngineCount;
  readonly uid: BoundaryEngineCount;
  readonly gid: BoundaryEngineCount;
  readonly mode: BoundaryEngineMode;
  readonly exec: boolean;
};
