import { mkdir } from 'node:fs/promises';
import { release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Boundary } from '../../boundary/boundary.ts';
import { HolderBox } from '../box.ts';
import type {
  Box,
  BuiltImage,
  Engine,
  EngineFacts,
  EvidenceWay,
  ImageFile,
  KillRecipe,
  LoadedImage,
  OpenRequest,
} from '../engine.ts';
import { toHolderArgv } from '../holder/launch.ts';
import { HolderSession } from '../holder/session.ts';
import { type Owner, readOwner } from '../host/owner.ts';
import { Answer } from './answer.ts';
import { ArchiveReader } from './archive-reader.ts';
import { DockerBackend, type OutsideReader } from './backend.ts';
import { ask, connectDocker, type DockerClient } from './client.ts';
import { createContainer, inspectContainer, startContainer } from './container.ts';
import { type DockerEndpoint, describeEndpoint } from './endpoint.ts';
import { DockerError } from './errors.ts';
import { openHostReader } from './host-reader.ts';
import { ensureDockerImage } from './image-store.ts';
import { readTmpfs, readVolumes, type TmpfsOptions } from './inspect-view.ts';
import { BOX_LABEL, RUN_LABEL, toLabels } from './labels.ts';
import { type DockerIdentity, identifyDocker } from './probe.ts';
import { readDockerImage } from './read-image.ts';
import { removeContainer, type SweepSelection, sweepDocker } from './sweep.ts';

export interface DockerEngineOptions {
  readonly endpoint: DockerEndpoint;
  readonly runId: string;
  /** Folder of packproof's own, 0700, on the host; holds spooled trees while they are read. */
  readonly stateDir: string;
  /** The seccomp policy in Docker's JSON form, as text. */
  readonly seccomp: string;
  /** `engine-archive` also where the host could be read; by default the quicker way that works. */
  readonly evidenceWay?: EvidenceWay;
}

/** Milliseconds until the holder's first frame. A box starts in a tenth of a second; a starved machine gets long. */
const READY_LIMIT_MS = 30_000;

/** Milliseconds; a removal takes a tenth of a second, and a run may leave a few of them. */
const DISPOSE_LIMIT_MS = 15_000;

/** What is known after the start of a box, before anything of a candidate is in it. */
interface StartedBox {
  readonly id: string;
  readonly session: HolderSession;
  readonly inspected: Answer;
  readonly reader: OutsideReader;
  readonly tmpfs: TmpfsOptions;
}

/**
 * Connects to a Docker Engine that can be held to the boundary.
 *
 * @throws {DockerError} as `identifyDocker` says: absent, too old, another program, limits not enforceable
 */
export async function createDockerEngine(options: DockerEngineOptions): Promise<Engine> {
  const identity = await identifyDocker(options.endpoint);
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const client = await connectDocker(options.endpoint, identity.apiVersion);
  return new DockerEngine(options, identity, { client, owner: await readOwner() });
}

class DockerEngine implements Engine {
  readonly name = 'docker';
  readonly #options: DockerEngineOptions;
  readonly #identity: DockerIdentity;
  readonly #client: DockerClient;
  readonly #owner: Owner;
  readonly #removals = new Set<Promise<unknown>>();
  #way: EvidenceWay;

  constructor(
    options: DockerEngineOptions,
    identity: DockerIdentity,
    live: { readonly client: DockerClient; readonly owner: Owner },
  ) {
    this.#options = options;
    this.#identity = identity;
    this.#client = live.client;
    this.#owner = live.owner;
    this.#way = options.evidenceWay ?? chooseWay(options.endpoint, identity);
  }

  async facts(): Promise<EngineFacts> {
    const { version, apiVersion, runtime, kernel, cgroupVersion, storage } = this.#identity;
    return {
      name: this.name,
      version,
      apiVersion,
      runtime,
      kernel,
      cgroupVersion,
      storage,
      evidenceWay: this.#way,
    };
  }

