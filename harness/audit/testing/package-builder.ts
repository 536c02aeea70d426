import { buildGzip, buildTar, type TarEntryPlan } from './tar-builder.ts';

/** A tiny package to be packed. */
export interface PackagePlan {
  /** An object is written as JSON; text and bytes are written as they are; null leaves package.json out. */
  readonly manifest?: Readonly<Record<string, unknown>> | string | Buffer | null;
  /** Further files by their path below the top folder, in the order given. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Modes by path; 0755 for what begins with `#!`, 0644 otherwise. */
  readonly modes?: Readonly<Record<string, number>>;
  /** The top folder. */
  readonly root?: string;
  /** Entries put behind the files as they are. */
  readonly extra?: readonly (TarEntryPlan | Buffer)[];
}

/** A manifest without any finding; spread it to add one fault. */
export const GOOD_MANIFEST = {
  name: 'good-cli',
  version: '1.2.3',
  type: 'module',
  repository: 'github:example/good-cli',
  bin: { 'good-cli': 'cli.js' },
  exports: { '.': './lib.js', './package.json': './package.json' },
  engines: { node: '>=20' },
} as const;

/** The files that belong to `GOOD_MANIFEST`. */
export const GOOD_FILES = {
  'cli.js': "#!/usr/bin/env node\nimport { greet } from './lib.js';\nconsole.log(greet());\n",
  'lib.js': "export const greet = () => 'hello';\n",
} as const;

/** A package that works and gives no finding; with `changes` it becomes one with exactly that fault. */
export function buildGoodPackage(changes: PackagePlan = {}): Buffer {
  return buildPackage({ manifest: GOOD_MANIFEST, ...changes, files: { ...GOOD_FILES, ...changes.files } });
}

/** Packs a plan as `npm pack` would: one top folder, ustar, one gzip member. */
export function buildPackage(plan: PackagePlan): Buffer {
  return buildGzip(buildPackageTar(plan));
}

/** The tar inside, for those who want to spoil it before it is compressed. */
export function buildPackageTar(plan: PackagePlan): Buffer {
  return buildTar([...listPackageEntries(plan), ...(plan.extra ?? [])]);
}

/** The entries of a plan without its extra ones. */
export function listPackageEntries(plan: PackagePlan): readonly TarEntryPlan[] {
  const root = plan.root ?? 'package';
  const manifest = toManifestBytes(plan.manifest);
  const files = Object.entries(plan.files ?? {});
  const all = manifest === null ? files : [['package.json', manifest] as const, ...files];
  return all.map(([path, content]) => ({
    name: `${root}/${path}`,
    content,
    mode: plan.modes?.[path] ?? (content.toString('latin1').startsWith('#!') ? 0o755 : 0o644),
  }));
}

function toManifestBytes(manifest: PackagePlan['manifest']): Buffer | null {
  if (manifest === null) return null;
  if (Buffer.isBuffer(manifest)) return manifest;
  if (typeof manifest === 'string') return Buffer.from(manifest, 'utf8');
  return Buffer.from(`${JSON.stringify(manifest ?? {}, null, 2)}\n`, 'utf8');
}
