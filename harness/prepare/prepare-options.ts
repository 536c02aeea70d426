import type { Platform } from '../boundary/boundary.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import type { BaseSelection, ExportImage } from './base-selection.ts';
import type { PackageManifest } from './manifest-files.ts';
import type { Reporter } from './progress.ts';
import type { PreparedContext } from './read-context.ts';
import type { SuiteFile } from './suite-path.ts';

/** What the audit of an archive's bytes says, as far as prepare needs it. */
export interface AuditOutcome {
  /** The value of `audit.json`. */
  readonly document: unknown;
  /** Findings that make it dangerous to go on; waived ones are not among them. */
  readonly unsafe: readonly UnsafeFinding[];
}

export interface UnsafeFinding {
  readonly code: string;
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** What is known when suites are compiled. */
export interface SuiteRequest<Audit extends AuditOutcome> {
  readonly audit: Audit;
  /** Null when no manifest could be read; the context is blocked then. */
  readonly manifest: PackageManifest | null;
  readonly nodes: readonly string[];
  readonly platform: Platform;
}

/** A compiled suite, and the files it was compiled from, as they were; none of a suite that came compiled. */
export interface PreparedSuite {
  readonly suite: CompiledSuite;
  readonly sources: readonly SuiteFile[];
  /** Absolute path of the folder of the suite file, where it may have archives; null for a suite without one. */
  readonly folder: string | null;
}

/** An image as the install built it: digests and a count, no bytes. */
export interface PreparedImage {
  readonly node: string;
  /** sha256 of the image's config, hex. */
  readonly configDigest: string;
  /** sha256 of each layer's tar, hex, lowest first. */
  readonly diffIds: readonly string[];
  /** Entries of the image's inventory. */
  readonly files: number;
}

/** What prepare leaves to other folders. */
export interface PreparePorts<Audit extends AuditOutcome> {
  /** Looks at the bytes of an archive and runs nothing of it. `declared`: what a registry called it. */
  audit(
    bytes: Buffer,
    declared: { readonly name: string; readonly version: string } | null,
  ): Promise<Audit> | Audit;
  suites(request: SuiteRequest<Audit>): Promise<readonly PreparedSuite[]> | readonly PreparedSuite[];
  /**
   * Installs the candidate for one Node version in a box without a network. A fault of kind `candidate`
   * blocks the context; every other one ends prepare. Null leaves the install to the run.
   */
  readonly install: ((context: PreparedContext, node: string) => Promise<PreparedImage>) | null;
  /** Asked for the files of an image that is not in the store. */
  readonly exportImage: ExportImage;
  readonly report: Reporter;
  /** Told of the unfinished folder before it is made, so that it can be found after a crash. */
  announce(folder: string): Promise<void>;
}

export interface PrepareOptions {
  /** A `.tgz` file, or `npm:name@version`. */
  readonly candidate: string;
  /** Unpublished packages that satisfy dependencies by name and version. */
  readonly siblings: readonly string[];
  readonly platform: Platform;
  /** Majors, exact versions, `floor`; empty for the default. */
  readonly node: readonly string[];
  /** An absent or empty folder. */
  readonly out: string;
  /** Relative paths and the project's npm configuration are taken from here. */
  readonly cwd: string;
  /** Null: that of the lock, else packproof's own. */
  readonly base: BaseSelection | null;
  readonly withScripts: boolean;
  /** `packproof.lock.json`, or null for none. */
  readonly lockFile: string | null;
  /** Refuse whatever the lock does not pin. */
  readonly frozen: boolean;
  /** Resolve and list anew although a resolution is kept. */
  readonly refresh: boolean;
  /** A folder of archives; nothing outside is asked then. */
  readonly archives: string | null;
  /** Address of a Debian mirror; null takes the machine's apt configuration. */
  readonly debianMirror: string | null;
  /** packproof's cache folder; null for the user's own. */
  readonly cacheFolder: string | null;
}