  ensureImage(image: BuiltImage): Promise<LoadedImage> {
    return ensureDockerImage(this.#client, image, this.#identity.platform);
  }

  readImage(image: LoadedImage): AsyncIterable<ImageFile> {
    const labels = toLabels(
      { runId: this.#options.runId, boxName: 'read-back' },
      this.#owner,
      READY_LIMIT_MS,
    );
    return readDockerImage(this.#client, image, { labels, removeLater: (id) => this.#removeLater(id) });
  }

  async open(request: OpenRequest): Promise<Box> {
    const started = (await this.#tryStart(request)) ?? (await this.#startOtherWay(request));
    const { id, session, inspected, reader, tmpfs } = started;
    const box = new HolderBox(
      session,
      new DockerBackend({
        id,
        client: this.#client,
        killRecipe: this.#toKillRecipe(id),
        inspected,
        tmpfs,
        reader,
        removeLater: (ended) => this.#removeLater(ended),
      }),
    );
    try {
      await box.lay(request.files);
      return box;
    } catch (error) {
      await box.close().catch(() => null);
      throw error;
    }
  }

  sweep(selection: SweepSelection): Promise<readonly string[]> {
    return sweepDocker(this.#client, selection);
  }

  /** Waits for removals under way, but not for an engine that stalls: a later sweep finds what stays. */
  async dispose(): Promise<void> {
    const timeout = new AbortController();
    const limit = sleep(DISPOSE_LIMIT_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([this.#awaitRemovals(), limit]);
    timeout.abort();
    this.#client.destroy();
  }

  async #awaitRemovals(): Promise<void> {
    while (this.#removals.size > 0) {
      await Promise.all(this.#removals);
    }
  }

  /** Null when the host's way was meant and this box shows that it does not work with this engine. */
  async #tryStart(request: OpenRequest): Promise<StartedBox | null> {
    const { boundary } = request;
    const created = await createContainer(this.#client, {
      imageId: request.image.engineId,
      boundary,
      seccomp: this.#options.seccomp,
      labels: toLabels(request.labels, this.#owner, request.endsAfterMs),
      holderArgv: toHolderArgv(boundary.platform, request.endsAfterMs),
      evidenceWay: this.#way,
      cgroupVersion: this.#identity.cgroupVersion,
    });
    try {
      const session = new HolderSession(created.channel);
      const ready = session.ready(READY_LIMIT_MS);
      // The start's own error is the one to tell.
      ready.catch(() => null);
      await startContainer(this.#client, created.id);
      const [inspected] = await Promise.all([inspectContainer(this.#client, created.id), ready]);
      const tmpfs = await this.#readTmpfs(inspected, request);
      const reader = this.#openReader(inspected, boundary);
      if (reader === null) {
        await removeContainer(this.#client, created.id);
        return null;
      }
      return { id: created.id, session, inspected, reader, tmpfs };
    } catch (error) {
      this.#removeLater(created.id);
      throw error;
    }
  }

  async #startOtherWay(request: OpenRequest): Promise<StartedBox> {
    this.#way = 'engine-archive';
    const started = await this.#tryStart(request);
    if (started === null) {
      throw new DockerError('EVIDENCE_UNREADABLE', 'box', { where: request.labels.boxName });
    }
    return started;
  }

  #openReader(inspected: Answer, boundary: Boundary): OutsideReader | null {
    return this.#way === 'host'
      ? openHostReader(inspected, boundary.mounts)
      : new ArchiveReader(this.#client, inspected, boundary.mounts, this.#options.stateDir);
  }

  async #readTmpfs(inspected: Answer, request: OpenRequest): Promise<TmpfsOptions> {
    const paths = request.boundary.mounts.map((mount) => mount.path);
    if (this.#way === 'host') {
      return readTmpfs(inspected, paths);
    }
    const { runId, boxName } = request.labels;
    const filters = JSON.stringify({ label: [`${RUN_LABEL}=${runId}`, `${BOX_LABEL}=${boxName}`] });
    const listed = new Answer(
      await ask('volume list', this.#client.calls.listVolumes({ filters })),
      'volume list',
    );
    return readVolumes(inspected, listed, paths);
  }

  #toKillRecipe(containerId: string): KillRecipe {
    const { endpoint } = this.#options;
    const certificates = endpoint.kind === 'tcp' ? endpoint.tlsFolder : null;
    return { kind: 'docker', host: describeEndpoint(endpoint), certificates, containerId };
  }

  /** Off the critical path; what fails here is found by a sweep, since the owner's label goes with it. */
  #removeLater(id: string): void {
    const removal = removeContainer(this.#client, id)
      .catch(() => false)
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

/**
 * The host's way needs root, a local socket and the engine's kernel to be ours. Whether the pids are ours as
 * well shows with the first box.
 */
function chooseWay(endpoint: DockerEndpoint, identity: DockerIdentity): EvidenceWay {
  const isLocal = endpoint.kind === 'unix' && identity.kernel === release();
  return isLocal && process.getuid?.() === 0 ? 'host' : 'engine-archive';
}
