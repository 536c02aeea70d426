// Written from the schema of the same name: npm run schemas.

/** what packproof keygen --json says */
export type ResultKeygen = {
  readonly formatVersion: 1;
  readonly keyId: ResultKeygenKeyId;
  readonly privateFile: string;
  readonly publicFile: string;
};

export type ResultKeygenKeyId = string;
