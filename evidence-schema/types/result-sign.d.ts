// Written from the schema of the same name: npm run schemas.

/** what packproof sign --json says */
export type ResultSign = {
  readonly formatVersion: 1;
  readonly evidence: string;
  readonly keyId: ResultSignKeyId;
  readonly runExitCode: number;
};

export type ResultSignKeyId = string;
