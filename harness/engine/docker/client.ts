import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import Docker from 'dockerode';
import type { DockerEndpoint } from './endpoint.ts';
import { DockerError } from './errors.ts';

/**
 * Two views of one engine. `calls` gives up on an answer after CALL_LIMIT_MS without a byte, so that a
 * stopped daemon cannot hold a run; `streams` has no limit and serves attach, wait, load and export, which
 * may rightly stay quiet for long.
 */
export interface DockerClient {
  readonly calls: Docker;
  readonly streams: Docker;
  /** Closes idle connections. Running requests are not cut. */
  destroy(): void;
}

/** Milliseconds; create and start on a loaded two-core machine stay below 5 s. */
const CALL_LIMIT_MS = 60_000;

/**
 * Connects lazily. `apiVersion` is the negotiated one, such as `1.41`, or null to let the engine use its
 * newest (for the version call itself). The keep-alive agents save a connection per call.
 *
 * @throws {DockerError} ENGINE_ABSENT when the TLS files cannot be read
 */
export async function connectDocker(
  endpoint: DockerEndpoint,
  apiVersion: string | null,
): Promise<DockerClient> {
  const secure = endpoint.kind === 'tcp' && endpoint.tlsFolder !== null;
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const options = {
    ...(await toConnection(endpoint)),
    agent,
    ...(apiVersion === null ? {} : { version: `v${apiVersion}` }),
  };
  return {
    calls: new Docker({ ...options, timeout: CALL_LIMIT_MS }),
    streams: new Docker(options),
    destroy: () => agent.destroy(),
  };
}

/** The library takes from the process environment whatever is not given, so that all of it is. */
const SILENT = {
  host: undefined,
  port: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
  timeout: undefined,
  pathPrefix: '/',
} as const;

async function toConnection(endpoint: DockerEndpoint): Promise<Docker.DockerOptions> {
  if (endpoint.kind === 'unix') {
    return { ...SILENT, socketPath: endpoint.socketPath, protocol: 'http' };
  }
  const address = { ...SILENT, host: endpoint.host, port: endpoint.port };
  if (endpoint.tlsFolder === null) {
    return { ...address, protocol: 'http' };
  }
  const [ca, cert, key] = await Promise.all([
    readPem(endpoint.tlsFolder, 'ca.pem'),
    readPem(endpoint.tlsFolder, 'cert.pem'),
    readPem(endpoint.tlsFolder, 'key.pem'),
  ]);
  return { ...address, protocol: 'https', ca, cert, key };
}

async function readPem(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (cause) {
    throw new DockerError('ENGINE_ABSENT', 'engine certificates', {
      where: name,
      expected: 'a readable file',
      actual: 'none',
      cause,
    });
  }
}

/** HTTP status of a failed engine call; null when the failure was no answer at all. */
export function statusOf(error: unknown): number | null {
  if (typeof error === 'object' && error !== null && 'statusCode' in error) {
    return typeof error.statusCode === 'number' ? error.statusCode : null;
  }
  return null;
}

/** What the engine or the transport said, for messages. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}

/** The fault for a call that failed: the engine said no, or said nothing. */
export function callFailed(where: string, cause: unknown): DockerError {
  if (cause instanceof DockerError) {
    return cause;
  }
  const answered = statusOf(cause) !== null;
  return new DockerError(answered ? 'ENGINE_FAILED' : 'ENGINE_ABSENT', 'docker engine', {
    where,
    expected: answered ? 'no error' : 'an answer',
    actual: reasonOf(cause),
    cause,
  });
}

/** Awaits a call whose every failure is a fault. @throws {DockerError} ENGINE_ABSENT, ENGINE_FAILED */
export async function ask<T>(where: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw callFailed(where, cause);
  }
}

/** The library types its streams as the oldest interface; they are HTTP responses, which are `Readable`. */
export function toReadable(stream: NodeJS.ReadableStream): Readable {
  return stream instanceof Readable ? stream : notAStream();
}

/** A hijacked connection is the socket itself. */
export function toDuplex(stream: NodeJS.ReadWriteStream): Duplex {
  return stream instanceof Duplex ? stream : notAStream();
}

function notAStream(): never {
  throw new DockerError('ANSWER_INVALID', 'engine answer', { where: 'stream', expected: 'a stream' });
}
