import type { Boundary, Platform } from '../boundary/boundary.ts';

export type EngineName = 'docker' | 'runc';

/** How writable files and processes of a box are read from outside; the receipt records which. */
export type EvidenceWay = 'host' | 'engine-archive';

/** What an engine says of itself; recorded as said, never trusted for the boundary. */
export interface EngineFacts {
  readonly name: EngineName;
  readonly version: string;
  readonly apiVersion: string | null;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly kernel: string;
  readonly cgroupVersion: 1 | 2;
  readonly storage: string;
  readonly evidenceWay: EvidenceWay;
}

/** One layer of an image: an uncompressed tar whose sha256 is its OCI diff id (hex, without `sha256:`). */
export interface ImageLayer {
  readonly role: 'base' | 'runtime' | 'archives' | 'install' | 'candidate';
  readonly diffId: string;
  readonly sizeBytes: number;
  /** Absolute path of the layer tar on the host. */
  readonly file: string;
}

/** An image as built by us: its identity is the list of diff ids and the config bytes. */
export interface BuiltImage {
  readonly platform: Platform;
  readonly layers: readonly ImageLayer[];
  /** Canonical OCI image config; its sha256 is `configDigest`. */
  readonly configBytes: Buffer;
  readonly configDigest: string;
}

/** An image that an engine holds. `engineId` is recorded, not trusted. */
export interface LoadedImage {
  readonly image: BuiltImage;
  readonly engineId: string;
}

/**
 * An entry that is laid into a writable mount before the candidate starts. `path` is absolute in the box; it and
 * `target` are in the text form of `document/box-path.ts`.
 */
export type FileTreeEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'fifo' | 'socket'; readonly path: string; readonly mode: number }
  | { readonly kind: 'sparse'; readonly path: string; readonly mode: number; readonly sizeBytes: number }
  /** Sets when an entry was last modified and read, whole milliseconds; a link's own times, not its target's. */
  | { readonly kind: 'times'; readonly path: string; readonly mtimeMs: number }
  | OwnerEntry
  /** Takes away what is at the path and below it, no link followed; nothing there is no error. */
  | { readonly kind: 'remove'; readonly path: string };

/** Gives what was laid at the path to another user, a link itself; not every engine can, and one that cannot fails. */
export interface OwnerEntry {
  readonly kind: 'owner';
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
}

export interface OpenRequest {
  readonly image: LoadedImage;
  readonly boundary: Boundary;
  readonly labels: BoxLabels;
  /** The holder ends the box by itself this long after it opened, whoever is still there. */
  readonly endsAfterMs: number;
  /** Parents before children, owners last; all below a writable mount. */
  readonly files: readonly FileTreeEntry[];
}

/** Every object an engine keeps for us carries these, so that a sweep can find ours and nothing else. */
export interface BoxLabels {
  readonly runId: string;
  readonly boxName: string;
}

export type StreamName = 'stdout' | 'stderr';

/** What a step's process is started with. Nothing is inherited. */
export interface StepRequest {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In the text form of `document/box-path.ts`, as are the files below. */
  readonly cwd: string;
  /** `closed`: read end of an already closed pipe (EOF at once); `open`: a pipe that only the caller closes. */
  readonly stdin: 'closed' | 'open';
  /** `pipe`, or a file path in a writable mount that the holder opens for writing before the start. */
  readonly stdout: 'pipe' | { readonly file: string };
  readonly stderr: 'pipe' | { readonly file: string };
}

/** What a running step tells, in arrival order; `sequence` counts over all events of the box. */
export type StepEvent =
  | { readonly kind: 'started'; readonly sequence: number; readonly atMs: number }
  | {
      readonly kind: 'chunk';
      readonly sequence: number;
      readonly atMs: number;
      readonly stream: StreamName;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'eof'; readonly sequence: number; readonly atMs: number; readonly stream: StreamName }
  | { readonly kind: 'ended'; readonly sequence: number; readonly atMs: number; readonly end: ProcessEnd };

/** How the step's own process ended, as its parent (the holder) was told by the kernel. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly errno: string }
  /** The box went away under the step: the holder was killed or the engine lost it. */
  | { readonly kind: 'box-lost'; readonly reason: string };

/** A started step. Only mechanisms: limits, caps and order are `run/`'s business. */
export interface LiveStep {
  /** Called for every event, from `started` on; events before registration are delivered first. */
  onEvent(listener: (event: StepEvent) => void): void;
  /** Resolves when the step's own process ended; left-overs and open streams may remain. */
  readonly ended: Promise<ProcessEnd>;
  /** Queues bytes for stdin; never blocks commands. Resolves when the candidate's pipe took them, or it broke. */
  writeStdin(bytes: Uint8Array): Promise<'written' | 'broken-pipe'>;
  closeStdin(): void;
  /** Closes the reading end, so that the next write of the candidate meets EPIPE. */
  closeOutput(stream: StreamName): void;
  /** Sends a signal (`SIGTERM` …) to the step's own process, not to its group. */
  signal(name: string): void;
}

/** A process of the box as seen from outside (never the holder itself). */
export interface BoxProcess {
  /** Process id inside the box where known, else null. */
  readonly pid: number | null;
  readonly parentPid: number | null;
  readonly argv: readonly string[];
  readonly state: string;
}

