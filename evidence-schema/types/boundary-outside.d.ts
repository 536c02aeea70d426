// Written from the schema of the same name: npm run schemas.

/** boundary/outside/<sha256>.json: a box as read from outside */
export type BoundaryOutside = {
  readonly formatVersion: 1;
  readonly outside: {
    readonly inspect: BoundaryOutsideInspect;
    readonly status: { readonly [name: string]: BoundaryOutsideWord } | null;
    readonly mounts: readonly (BoundaryOutsideMount)[] | null;
    readonly namespaces: { readonly [name: string]: "private" | "host" } | null;
    readonly limits: {
      readonly pids: number;
      readonly memoryBytes: number;
      readonly memorySwapBytes: number;
      readonly cpuMillis: number;
    } | null;
  };
};

export type BoundaryOutsideCount = number;

export type BoundaryOutsideInspect = {
  readonly user: BoundaryOutsideWord;
  readonly supplementaryGids: readonly (BoundaryOutsideCount)[];
  readonly capabilities: readonly (BoundaryOutsideWord)[];
  readonly privileged: boolean;
  readonly noNewPrivileges: boolean;
  readonly seccompFormSha256: BoundaryOutsideSha256;
  readonly networkMode: BoundaryOutsideWord;
  readonly ipcMode: BoundaryOutsideWord;
  readonly pidMode: BoundaryOutsideWord;
  readonly utsMode: BoundaryOutsideWord;
  readonly cgroupNamespaceMode: BoundaryOutsideWord;
  readonly rootReadOnly: boolean;
  readonly writableMounts: readonly (BoundaryOutsideWritableMount)[];
  readonly hostBinds: readonly (BoundaryOutsideWord)[];
  readonly devices: readonly (BoundaryOutsideWord)[];
  readonly pidsLimit: number;
  readonly memoryBytes: number;
  readonly memorySwapBytes: number;
  readonly cpuMillis: number;
  readonly hostname: BoundaryOutsideWord;
  readonly resourceLimits: readonly ({
    readonly name: BoundaryOutsideWord;
    readonly value: number;
  })[];
  readonly maskedPaths: readonly (BoundaryOutsideWord)[];
  readonly readonlyPaths: readonly (BoundaryOutsideWord)[];
};

export type BoundaryOutsideMode = string;

export type BoundaryOutsideMount = {
  readonly path: BoundaryOutsideWord;
  readonly type: BoundaryOutsideWord;
  readonly options: readonly (BoundaryOutsideWord)[];
};

export type BoundaryOutsideSha256 = string;

export type BoundaryOutsideWord = string;

export type BoundaryOutsideWritableMount = {
  readonly path: BoundaryOutsideWord;
  readonly sizeBytes: BoundaryOutsideCount;
  readonly inodes: BoundaryOutsideCount;
  readonly uid: BoundaryOutsideCount;
  readonly gid: BoundaryOutsideCount;
  readonly mode: BoundaryOutsideMode;
  readonly exec: boolean;
};
