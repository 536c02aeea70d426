// Written from the schema of the same name: npm run schemas.

/** image/<node>/readback.json: what the engine holds */
export type ImageReadback = {
  readonly formatVersion: 1;
  readonly node: ImageReadbackNodeVersion;
  readonly configDigest: ImageReadbackSha256;
  readonly diffIds: readonly (ImageReadbackSha256)[];
  readonly engineId: ImageReadbackWord;
  readonly filesCompared: ImageReadbackCount;
  readonly findings: readonly ({
    readonly code: string;
    readonly path: ImageReadbackSentence;
    readonly expected: ImageReadbackSentence | null;
    readonly actual: ImageReadbackSentence | null;
  })[];
  readonly transforms: readonly ({
    readonly kind: "bin-mode" | "mode-mask" | "crlf-shebang" | "link-dropped" | "renamed" | "bin-link";
    readonly path: ImageReadbackSentence;
    readonly before: ImageReadbackSentence | null;
    readonly after: ImageReadbackSentence | null;
  })[];
};

export type ImageReadbackCount = number;

export type ImageReadbackNodeVersion = string;

export type ImageReadbackSentence = string;

export type ImageReadbackSha256 = string;

export type ImageReadbackWord = string;