/** An entry of a writable mount, taken without following or opening anything but regular files. */
export interface SnapshotEntry {
  /** In the text form of `document/box-path.ts`, as is `target`: names are bytes, and none is lost in it. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'character-device' | 'block-device';
  /** Permission bits as four octal digits. */
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** Content digest of a regular file; null for other kinds and for files beyond the collector's limits. */
  readonly sha256: string | null;
  readonly target: string | null;
}

export interface Snapshot {
  readonly way: EvidenceWay;
  /** Byte order of path. */
  readonly entries: readonly SnapshotEntry[];
  /** Why entries or contents are missing: a limit of the collector was reached. Empty when complete. */
  readonly truncated: readonly string[];
}

/** What was read of the box from outside; each field null where this host cannot read it. */
export interface OutsideView {
  /** Named fields of the engine's own inspect; no host paths. */
  readonly inspect: Readonly<Record<string, unknown>>;
  /** `/proc/PID/status` fields of the candidate's (or holder's) process: Uid, Gid, Groups, Cap*, NoNewPrivs, Seccomp. */
  readonly status: Readonly<Record<string, string>> | null;
  /** Mount points of the box's mount namespace with type and options, no sources on the host. */
  readonly mounts:
    | readonly { readonly path: string; readonly type: string; readonly options: readonly string[] }[]
    | null;
  /** For each namespace: whether it differs from the host's. */
  readonly namespaces: Readonly<Record<string, 'private' | 'host'>> | null;
  /** Effective cgroup limits. */
  readonly limits: {
    readonly pids: number;
    readonly memoryBytes: number;
    readonly memorySwapBytes: number;
    readonly cpuMillis: number;
  } | null;
}

/** What the engine tells after the box is gone or dead. */
export interface BoxEnd {
  readonly oomKilled: boolean;
  /** Kills by the memory cgroup of any process of the box; null where not readable. */
  readonly oomKills: number | null;
  readonly inspect: Readonly<Record<string, unknown>>;
}

/** A file of a box's writable mount with its content, for exporting an installed tree. */
export interface TreeFile {
  readonly entry: SnapshotEntry;
  /** Null for everything but regular files. */
  readonly content: (() => AsyncIterable<Buffer>) | null;
}

/**
 * How another process of ours ends and removes a box without the engine adapter that opened it: plain data
 * that the watchdog is told, so that neither a stuck runner nor a dead one moves the deadline.
 */
export type KillRecipe =
  | {
      /** SIGKILL to the holder, seen from the host: the kernel then ends its whole pid namespace. */
      readonly kind: 'pid';
      readonly pid: number;
      /** Field 22 of `/proc/PID/stat`, as digits: a reused pid must not be killed. */
      readonly startTime: string;
      /** Commands that remove what the engine kept, run in order once the holder is gone; may be empty. */
      readonly remove: readonly (readonly string[])[];
    }
  | {
      /** `POST /containers/ID/kill`, then `DELETE /containers/ID?force=1&v=1`. */
      readonly kind: 'docker';
      /** As in DOCKER_HOST: `unix:///…`, `tcp://…` or `https://…`. */
      readonly host: string;
      /** Folder with `ca.pem`, `cert.pem` and `key.pem` for a host with TLS, else null. */
      readonly certificates: string | null;
      readonly containerId: string;
    };

/** One running boundary. Its PID 1 is our holder; the candidate can neither read, signal nor outlive it. */
export interface Box {
  readonly id: string;
  /** Handed to the watchdog as soon as the box is open. */
  readonly killRecipe: KillRecipe;
  /** `isolate`d: one step at a time. */
  start(step: StepRequest): Promise<LiveStep>;
  /** Stops every process but the holder (SIGSTOP to all, atomic in the kernel). */
  freeze(): Promise<void>;
  processes(): Promise<readonly BoxProcess[]>;
  /** SIGKILL to all but the holder, then reaps until none is left. Resolves with the number reaped. */
  killAll(): Promise<number>;
  /** Changes the writable mounts by these entries, in order. Call it only before a step or after `killAll`. */
  lay(entries: readonly FileTreeEntry[]): Promise<void>;
  /** Entries below the writable mounts. Call it only before a candidate ran or after `killAll`. */
  snapshot(): Promise<Snapshot>;
  /** Files below one directory of a writable mount, contents streamed, in byte order of path. */
  readTree(path: string): AsyncIterable<TreeFile>;
  outside(): Promise<OutsideView>;
  /** Ends holder and all, by the engine; the box can still be inspected. Idempotent. */
  kill(): Promise<void>;
  /** Reads the end, then removes everything the engine kept. Idempotent. */
  close(): Promise<BoxEnd>;
}

/** The port. `run/` and `prepare/` know this and no adapter by name. */
export interface Engine {
  readonly name: EngineName;
  facts(): Promise<EngineFacts>;
  /** Makes the engine hold the image (re-hashing what it reuses) and proves by read-back that it does. */
  ensureImage(image: BuiltImage): Promise<LoadedImage>;
  /** Every file of the loaded image as the engine holds it, for the inventory match. */
  readImage(image: LoadedImage): AsyncIterable<ImageFile>;
  open(request: OpenRequest): Promise<Box>;
  /** Removes what earlier runs left: all of `runId`, or of every run that is no longer alive. Returns what it removed. */
  sweep(selection: { readonly runId: string } | 'dead-runs'): Promise<readonly string[]>;
  /** Releases mounts and connections of this run; images and layers stay cached. */
  dispose(): Promise<void>;
}

export interface ImageFile {
  /** Without a leading slash, as in the inventory. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly target: string | null;
}
