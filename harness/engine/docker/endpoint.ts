import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../document/digest.ts';
import { isRecord } from '../../document/json-record.ts';
import { DockerError } from './errors.ts';

/** Where a Docker Engine listens. */
export type DockerEndpoint =
  | { readonly kind: 'unix'; readonly socketPath: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** Folder with ca.pem, cert.pem and key.pem, or null for plain HTTP. */
      readonly tlsFolder: string | null;
    };

const DEFAULT_SOCKET = '/var/run/docker.sock';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export type DockerEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the engine as the docker client does: DOCKER_HOST, then DOCKER_CONTEXT or the current context of
 * the client's configuration, then the system socket. Nothing is contacted.
 *
 * @throws {DockerError} ENDPOINT_UNSUPPORTED (ssh, npipe, malformed)
 */
export async function findDockerEndpoint(environment: DockerEnvironment): Promise<DockerEndpoint> {
  const host = environment.DOCKER_HOST ?? '';
  if (host !== '') {
    return parseDockerHost(host, environmentTls(environment, host));
  }
  const configFolder = environment.DOCKER_CONFIG ?? join(environment.HOME ?? homedir(), '.docker');
  const context = environment.DOCKER_CONTEXT ?? (await readCurrentContext(configFolder));
  if (context === null || context === '' || context === 'default') {
    return { kind: 'unix', socketPath: DEFAULT_SOCKET };
  }
  return readContext(configFolder, context);
}

/**
 * Parses `unix:///path`, `tcp://host:port`, `http://` and `https://` forms.
 *
 * @throws {DockerError} ENDPOINT_UNSUPPORTED
 */
export function parseDockerHost(text: string, tlsFolder: string | null): DockerEndpoint {
  if (text.startsWith('unix://')) {
    const socketPath = text.slice('unix://'.length);
    return socketPath.startsWith('/') ? { kind: 'unix', socketPath } : unsupported(text);
  }
  const url = URL.canParse(text) ? new URL(text) : unsupported(text);
  if (!['tcp:', 'http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    return unsupported(text);
  }
  if (url.protocol === 'https:' && tlsFolder === null) {
    return unsupported(text);
  }
  const port = url.port === '' ? toDefaultPort(url.protocol, tlsFolder) : Number(url.port);
  return { kind: 'tcp', host: url.hostname.replace(/^\[|\]$/g, ''), port, tlsFolder };
}

/** A URL forgets a port that is its scheme's own, so `http://h:80` must stay 80. */
function toDefaultPort(protocol: string, tlsFolder: string | null): number {
  if (protocol !== 'tcp:') {
    return protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  }
  return tlsFolder === null ? PLAIN_PORT : TLS_PORT;
}

/** The endpoint as DOCKER_HOST spells it; `https` says that certificates are used. */
export function describeEndpoint(endpoint: DockerEndpoint): string {
  if (endpoint.kind === 'unix') {
    return `unix://${endpoint.socketPath}`;
  }
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
  return `${endpoint.tlsFolder === null ? 'tcp' : 'https'}://${host}:${endpoint.port}`;
}

function environmentTls(environment: DockerEnvironment, host: string): string | null {
  const wanted = (environment.DOCKER_TLS_VERIFY ?? '') !== '' || host.startsWith('https://');
  if (!wanted) {
    return null;
  }
  const folder = environment.DOCKER_CERT_PATH ?? '';
  return folder === '' ? join(environment.HOME ?? homedir(), '.docker') : folder;
}

async function readCurrentContext(configFolder: string): Promise<string | null> {
  const config = await readJson(join(configFolder, 'config.json'));
  const name = config?.currentContext;
  return typeof name === 'string' ? name : null;
}

/** The client stores a context under the sha256 of its name. */
async function readContext(configFolder: string, name: string): Promise<DockerEndpoint> {
  const id = sha256Hex(Buffer.from(name, 'utf8'));
  const meta = await readJson(join(configFolder, 'contexts', 'meta', id, 'meta.json'));
  const endpoints = meta?.Endpoints;
  const docker = isRecord(endpoints) ? endpoints.docker : undefined;
  const host = isRecord(docker) ? docker.Host : undefined;
  if (typeof host !== 'string') {
    throw new DockerError('ENDPOINT_UNSUPPORTED', 'docker context', {
      where: name,
      expected: 'a context with a docker endpoint',
      actual: 'none',
    });
  }
  const tlsFolder = join(configFolder, 'contexts', 'tls', id, 'docker');
  const hasTls = (await readFile(join(tlsFolder, 'ca.pem')).catch(() => null)) !== null;
  return parseDockerHost(host, hasTls ? tlsFolder : null);
}

/** Null when the file is absent or no JSON object: the docker client then uses its defaults as well. */
async function readJson(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function unsupported(text: string): never {
  throw new DockerError('ENDPOINT_UNSUPPORTED', 'docker host', {
    where: 'DOCKER_HOST',
    expected: 'unix:///absolute/path or tcp://host:port',
    actual: text,
  });
}
