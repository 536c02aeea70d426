import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import semver from 'semver';
import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';
import type { PackageManifest } from './manifest-files.ts';
import { type Packument, pickManifest } from './packument.ts';
import type { Registry } from './registry.ts';
import { buildStub, type StubArchive } from './stub-archive.ts';

/** Versions that a resolution may choose, by name; each with the only bytes it may mean. */
export type Universe = ReadonlyMap<string, ReadonlyMap<string, Integrity>>;

/** What the resolver is allowed to see. */
export interface ResolverSources {
  /** Candidate and siblings: their manifests, never their other files. */
  readonly local: readonly PackageManifest[];
  /** The user's registry, or packages of a folder, or nothing. */
  readonly upstream: Registry;
  /** When set, other versions do not exist. */
  readonly universe: Universe | null;
  /** Whether upstream is asked for other versions of a local package. */
  readonly mergeLocal: boolean;
}

/**
 * A registry on the loopback interface, for one resolution by npm.
 *
 * npm runs without any configuration of the user's: it asks here, and we ask the user's registry. So no
 * credential is ever in npm's reach, npm has nobody else to ask, and what it saw can be restricted.
 * The path begins with a secret, because other users of the machine can reach the loopback interface too.
 */
export class ResolverRegistry {
  readonly #server: Server;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #sources: ResolverSources;
  readonly #stubs = new Map<string, StubArchive>();
  readonly #failures: PrepareError[] = [];
  readonly #refused: string[] = [];

