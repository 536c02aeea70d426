// Written from the schema of the same name: npm run schemas.

/** boundary/measured.json: the restrictions as measured */
export type BoundaryMeasured = {
  readonly formatVersion: 1;
  readonly views: readonly ({
    readonly node: BoundaryMeasuredNodeVersion;
    readonly exec: boolean;
    readonly limits: BoundaryMeasuredBoundaryLimits;
    readonly measured: {
      readonly formatVersion: 1;
      readonly platform: BoundaryMeasuredPlatform;
      readonly status: { readonly [name: string]: BoundaryMeasuredWord };
      readonly mounts: readonly (BoundaryMeasuredMount)[];
      readonly spaces: readonly ({
        readonly path: BoundaryMeasuredWord;
        readonly sizeBytes: number;
        readonly inodes: number;
      })[];
      readonly resourceLimits: readonly ({
        readonly name: BoundaryMeasuredWord;
        readonly soft: number;
        readonly hard: number;
      })[];
      readonly limits: {
        readonly pids: number | null;
        readonly memoryBytes: number | null;
        readonly memorySwapBytes: number | null;
        readonly cpuMillis: number | null;
      };
      readonly interfaces: readonly (BoundaryMeasuredWord)[];
      readonly unixSockets: readonly (BoundaryMeasuredWord)[];
      readonly setIdFiles: readonly (BoundaryMeasuredWord)[];
      readonly cgroupPaths: readonly (BoundaryMeasuredWord)[];
      readonly hostname: BoundaryMeasuredWord;
      readonly domainname: BoundaryMeasuredWord;
      readonly devices: readonly (BoundaryMeasuredWord)[];
      readonly descriptors: readonly (BoundaryMeasuredWord)[];
      readonly workingFolder: BoundaryMeasuredWord;
      readonly environment: { readonly [name: string]: BoundaryMeasuredWord };
      readonly localTimeIsUtc: boolean;
      readonly holder: readonly (BoundaryMeasuredWord)[];
      readonly outcomes: { readonly [name: string]: BoundaryMeasuredWord };
    };
  })[];
};

export type BoundaryMeasuredBoundaryLimits = readonly ({
  readonly name: "cpuMillis" | "fileSizeBytes" | "homeBytes" | "memoryBytes" | "openFiles" | "pids" | "tmpBytes" | "workBytes";
  readonly value: BoundaryMeasuredCount;
})[];

export type BoundaryMeasuredCount = number;

export type BoundaryMeasuredMount = {
  readonly path: BoundaryMeasuredWord;
  readonly type: BoundaryMeasuredWord;
  readonly options: readonly (BoundaryMeasuredWord)[];
};

export type BoundaryMeasuredNodeVersion = string;

export type BoundaryMeasuredPlatform = "linux/amd64" | "linux/arm64";

export type BoundaryMeasuredWord = string;
