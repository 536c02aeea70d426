import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../boundary/boundary.ts';
import { readAsset } from '../../document/assets.ts';
import type { BaseArchiveFile } from '../base-layer.ts';
import { parseBaseLock } from '../base-lock.ts';
import type { LockedArchive } from '../install-layer.ts';
import { parseLock } from '../lock-file.ts';
import type { PinnedFile } from '../pinned-file.ts';
import { pin } from './scratch.ts';

/** Node versions whose runtime must start on the base layer: the oldest and newest of each line we offer. */
export const NODE_VERSIONS = ['20.20.2', '22.23.5', '24.22.3', '26.12.1'];

/** A resolved candidate with every archive that this machine's platform needs. */
export interface RealCandidate {
  readonly packageLock: Buffer;
  readonly packages: readonly LockedArchive[];
  readonly candidate: { readonly name: string; readonly version: string; readonly archive: PinnedFile };
}

/** Fetches the pinned packages of a platform from the mirrors that this machine's apt is set to. */
export async function fetchBase(folder: string, platform: Platform): Promise<readonly BaseArchiveFile[]> {
  const targets = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const uris = execFileSync('apt-get', targets, { encoding: 'utf8' }).split('\n');
  const { archives } = parseBaseLock(readAsset('docker/base.lock.json')).platforms[platform];
  return Promise.all(
    archives.map(async (archive) => {
      const uri = uris.find((candidate) => candidate.endsWith(`/${archive.archive}/`));
      const bytes = await download(`${uri}${archive.poolPath}`);
      const { file } = await pin(folder, `${archive.sha256}.deb`, bytes);
      return { archive, file };
    }),
  );
}

/** Fetches one archive by `name@version` through npm itself, with the user's own settings. */
export async function fetchArchive(folder: string, spec: string): Promise<PinnedFile> {
  const json = execFileSync('npm', ['view', spec, 'dist.tarball', '--json'], { encoding: 'utf8' });
  return pin(folder, `${spec.replaceAll(/[^\w.@-]/gu, '_')}.tgz`, await download(parseText(json)));
}

/** Resolves `name@version` and fetches what its tree needs on linux/amd64, or on `cpu`. */
export async function fetchCandidate(folder: string, spec: string, cpu = 'x64'): Promise<RealCandidate> {
  const [name, version] = splitSpec(spec);
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ dependencies: { [name]: version } }));
  const settings = ['--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved=false'];
  execFileSync('npm', ['install', ...settings], { cwd: project, stdio: 'pipe' });
  const packageLock = readFileSync(join(project, 'package-lock.json'));
  const lock = parseLock(packageLock);
  const details = new Map<string, unknown>(Object.entries(JSON.parse(packageLock.toString('utf8')).packages));
  const packages: LockedArchive[] = [];
  for (const { path, integrity } of lock.packages) {
    const { resolved, os, cpu: cpus, libc } = toDetails(details.get(path));
    const fits = (list: readonly string[] | undefined, own: string): boolean => list?.includes(own) ?? true;
    if (integrity === null || !fits(os, 'linux') || !fits(cpus, cpu) || !fits(libc, 'glibc')) continue;
    const pinned = await pin(folder, `${packages.length}.tgz`, await download(resolved));
    packages.push({ path, integrity, ...pinned });
  }
  const own = packages.find(({ path }) => path === `node_modules/${name}`);
  if (own === undefined) throw new Error(`no archive of ${spec}`);
  return { packageLock, packages, candidate: { name, version, archive: own } };
}

interface Details {
  readonly resolved: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

function toDetails(value: unknown): Details {
  return value as Details;
}

function splitSpec(spec: string): readonly [string, string] {
  const cut = spec.lastIndexOf('@');
  return [spec.slice(0, cut), spec.slice(cut + 1)];
}

function parseText(json: string): string {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'string') throw new Error(`expected text, got ${json}`);
  return value;
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