  private constructor(sources: ResolverSources) {
    this.#sources = sources;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#fail(response, error));
    });
    // npm is told that this server is its proxy: whatever is not on loopback ends here.
    this.#server.on('connect', (request, socket) => {
      this.#refused.push(request.url ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  }

  /** Starts listening on a free loopback port. */
  static async start(sources: ResolverSources): Promise<ResolverRegistry> {
    const registry = new ResolverRegistry(sources);
    for (const manifest of sources.local) {
      registry.#stubs.set(`${manifest.name}@${manifest.version}`, await buildStub(manifest));
    }
    await new Promise<void>((resolve, reject) => {
      registry.#server.once('error', reject);
      registry.#server.listen(0, '127.0.0.1', resolve);
    });
    return registry;
  }

  /** Origin, without the secret: what npm is given as its proxy. */
  get origin(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://127.0.0.1:${port}`;
  }

  get url(): string {
    return `${this.origin}/${this.#secret}/`;
  }

  /** Why the user's registry could not answer; empty when it always did. */
  get failures(): readonly PrepareError[] {
    return this.#failures;
  }

  /** Hosts that npm tried to reach beside this registry. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  /** The integrity under which a local package was offered: that of a stub, not of its archive. */
  stubIntegrity(name: string, version: string): Integrity | null {
    return this.#stubs.get(`${name}@${version}`)?.integrity ?? null;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A proxy is asked for whole addresses: those of this server are its own, all others are refused.
    const url = new URL(request.url ?? '/', this.origin);
    const path = url.pathname;
    const prefix = `/${this.#secret}/`;
    if (request.method !== 'GET' || !path.startsWith(prefix) || url.origin !== this.origin) {
      this.#refused.push(request.url ?? '');
      response.writeHead(403).end();
      return;
    }
    const rest = path.slice(prefix.length);
    const archive = /^-\/tarball\/([^/]+)\/([^/]+)\.tgz$/u.exec(rest);
    if (archive !== null) {
      await this.#sendArchive(
        decodeURIComponent(archive[1] ?? ''),
        decodeURIComponent(archive[2] ?? ''),
        response,
      );
      return;
    }
    await this.#sendPackument(decodeURIComponent(rest), response);
  }

  async #sendPackument(name: string, response: ServerResponse): Promise<void> {
    const versions = await this.#versions(name);
    if (versions.size === 0) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    const entries = [...versions].map(([version, manifest]) => [
      version,
      this.#localise(name, version, manifest),
    ]);
    const body = JSON.stringify({
      name,
      'dist-tags': await this.#tags(name, versions),
      versions: Object.fromEntries(entries),
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  async #versions(name: string): Promise<Map<string, Readonly<Record<string, unknown>>>> {
    const versions = new Map<string, Readonly<Record<string, unknown>>>();
    const upstream = await this.#upstream(name);
    const allowed = this.#sources.universe === null ? null : (this.#sources.universe.get(name) ?? new Map());
    for (const [version, manifest] of upstream?.versions ?? []) {
      if (allowed === null || allowed.get(version) === integrityOf(manifest)) versions.set(version, manifest);
    }
    for (const local of this.#sources.local) {
      if (local.name === name) versions.set(local.version, localManifest(local, this.#stubs));
    }
    return versions;
  }

  async #upstream(name: string): Promise<Packument | null> {
    const { universe, local, mergeLocal } = this.#sources;
    // The name of something unpublished is nobody's business, unless a version of it is missing.
    if (!mergeLocal && local.some((manifest) => manifest.name === name)) return null;
    // A name outside the universe need not be asked for: a lock names everything that may be used.
    if (universe !== null && !universe.has(name)) return null;
    return this.#sources.upstream.packument(name);
  }

  /** `latest` is what npm prefers within a range: a sibling when there is one, else as the registry says. */
  async #tags(name: string, versions: ReadonlyMap<string, unknown>): Promise<Record<string, string>> {
    const upstream = (await this.#upstream(name))?.distTags ?? {};
    const tags = Object.fromEntries(Object.entries(upstream).filter(([, version]) => versions.has(version)));
    const local = this.#sources.local
      .filter((manifest) => manifest.name === name)
      .map(({ version }) => version);
    const latest = highest(local) ?? tags.latest ?? highest([...versions.keys()]);
    return latest === null ? tags : { ...tags, latest };
  }

  #localise(name: string, version: string, manifest: Readonly<Record<string, unknown>>): unknown {
    const dist = isRecord(manifest.dist) ? manifest.dist : {};
    const path = `-/tarball/${encodeURIComponent(name)}/${encodeURIComponent(version)}.tgz`;
    return { ...manifest, name, version, dist: { ...dist, tarball: `${this.url}${path}` } };
  }

  /** npm unpacks an archive while it resolves only to read bundled manifests or a shrinkwrap. */
  async #sendArchive(name: string, version: string, response: ServerResponse): Promise<void> {
    const stub = this.#stubs.get(`${name}@${version}`);
    if (stub !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(stub.bytes);
      return;
    }
    const manifest = (await this.#versions(name)).get(version);
    const dist = manifest !== undefined && isRecord(manifest.dist) ? manifest.dist : {};
    const integrity = parseIntegrity(dist.integrity, `${name}@${version}`);
    const body = await this.#sources.upstream.tarball({ name, version, integrity });
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    await pipeline(Readable.from(body), response);
  }

  #fail(response: ServerResponse, error: unknown): void {
    if (error instanceof PrepareError) this.#failures.push(error);
    else this.#failures.push(internalFailure(error));
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  }
}

function internalFailure(error: unknown): PrepareError {
  return new PrepareError('infrastructure', 'REGISTRY_ANSWER_INVALID', 'resolution', {
    where: 'registry',
    expected: 'a usable answer',
    actual: error instanceof Error ? error.name : 'an error',
  });
}

function integrityOf(manifest: Readonly<Record<string, unknown>>): unknown {
  return isRecord(manifest.dist) ? manifest.dist.integrity : undefined;
}

function highest(versions: readonly string[]): string | null {
  const valid = versions.filter((version) => semver.valid(version, { loose: true }) !== null);
  return semver.rsort(valid, { loose: true })[0] ?? null;
}

function localManifest(
  local: PackageManifest,
  stubs: ReadonlyMap<string, StubArchive>,
): Readonly<Record<string, unknown>> {
  const stub = stubs.get(`${local.name}@${local.version}`);
  return {
    ...pickManifest(local.json),
    hasInstallScript: local.hasInstallScript,
    _hasShrinkwrap: local.hasShrinkwrap,
    dist: { integrity: stub?.integrity },
  };
}
