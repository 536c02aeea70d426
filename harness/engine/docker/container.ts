import type { Container } from 'dockerode';
import type { HolderChannel } from '../holder/session.ts';
import { Answer } from './answer.ts';
import { type DockerClient, reasonOf, statusOf, toDuplex } from './client.ts';
import { type ContainerRequest, toContainerOptions } from './container-options.ts';
import { AttachDemux } from './demux.ts';
import { DockerError } from './errors.ts';
import { removeContainer } from './sweep.ts';

/** Bytes of the holder's stderr that are kept for messages; it writes there only when it cannot start. */
const DIAGNOSTICS_LIMIT_BYTES = 4096;
/** Milliseconds from the order to end until the engine must have seen the end; a stalled kill is a fault. */
const END_LIMIT_MS = 15_000;

/** A created box with its control stream, not yet started. */
export interface AttachedContainer {
  readonly id: string;
  readonly channel: HolderChannel;
}

/**
 * Creates the box and attaches to it. Attaching comes before the start, so that not a byte is missed.
 *
 * @throws {DockerError} BOX_NOT_READY; what was created is removed again
 */
export async function createContainer(
  client: DockerClient,
  request: ContainerRequest,
): Promise<AttachedContainer> {
  const container = await create(client, request);
  try {
    return { id: container.id, channel: await attach(client, container.id) };
  } catch (error) {
    await removeContainer(client, container.id).catch(() => false);
    throw notOpened('attach', error);
  }
}

/** @throws {DockerError} BOX_NOT_READY */
export async function startContainer(client: DockerClient, id: string): Promise<void> {
  try {
    await client.calls.getContainer(id).start();
  } catch (error) {
    throw notOpened('start', error);
  }
}

/** @throws {DockerError} BOX_LOST when the engine no longer knows the box or does not answer */
export async function inspectContainer(client: DockerClient, id: string): Promise<Answer> {
  try {
    return new Answer(await client.calls.getContainer(id).inspect(), 'container inspect');
  } catch (error) {
    throw error instanceof DockerError ? error : lost(id, 'inspect', error);
  }
}

/** Ends the box through the engine. A box that has ended or is gone is no error. @throws {DockerError} BOX_LOST */
export async function killContainer(client: DockerClient, id: string): Promise<void> {
  try {
    const abortSignal = AbortSignal.timeout(END_LIMIT_MS);
    await client.calls.getContainer(id).kill({ signal: 'SIGKILL', abortSignal });
  } catch (error) {
    // 404: removed by somebody. 409 and, in old engines, 500: not running.
    if (![404, 409, 500].includes(statusOf(error) ?? 0)) {
      throw lost(id, 'kill', error);
    }
  }
}

/**
 * Resolves when the engine itself has seen the end, so that its state can be read.
 *
 * `not-running` answers at once for a box that has ended; the other conditions hang or miss it.
 * @throws {DockerError} BOX_LOST when the engine does not answer within END_LIMIT_MS, or at all
 */
export async function awaitEnd(client: DockerClient, id: string): Promise<void> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('no end seen')), END_LIMIT_MS);
  try {
    await client.streams.getContainer(id).wait({ condition: 'not-running', abortSignal: abort.signal });
  } catch (error) {
    if (statusOf(error) !== 404) {
      throw lost(id, 'wait', error);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function create(client: DockerClient, request: ContainerRequest): Promise<Container> {
  try {
    return await client.calls.createContainer(toContainerOptions(request));
  } catch (error) {
    throw notOpened('create', error);
  }
}

/** Only a hijacked connection lets either side end its half. */
async function attach(client: DockerClient, id: string): Promise<HolderChannel> {
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const socket = toDuplex(await client.streams.getContainer(id).attach(options));
  let said = '';
  const frames = new AttachDemux((bytes) => {
    said = (said + bytes.toString('latin1')).slice(0, DIAGNOSTICS_LIMIT_BYTES);
  });
  socket.on('error', (error) => frames.destroy(error));
  socket.on('close', () => frames.end());
  frames.on('error', () => socket.destroy());
  socket.pipe(frames);
  return { control: socket, frames, diagnostics: () => said };
}

function notOpened(call: string, cause: unknown): DockerError {
  return cause instanceof DockerError
    ? cause
    : new DockerError('BOX_NOT_READY', 'box', {
        where: call,
        expected: 'no error',
        actual: reasonOf(cause),
        cause,
      });
}

function lost(id: string, call: string, cause: unknown): DockerError {
  return new DockerError('BOX_LOST', 'box', {
    where: `${call} ${id}`,
    expected: 'an answer',
    actual: reasonOf(cause),
    cause,
  });
}
