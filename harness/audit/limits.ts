/** Bounds that are checked before the work they bound; the candidate controls every value behind them. */
export interface AuditLimits {
  readonly archiveBytes: number;
  readonly unpackedBytes: number;
  readonly ratio: number;
  readonly entries: number;
  readonly treeNodes: number;
  readonly pathBytes: number;
  readonly pathDepth: number;
  readonly segmentBytes: number;
  readonly extensionBytes: number;
  readonly manifestBytes: number;
  readonly manifestDepth: number;
  readonly manifestListLength: number;
  readonly scanFileBytes: number;
  readonly scanTotalBytes: number;
  readonly scanLoads: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const DEFAULT_LIMITS: AuditLimits = {
  /** Bytes of the archive as handed in. The largest tools on the registry stay below 200 MiB. */
  archiveBytes: 512 * MIB,
  /** Bytes after decompression; held in memory. A whole Node runtime as a package is 185 MB. */
  unpackedBytes: 512 * MIB,
  /** Unpacked bytes for each packed byte; the installer npm uses refuses at the same value. */
  ratio: 1000,
  /** Tar headers that describe a file-system object. The largest icon sets have about 60 000. */
  entries: 200_000,
  /** Files and folders, implied ones included; bounds the memory that deep names of a small archive take. */
  treeNodes: 500_000,
  /** Bytes of one path. PATH_MAX is 4096 on Linux, and the place of installation comes before it. */
  pathBytes: 1024,
  /** Folders in one path; keeps the work for each name constant. */
  pathDepth: 64,
  /** Bytes between two slashes: NAME_MAX of every common file system. */
  segmentBytes: 255,
  /** Bytes of one pax or GNU extension header; real ones are below 2 KiB. */
  extensionBytes: 64 * KIB,
  /** Bytes of package.json. */
  manifestBytes: 4 * MIB,
  /** Nesting of package.json; keeps the parser's recursion shallow. */
  manifestDepth: 64,
  /** Members of any one list of package.json that costs work for each member. */
  manifestListLength: 5000,
  /** Bytes of one script that the import scan reads. */
  scanFileBytes: 32 * MIB,
  /** Bytes of all scripts that the import scan reads. */
  scanTotalBytes: 128 * MIB,
  /** Loads that the import scan follows; a large tool with its bundled dependencies has about 50 000. */
  scanLoads: 500_000,
};

/** Below this unpacked size the ratio is not judged: a few kilobytes of zeros harm nobody. */
export const RATIO_FLOOR_BYTES = MIB;

/** Members of one gzip file that are looked at; a package has one. */
export const GZIP_MEMBERS = 16;

/** Findings of one code that are kept in full; the rest is counted, so that a report stays readable. */
export const FINDINGS_PER_CODE = 50;

/** Characters of a path, an expectation or a fact in a finding. */
export const FINDING_TEXT_LENGTH = 1024;

/** Patterns of `exports` or `imports` that a load is compared with; published packages have some dozens. */
export const SUBPATH_PATTERNS = 500;

/** Characters of one version range that are parsed; beyond it no range is meant for people. */
export const RANGE_LENGTH = 1024;

/** Bytes of a waiver file. */
export const WAIVER_FILE_BYTES = MIB;
