// Written from the schema of the same name: npm run schemas.

/** inputs/manifest.json: every input archive */
export type Manifest = {
  readonly formatVersion: 1;
  readonly archives: readonly ({
    readonly role: "candidate" | "sibling" | "dependency" | "npm" | "runtime" | "base" | "suite";
    readonly name: ManifestSentence;
    readonly sizeBytes: ManifestCount;
    readonly sha256: ManifestSha256;
    readonly sha512: ManifestSha512 | null;
  })[];
};

export type ManifestCount = number;

export type ManifestSentence = string;

export type ManifestSha256 = string;

export type ManifestSha512 = string;
