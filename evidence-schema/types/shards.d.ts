// Written from the schema of the same name: npm run schemas.

/** shards.json: the shards of a merged bundle */
export type Shards = {
  readonly formatVersion: 1;
  readonly shards: readonly ({
    readonly index: number;
    readonly runId: ShardsRunId;
    readonly bundleSha256: ShardsSha256;
  })[];
};

export type ShardsRunId = string;

export type ShardsSha256 = string;
