// Written from the schema of the same name: npm run schemas.

/** what packproof init --json says */
export type ResultInit = {
  readonly formatVersion: 1;
  readonly result: "passed";
  readonly exitCode: number;
  readonly suite: string;
};
