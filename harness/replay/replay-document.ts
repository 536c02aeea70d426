import type { EngineFacts } from '../engine/engine.ts';
import type { Difference, ReplayResult } from './difference.ts';

/** What a replay showed, in one canonical document that an auditor can keep and sign. */
export interface ReplayDocument {
  readonly formatVersion: 1;
  readonly result: ReplayResult;
  readonly exitCode: 0 | 1;
  readonly candidate: {
    readonly name: string;
    readonly version: string;
    readonly sha256: string;
    readonly sha512: string;
  };
  readonly recorded: ReplaySide;
  readonly replayed: ReplaySide;
  /** Built anew from the archives and found to be the recorded ones. */
  readonly images: readonly {
    readonly node: string;
    readonly configDigest: string;
    readonly diffIds: readonly string[];
  }[];
  /** Whether the declared boundary is byte for byte the recorded one. A replay in another is `different`. */
  readonly sameBoundary: boolean;
  readonly counts: Readonly<Record<ReplayResult, number>>;
  readonly cases: readonly {
    readonly id: string;
    readonly result: ReplayResult;
    readonly differences: readonly Difference[];
  }[];
  readonly durationMs: number;
}

/** One of the two runs. */
export interface ReplaySide {
  readonly runId: string;
  /** sha256 of `bundle.json`. */
  readonly bundleSha256: string;
  readonly engine: Pick<EngineFacts, 'name' | 'version'> | null;
  readonly exitCode: number;
  readonly harness: { readonly version: string; readonly distSha256: string };
}
