// Written from the schema of the same name: npm run schemas.

/** packproof.lock.json: what is pinned */
export type Lock = {
  readonly formatVersion: 1;
  readonly platform: "linux/amd64" | "linux/arm64";
  readonly npm: {
    readonly name: string;
    readonly version: string;
    readonly integrity: LockIntegrity;
  };
  readonly runtimes: readonly ({
    readonly name: string;
    readonly version: string;
    readonly integrity: LockIntegrity;
  })[];
  readonly base: {
    readonly kind: "debian";
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly ({
      readonly package: string;
      readonly version: string;
      readonly architecture: string;
      readonly archive: "debian" | "debian-security";
      readonly poolPath: string;
      readonly sizeBytes: LockCount;
      readonly sha256: LockSha256;
      readonly include: readonly ({
        readonly from: string;
        readonly to: string;
      })[];
    })[];
  } | {
    readonly kind: "rootfs";
    readonly rootfs: {
      readonly sha256: LockSha256;
      readonly integrity: LockIntegrity;
      readonly sizeBytes: LockCount;
    };
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly ({
      readonly package: string;
      readonly version: string;
      readonly architecture: string;
      readonly archive: "debian" | "debian-security";
      readonly poolPath: string;
      readonly sizeBytes: LockCount;
      readonly sha256: LockSha256;
      readonly include: readonly ({
        readonly from: string;
        readonly to: string;
      })[];
    })[];
  } | {
    readonly kind: "image";
    readonly reference: string;
    readonly digest: LockSha256;
    readonly rootfs: {
      readonly sha256: LockSha256;
      readonly integrity: LockIntegrity;
      readonly sizeBytes: LockCount;
    };
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly ({
      readonly package: string;
      readonly version: string;
      readonly architecture: string;
      readonly archive: "debian" | "debian-security";
      readonly poolPath: string;
      readonly sizeBytes: LockCount;
      readonly sha256: LockSha256;
      readonly include: readonly ({
        readonly from: string;
        readonly to: string;
      })[];
    })[];
  };
  readonly suiteArchives: readonly ({
    readonly name: string;
    readonly sha256: LockSha256;
    readonly sizeBytes: LockCount;
  })[];
  readonly dependencies: readonly ({
    readonly name: string;
    readonly version: string;
    readonly integrity: LockIntegrity;
  })[];
};

export type LockCount = number;

export type LockIntegrity = string;

export type LockSha256 = string;
