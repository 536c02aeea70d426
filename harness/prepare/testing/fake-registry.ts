import { createServer, type Server } from 'node:http';
import { hashArchive } from '../integrity.ts';

/** A package that a fake registry serves. */
export interface FakePackage {
  readonly name: string;
  readonly version: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly archive: Buffer;
  /** Replaces the true integrity. */
  readonly integrity?: string | null;
}

export interface FakeRegistryOptions {
  readonly packages: readonly FakePackage[];
  /** When set, requests without `Bearer <token>` are answered with 401. */
  readonly token?: string;
  /** When set, every request must come through the proxy and carry this basic credential. */
  readonly proxyCredential?: string;
  /** Host that addresses of archives name; this server's own unless given. */
  readonly archiveOrigin?: string;
}

/** A registry on loopback that counts what it was asked and keeps the headers it got. */
export class FakeRegistry {
  readonly #server: Server;
  readonly #options: FakeRegistryOptions;
  readonly requests: string[] = [];
  readonly authorizations: string[] = [];

  private constructor(options: FakeRegistryOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.requests.push(request.url ?? '');
      this.authorizations.push(request.headers.authorization ?? '');
      const { status, body } = this.#answer(request.url ?? '/', request.headers);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  }

  static async start(options: FakeRegistryOptions): Promise<FakeRegistry> {
    const registry = new FakeRegistry(options);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(
    url: string,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): { readonly status: number; readonly body: string | Buffer } {
    const { token, proxyCredential, packages } = this.#options;
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: '{}' };
    if (proxyCredential !== undefined) {
      const wanted = `Basic ${Buffer.from(proxyCredential).toString('base64')}`;
      if (headers['proxy-authorization'] !== wanted || !url.startsWith('http://'))
        return { status: 407, body: '{}' };
    }
    const path = decodeURIComponent(new URL(url, this.url).pathname).slice(1);
    const archive = packages.find((item) => path === archivePathOf(item));
    if (archive !== undefined) return { status: 200, body: archive.archive };
    const versions = packages.filter((item) => item.name === path);
    return versions.length === 0
      ? { status: 404, body: '{}' }
      : { status: 200, body: this.#packument(path, versions) };
  }

  #packument(name: string, versions: readonly FakePackage[]): string {
    const origin = this.#options.archiveOrigin ?? this.url;
    const manifests = versions.map((item) => [
      item.version,
      {
        ...item.manifest,
        name,
        version: item.version,
        dist: {
          tarball: `${origin}${archivePathOf(item)}`,
          ...(item.integrity === null
            ? {}
            : { integrity: item.integrity ?? hashArchive(item.archive).integrity }),
        },
      },
    ]);
    const latest = versions.at(-1)?.version;
    return JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(manifests) });
  }
}

function archivePathOf(item: FakePackage): string {
  return `${item.name}/-/${item.name.split('/').at(-1)}-${item.version}.tgz`;
}
