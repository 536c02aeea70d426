// Written from the schema of the same name: npm run schemas.

/** image/<node>/config.json: the config of an image */
export type ImageConfig = {
  readonly architecture: "amd64" | "arm64";
  readonly config: {
    readonly Env: readonly (ImageConfigWord)[];
    readonly User: ImageConfigWord;
    readonly WorkingDir: ImageConfigWord;
  };
  readonly created: ImageConfigWord;
  readonly os: ImageConfigWord;
  readonly rootfs: {
    readonly diff_ids: readonly (string)[];
    readonly type: ImageConfigWord;
  };
};

export type ImageConfigWord = string;
