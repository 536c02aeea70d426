// Written from the schema of the same name: npm run schemas.

/** what packproof clean --json says */
export type ResultClean = {
  readonly formatVersion: 1;
  readonly result: "passed";
  readonly exitCode: number;
  readonly removed: readonly (string)[];
};
