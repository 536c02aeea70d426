// Written from the schema of the same name: npm run schemas.

/** inputs/durations.json: what balanced the shards */
export type Durations = {
  readonly formatVersion: 1;
  readonly cases: { readonly [name: string]: number };
};
