// Written from the schema of the same name: npm run schemas.

/** context.json: what prepare made */
export type Context = {
  readonly formatVersion: 1;
  readonly platform: "linux/amd64" | "linux/arm64";
  readonly candidate: ContextHandedIn;
  readonly siblings: readonly (ContextHandedIn)[];
  readonly npm: ContextPackage | null;
  readonly nodes: readonly (string)[];
  readonly runtimes: readonly (ContextPackage)[];
  readonly base: {
    readonly kind: "debian";
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly (ContextBasePackage)[];
  } | {
    readonly kind: "rootfs";
    readonly fileName: string;
    readonly rootfs: ContextArchive;
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly (ContextBasePackage)[];
  } | {
    readonly kind: "image";
    readonly reference: string;
    readonly digest: ContextSha256;
    readonly rootfs: ContextArchive;
    readonly codename: string;
    readonly release: string;
    readonly packages: readonly (ContextBasePackage)[];
  };
  readonly installer: {
    readonly platform: "linux/amd64" | "linux/arm64";
    readonly runtime: ContextPackage;
    readonly base: readonly (ContextBasePackage)[];
  } | null;
  readonly suiteArchives: readonly ({
    readonly sha256: ContextSha256;
    readonly integrity: ContextIntegrity;
    readonly sizeBytes: ContextCount;
    readonly name: string;
    readonly unpack: "none" | "tar" | "tar.gz" | "tar.xz";
    readonly strip: ContextCount;
  })[];
  readonly dependencies: readonly ({
    readonly sha256: ContextSha256;
    readonly integrity: ContextIntegrity;
    readonly sizeBytes: ContextCount;
    readonly name: string;
    readonly version: string;
    readonly path: string;
    readonly installScript: boolean;
  })[];
  readonly installScripts: readonly (string)[];
  readonly withScripts: boolean;
  readonly resolvedAt: ContextTime | null;
  readonly suites: readonly ({
    readonly id: string;
    readonly sha256: ContextSha256;
  })[];
  readonly blocked: {
    readonly stage: "audit" | "resolve" | "install";
    readonly code: string;
    readonly where: string;
    readonly expected: string;
    readonly actual: string;
  } | null;
  readonly files: readonly ({
    readonly path: string;
    readonly sizeBytes: ContextCount;
    readonly sha256: ContextSha256;
  })[];
};

export type ContextArchive = {
  readonly sha256: ContextSha256;
  readonly integrity: ContextIntegrity;
  readonly sizeBytes: ContextCount;
};

export type ContextBasePackage = {
  readonly package: string;
  readonly version: string;
  readonly architecture: string;
  readonly archive: "debian" | "debian-security";
  readonly poolPath: string;
  readonly sizeBytes: ContextCount;
  readonly sha256: ContextSha256;
  readonly integrity: ContextIntegrity;
  readonly include: readonly ({
    readonly from: string;
    readonly to: string;
  })[];
  readonly pinned: {
    readonly version: string;
    readonly sha256: ContextSha256;
  } | null;
};

export type ContextCount = number;

export type ContextHandedIn = {
  readonly sha256: ContextSha256;
  readonly integrity: ContextIntegrity;
  readonly sizeBytes: ContextCount;
  readonly name: string | null;
  readonly version: string | null;
  readonly source: {
    readonly kind: "file";
    readonly fileName: string;
  } | {
    readonly kind: "registry";
    readonly name: string;
    readonly requested: string;
    readonly version: string;
  };
};

export type ContextIntegrity = string;

export type ContextPackage = {
  readonly sha256: ContextSha256;
  readonly integrity: ContextIntegrity;
  readonly sizeBytes: ContextCount;
  readonly name: string;
  readonly version: string;
};

export type ContextSha256 = string;

export type ContextTime = string;
