import registryFetch, { pickRegistry } from 'npm-registry-fetch';
import { errnoOf, PrepareError } from './errors.ts';
import type { Integrity } from './integrity.ts';
import { DEFAULT_REGISTRY, type FetchSettings } from './npm-config.ts';
import { invalidAnswer, type Packument, parsePackument, readDist } from './packument.ts';

/** A package of a registry at one version, with the one digest its bytes must have. */
export interface PackageReference {
  readonly name: string;
  readonly version: string;
  readonly integrity: Integrity;
}

/** Where packages come from. `offline` answers nothing and has asked nobody. */
export interface Registry {
  /** Null when the registry does not know the name. */
  packument(name: string): Promise<Packument | null>;
  /** The bytes as sent; the caller compares them with the integrity. */
  tarball(reference: PackageReference): Promise<AsyncIterable<Uint8Array>>;
}

/** The long form, as npm's resolver asks for: the short one of some registries lacks `libc`. */
const ACCEPT = 'application/json';

/** The largest packuments of well-known packages are some tens of megabytes. */
const PACKUMENT_LIMIT_BYTES = 256 * 1024 ** 2;

/** A registry reached with the user's own npm settings, through npm's own client library. */
export class NpmRegistry implements Registry {
  readonly #settings: FetchSettings;
  readonly #packuments = new Map<string, Promise<Packument | null>>();

  constructor(settings: FetchSettings) {
    this.#settings = settings;
  }

  /** @throws {PrepareError} REGISTRY_UNREACHABLE, REGISTRY_DENIED, REGISTRY_REFUSED, REGISTRY_ANSWER_INVALID */
  packument(name: string): Promise<Packument | null> {
    const known = this.#packuments.get(name);
    if (known !== undefined) return known;
    const asked = this.#askPackument(name);
    this.#packuments.set(name, asked);
    return asked;
  }

  /**
   * @throws {PrepareError} as `packument`, and ARCHIVE_NOT_FOUND when the version is gone or has another
   *   integrity now.
   */
  async tarball(reference: PackageReference): Promise<AsyncIterable<Uint8Array>> {
    const { name, version, integrity } = reference;
    const where = `${name}@${version}`;
    const manifest = (await this.packument(name))?.versions.get(version);
    const dist = manifest === undefined ? null : readDist(manifest, where);
    if (dist === null || dist.integrity !== integrity) {
      throw new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'registry', {
        where,
        expected: integrity,
        actual: dist?.integrity ?? 'no such version',
      });
    }
    const response = await this.#fetch(this.#tarballUrl(name, dist.tarball, where), name, where);
    if (response === null) {
      throw new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'registry', {
        where,
        expected: 'the archive',
        actual: 'status 404',
      });
    }
    return readBody(response.body, where, Number.POSITIVE_INFINITY);
  }

  async #askPackument(name: string): Promise<Packument | null> {
    const response = await this.#fetch(`/${encodeName(name)}`, name, name);
    if (response === null) return null;
    const chunks: Uint8Array[] = [];
    for await (const chunk of readBody(response.body, name, PACKUMENT_LIMIT_BYTES)) chunks.push(chunk);
    return parsePackument(Buffer.concat(chunks), name);
  }

  async #fetch(uri: string, spec: string, where: string): Promise<FetchResponse | null> {
    try {
      return await registryFetch(uri, {
        ...this.#settings,
        spec,
        headers: { accept: ACCEPT },
        preferOnline: true,
      });
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw toRegistryError(error, where);
    }
  }

  /** The address a packument names, on the host that npm's `replace-registry-host` asks for. */
  #tarballUrl(name: string, address: string, where: string): string {
    const url = parseUrl(address, where);
    const setting = this.#settings.replaceRegistryHost;
    const replaced = setting === undefined || setting === 'npmjs' ? new URL(DEFAULT_REGISTRY).host : setting;
    if (replaced === 'never' || (replaced !== 'always' && replaced !== url.host)) return address;
    const registry = parseUrl(pickRegistry(name, { ...this.#settings }), where);
    return new URL(`${registry.pathname.replace(/\/$/u, '')}${url.pathname}`, registry).href;
  }
}

interface FetchResponse {
  readonly body: unknown;
}

/** Path of a package's document below its registry: `@scope%2fname`. */
function encodeName(name: string): string {
  return name.replace('/', '%2f');
}

function parseUrl(address: string, where: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  // The address itself is not shown: it may carry a password.
  throw invalidAnswer(where, 'an http address', 'something else');
}

/** What a plain download ended in: bytes, or why there are none. */
export type PlainAnswer = AsyncIterable<Uint8Array> | 'not-found' | 'unreachable';

/** Fetches an address outside the registry with the same proxy and certificates, without credentials. */
export async function downloadPlain(uri: string, settings: FetchSettings): Promise<PlainAnswer> {
  const plain = Object.entries(settings).filter(([key]) => !key.startsWith('//'));
  try {
    const response = await registryFetch(uri, Object.fromEntries(plain));
    return readBody(response.body, 'download', Number.POSITIVE_INFINITY);
  } catch (error) {
    const status = statusOf(error);
    return status === 404 || status === 410 ? 'not-found' : 'unreachable';
  }
}

async function* readBody(body: unknown, where: string, limitBytes: number): AsyncGenerator<Uint8Array> {
  if (!isAsyncIterable(body)) throw invalidAnswer(where, 'a body', 'none');
  const iterator = body[Symbol.asyncIterator]();
  let total = 0;
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        throw toRegistryError(error, where);
      });
      if (next.done === true) return;
      if (!(next.value instanceof Uint8Array)) throw invalidAnswer(where, 'bytes', typeof next.value);
      total += next.value.byteLength;
      if (total > limitBytes) throw invalidAnswer(where, `at most ${limitBytes} bytes`, 'more');
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : null;
}

/**
 * Only a status or an errno of the client's error goes on: its message, address and headers may hold
 * credentials, so it is not kept as the cause either.
 */
function toRegistryError(error: unknown, where: string): PrepareError {
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return new PrepareError('infrastructure', 'REGISTRY_DENIED', 'registry', {
      where,
      expected: 'access with the credentials of your npm configuration',
      actual: `status ${status}`,
    });
  }
  if (status !== null) {
    return new PrepareError('infrastructure', 'REGISTRY_REFUSED', 'registry', {
      where,
      expected: 'status 200',
      actual: `status ${status}`,
    });
  }
  return new PrepareError('infrastructure', 'REGISTRY_UNREACHABLE', 'registry', {
    where,
    expected: 'an answer',
    actual: errnoOf(error) ?? (error instanceof Error ? error.name : 'an error'),
  });
}

/** The registry of a run that must touch no network: every question is refused before it is asked. */
export const offlineRegistry: Registry = {
  packument: (name) => Promise.reject(offline(name)),
  tarball: (reference) => Promise.reject(offline(`${reference.name}@${reference.version}`)),
};

function offline(where: string): PrepareError {
  return new PrepareError('infrastructure', 'OFFLINE', 'archive', {
    where,
    expected: 'the archive in the store or the folder of archives',
    actual: 'nothing there, and the network is not to be used',
  });
}
