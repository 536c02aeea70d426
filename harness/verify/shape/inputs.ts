import {
  byKind,
  flag,
  list,
  literal,
  matching,
  object,
  openObject,
  orNull,
  recordOf,
  type Shape,
  type Shaped,
  text,
} from './shape.ts';
import { count, day, mode, nodeVersion, sentence, sentences, sha256, sha512, word } from './values.ts';

const archive = object({
  role: literal('candidate', 'sibling', 'dependency', 'npm', 'runtime', 'base', 'suite'),
  name: sentence,
  sizeBytes: count,
  sha256,
  sha512: orNull(sha512),
});

/** `inputs/manifest.json`. */
export const manifestShape = object({ formatVersion: literal(1), archives: list(archive, 200_000) });

const code = matching(/^[A-Z0-9_]{1,80}$/, 80);
const severity = literal('gate', 'warn', 'info');
const waived = object({ reason: sentence, expires: day });
const dependency = object({ name: sentence, spec: sentence });

const manifestFacts = object({
  name: orNull(sentence),
  version: orNull(sentence),
  type: literal('module', 'commonjs', null),
  private: flag,
  bins: list(
    object({ name: sentence, path: sentence, declaredBy: literal('bin', 'directories.bin') }),
    100_000,
  ),
  main: orNull(sentence),
  exports: list(object({ subpath: sentence, targets: sentences }), 100_000),
  engines: object({ node: orNull(sentence), npm: orNull(sentence) }),
  os: sentences,
  cpu: sentences,
  libc: sentences,
  dependencies: list(dependency, 100_000),
  optionalDependencies: list(dependency, 100_000),
  peerDependencies: list(object({ name: sentence, spec: sentence, optional: flag }), 100_000),
  bundledDependencies: list(sentence, 100_000),
  installScripts: list(
    object({ name: literal('preinstall', 'install', 'postinstall'), command: sentence, implicit: flag }),
    10,
  ),
  hasShrinkwrap: flag,
});

/** Of a finding of the audit. */
export const findingFields = {
  code,
  severity,
  unsafe: flag,
  path: sentence,
  expected: sentence,
  actual: sentence,
  waived: orNull(waived),
};

/** Of `inputs/audit.json`, and of what the command `audit` says. */
export const auditFields = {
  formatVersion: literal(1),
  candidate: object({
    name: orNull(sentence),
    version: orNull(sentence),
    sha256,
    sha512,
    sizeBytes: count,
  }),
  entries: count,
  unpackedBytes: count,
  root: orNull(sentence),
  complete: flag,
  manifest: orNull(manifestFacts),
  findings: list(object(findingFields), 1_000_000),
  omitted: list(object({ code, count }), 1000),
  waivers: list(
    object({
      code,
      path: orNull(sentence),
      reason: sentence,
      expires: day,
      state: literal('used', 'unused', 'expired'),
    }),
    10_000,
  ),
};

/** `inputs/audit.json`. */
export const auditShape = object(auditFields);

/** Members that are compared; npm's others pass. */
export interface RawLockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

const lockEntry: Shape<RawLockEntry> = openObject({
  name: text(512),
  version: text(256),
  integrity: matching(/^sha512-[A-Za-z0-9+/]{86}==$/, 95),
  link: flag,
  inBundle: flag,
  optional: flag,
  hasInstallScript: flag,
  bin: recordOf(sentence, /^[\s\S]+$/, 10_000),
});

/** `inputs/package-lock.json`, whose form is npm's: members that nothing here compares pass. */
export const lockShape = openObject(
  { packages: recordOf(lockEntry, /^(node_modules\/[\s\S]+)?$/, 200_000) },
  ['packages'],
) as Shape<{ readonly packages: Readonly<Record<string, RawLockEntry>> }>;

const diffId = sha256;

/** `image/config.json`: an OCI image config in the one form of ours. */
export const imageConfigShape = object({
  architecture: literal('amd64', 'arm64'),
  config: object({ Env: list(word, 10), User: word, WorkingDir: word }),
  created: word,
  os: word,
  rootfs: object({ diff_ids: list(matching(/^sha256:[0-9a-f]{64}$/, 71), 100, 1), type: word }),
});

const transform = object({
  kind: literal('bin-mode', 'mode-mask', 'crlf-shebang', 'link-dropped', 'renamed', 'bin-link'),
  path: sentence,
  before: orNull(sentence),
  after: orNull(sentence),
});

/** `image/readback.json`. */
export const readbackShape = object({
  formatVersion: literal(1),
  node: nodeVersion,
  configDigest: sha256,
  diffIds: list(diffId, 100, 1),
  engineId: word,
  filesCompared: count,
  findings: list(
    object({ code, path: sentence, expected: orNull(sentence), actual: orNull(sentence) }),
    100_000,
  ),
  transforms: list(transform, 1_000_000),
});

/** A line of `image/inventory.ndjson`. */
export const inventoryLine = byKind({
  file: { path: sentence, mode, sizeBytes: count, sha256, target: literal(null) },
  directory: { path: sentence, mode, sizeBytes: literal(0), sha256: literal(null), target: literal(null) },
  symlink: { path: sentence, mode, sizeBytes: literal(0), sha256: literal(null), target: sentence },
});

export type Manifest = Shaped<typeof manifestShape>;
export type Audit = Shaped<typeof auditShape>;
export type Readback = Shaped<typeof readbackShape>;
export type ImageConfig = Shaped<typeof imageConfigShape>;
export type InventoryLine = Shaped<typeof inventoryLine>;
export type Transform = Shaped<typeof transform>;
