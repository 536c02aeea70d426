/** How the bytes of a suite archive become files: `none` is one executable file. */
export type ArchiveForm = 'none' | 'tar' | 'tar.gz' | 'tar.xz';

/** Where the bytes of a suite archive may be had beside `--archives`; the digest decides what they are. */
export type ArchiveSource =
  | { readonly kind: 'given' }
  /** Below the folder of the suite file. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'npm'; readonly package: string; readonly version: string };

/** A pinned native archive that reference steps run; laid read-only at `/opt/archives/<name>`. */
export interface CompiledArchive {
  /** Unique in the suite; `[a-z0-9][a-z0-9._-]*`, at most 64 characters. */
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly unpack: ArchiveForm;
  /** Leading parts that every path of a tar loses; entries with no more parts than that are left out. */
  readonly strip: number;
  readonly source: ArchiveSource;
}
