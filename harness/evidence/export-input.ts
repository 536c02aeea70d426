import type { Boundary } from '../boundary/boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import type { CaseRun } from '../run/result.ts';
import type { RunReport } from './report.ts';

/** An input file as the manifest lists it. Roles are those of the context; `file` is its place on the host. */
export interface InputArchive {
  readonly role: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly sha512: string | null;
  readonly file: string;
}

/** What the bundle keeps of one image; the inventory is a host file of canonical lines. */
export interface ImageRecord {
  readonly node: string;
  readonly configBytes: Uint8Array;
  readonly inventoryFile: string;
  readonly readback: ImageReadback;
}

/** `image/readback.json`: what the engine gave back of an image. */
export interface ImageReadback {
  readonly formatVersion: 1;
  readonly node: string;
  readonly configDigest: string;
  readonly diffIds: readonly string[];
  readonly engineId: string;
  readonly filesCompared: number;
  readonly findings: readonly unknown[];
  readonly transforms: readonly unknown[];
}

/** The three views of the boundary. */
export interface BoundaryRecord {
  readonly declared: {
    readonly formatVersion: 1;
    readonly boundaries: readonly (BoundaryKind & { readonly boundary: Boundary })[];
    readonly seccomp: unknown;
  };
  readonly engine: unknown;
  readonly measured: {
    readonly formatVersion: 1;
    readonly views: readonly (BoundaryKind & { readonly node: string; readonly measured: unknown })[];
  };
}

/** A compiled suite, and the files it was compiled from by their path below its folder, already encoded. */
export interface ExportedSuite {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly sources: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

export interface ExportInput {
  /** Absolute path; absent or an empty folder. */
  readonly target: string;
  readonly report: RunReport;
  readonly archives: readonly InputArchive[];
  readonly candidateFile: string;
  readonly embedArchives: boolean;
  readonly packageLock: Uint8Array | null;
  readonly audit: unknown;
  /** The canonical document by which shards were balanced; null when they were not. */
  readonly durations: Uint8Array | null;
  readonly suites: readonly ExportedSuite[];
  /** The first is that of the first Node version; further ones go into folders of their own. */
  readonly images: readonly ImageRecord[];
  /** Null when nothing ran. */
  readonly boundary: BoundaryRecord | null;
  readonly cases: readonly CaseRun[];
}
