import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from '../../boundary/boundary.ts';
import { type OciSeccomp, toOciSeccomp } from '../../boundary/seccomp-forms.ts';
import { readSeccompPolicy } from '../../boundary/seccomp-policy.ts';
import { HolderBox } from '../box.ts';
import type { Box, BuiltImage, Engine, EngineFacts, ImageFile, LoadedImage, OpenRequest } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { collectDiagnostics, toHolderArgv } from '../holder/launch.ts';
import { HolderSession } from '../holder/session.ts';
import { readCgroupVersion } from '../host/cgroup.ts';
import { ImageMounts, readMountedImage } from './image-mounts.ts';
import { LayerStore } from './layer-store.ts';
import { toOciConfig } from './oci-config.ts';
import { ensurePrivateFolder } from './private-folder.ts';
import { RunFolder } from './run-folder.ts';
import { RuncBackend, type RuncBoxPlace } from './runc-box.ts';
import {
  CONTROL_DESCRIPTOR,
  RuncCommand,
  type RuncRun,
  readRuncVersion,
  toControlStream,
} from './runc-command.ts';
import { sweepRuns } from './runc-sweep.ts';
import type { RuncVersion } from './runc-version.ts';

/** A box comes up in 50 ms; a starved machine gets half a minute before it counts as an engine's fault. */
const READY_TIMEOUT_MS = 30_000;

/** runc ends within a moment of its container's start or failure; then its stderr is whole. */
const RUNC_END_TIMEOUT_MS = 5_000;

/** Milliseconds; killing a box has five seconds, and a removal takes a hundredth of one. */
const DISPOSE_LIMIT_MS = 10_000;

export interface RuncEngineOptions {
  /** packproof's state folder (`$XDG_STATE_HOME/packproof`). Absolute. */
  readonly stateDir: string;
  /** packproof's cache folder (`$XDG_CACHE_HOME/packproof`). Absolute. */
  readonly cacheDir: string;
  readonly runId: string;
}

/**
 * The engine that needs no daemon: runc from the path, images as read-only overlays.
 *
 * Nothing of it is left after `dispose` but unpacked layers in the cache; what a crash leaves is found by
 * `sweep` through the run's folder below the state folder.
 * @throws {EngineError} ENGINE_NOT_PERMITTED (not root), ENGINE_ABSENT, ENGINE_TOO_OLD, STATE_UNSAFE
 */
export async function createRuncEngine(options: RuncEngineOptions): Promise<Engine> {
  if (process.getuid?.() !== 0) {
    throw new EngineError('ENGINE_NOT_PERMITTED', {
      where: 'runc',
      expected: 'root',
      actual: `uid ${process.getuid?.() ?? 'unknown'}`,
    });
  }
  const version = await readRuncVersion();
  await ensurePrivateFolder(options.stateDir);
  await ensurePrivateFolder(options.cacheDir);
  const folder = new RunFolder(options.stateDir, options.runId);
  await folder.claim();
  return new RuncEngine(options, version, folder);
}

class RuncEngine implements Engine {
  readonly name = 'runc';
  readonly #options: RuncEngineOptions;
  readonly #version: RuncVersion;
  readonly #folder: RunFolder;
  readonly #runc: RuncCommand;
  readonly #layers: LayerStore;
  readonly #images: ImageMounts;
  readonly #open = new Set<HolderBox>();
  /** Boxes whose files on the host are being made. */
  readonly #writing = new Set<Promise<RuncBoxPlace>>();
  /** Boxes whose start is under way, with what comes of each. */
  readonly #starting = new Map<RuncRun, Promise<HolderBox>>();
  readonly #cgroupVersion: 1 | 2;
  readonly #seccomp = new Map<Platform, OciSeccomp>();

  constructor(options: RuncEngineOptions, version: RuncVersion, folder: RunFolder) {
    this.#options = options;
    this.#version = version;
    this.#folder = folder;
    this.#runc = new RuncCommand(folder.runcRoot);
    this.#layers = new LayerStore(options.cacheDir);
    this.#images = new ImageMounts(folder.images, this.#layers);
    this.#cgroupVersion = readCgroupVersion(readFileSync('/proc/self/mountinfo', 'latin1'));
  }

  async facts(): Promise<EngineFacts> {
    const { version, commit } = this.#version;
    const full = commit === '' ? version : `${version} (${commit})`;
    return {
      name: 'runc',
      version: full,
      apiVersion: null,
      runtime: { name: 'runc', version: full },
      kernel: release(),
      cgroupVersion: this.#cgroupVersion,
      storage: 'overlay',
      evidenceWay: 'host',
    };
  }

  async ensureImage(image: BuiltImage): Promise<LoadedImage> {
    await this.#images.ensure(image);
    return { image, engineId: `overlay:${image.configDigest}` };
  }

  async *readImage({ image }: LoadedImage): AsyncIterable<ImageFile> {
    for await (const file of readMountedImage(await this.#images.ensure(image))) {
      this.#images.requireOpen();
      yield file;
    }
  }

  async open(request: OpenRequest): Promise<Box> {
    const writing = this.#writeBundle(request);
    this.#writing.add(writing);
    const place = await writing.finally(() => this.#writing.delete(writing));
    this.#images.requireOpen();
    const run = this.#runc.run(place.id, place.bundle);
    const starting = this.#start(run, place);
    this.#starting.set(run, starting);
    const box = await starting.finally(() => this.#starting.delete(run));
    try {
      await box.lay(request.files);
      return box;
    } catch (error) {
      await box.close();
      throw error;
    }
  }

  async sweep(selection: { readonly runId: string } | 'dead-runs'): Promise<readonly string[]> {
    const swept = await sweepRuns(this.#options, selection);
    return selection === 'dead-runs' ? [...swept, ...(await this.#layers.removeStale())] : swept;
  }

  /**
   * Ends what is open or about to be. It does not wait for a runc that stalls: the folder of the run is kept then,
   * by which a later sweep finds what stays. Our own work on files is waited for, because what it makes would come
   * into a folder that is gone.
   *
   * @throws {EngineError} PROCESSES_SURVIVED
   */
  async dispose(): Promise<void> {
    this.#images.refuse();
    await Promise.allSettled(this.#writing);
    const ends = await withinLimit(this.#endAll());
    this.#runc.abandon();
    await this.#images.close();
    const kept = await readdir(this.#folder.runcRoot).catch(() => []);
    if (ends !== null && kept.length === 0) await this.#folder.remove();
    const failed = ends?.flatMap((end): readonly unknown[] =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    const survived = failed?.find((one) => one instanceof EngineError && one.code === 'PROCESSES_SURVIVED');
    if (survived !== undefined) throw survived;
  }

  async #endAll(): Promise<readonly PromiseSettledResult<unknown>[]> {
    for (const run of this.#starting.keys()) run.kill('SIGKILL');
    await Promise.allSettled(this.#starting.values());
    return Promise.allSettled([...this.#open].map((box) => box.close()));
  }

  async #writeBundle(request: OpenRequest): Promise<RuncBoxPlace> {
    const { boundary, labels, image } = request;
    requireOwnPlatform(boundary.platform);
    const rootfs = await this.#images.ensure(image.image);
    const { id, bundle } = await this.#folder.makeBox(labels.boxName);
    const config = toOciConfig({
      boundary,
      rootfs,
      labels,
      argv: toHolderArgv(boundary.platform, request.endsAfterMs, CONTROL_DESCRIPTOR),
      // Below our own cgroup on version 1, so that a limit on us is one on boxes; version 2 forbids that.
      cgroupsPath: this.#cgroupVersion === 1 ? id : `/${id}`,
      seccomp: this.#toSeccomp(boundary.platform),
    });
    await writeFile(join(bundle, 'config.json'), JSON.stringify(config), { flag: 'wx', mode: 0o600 });
    return { id, bundle, runcRoot: this.#folder.runcRoot, runc: this.#runc, mounts: boundary.mounts };
  }

  #toSeccomp(platform: Platform): OciSeccomp {
    const made = this.#seccomp.get(platform) ?? toOciSeccomp(readSeccompPolicy(), platform);
    this.#seccomp.set(platform, made);
    return made;
  }

  async #start(run: RuncRun, place: RuncBoxPlace): Promise<HolderBox> {
    const { session, backend } = await this.#attach(run, place).catch(async (error: unknown) => {
      // What cannot be removed now is found by a sweep; the first error is the one that matters.
      await this.#discard(run, place).catch(() => undefined);
      throw error;
    });
    const box = new HolderBox(session, backend);
    this.#open.add(box);
    backend.onRemoved(() => this.#open.delete(box));
    return box;
  }

  async #attach(
    run: RuncRun,
    place: RuncBoxPlace,
  ): Promise<{ readonly session: HolderSession; readonly backend: RuncBackend }> {
    const diagnostics = collectDiagnostics(run.stderr);
    const session = new HolderSession({ control: toControlStream(run), frames: run.stdout, diagnostics });
    try {
      await session.ready(READY_TIMEOUT_MS);
    } catch (cause) {
      await ended(run);
      throw new EngineError('BOX_NOT_READY', {
        where: place.id,
        expected: 'the first frame of the holder',
        actual: diagnostics().trim() || 'nothing on stderr',
        cause,
      });
    }
    return { session, backend: RuncBackend.attach(place) };
  }

  /** Leaves nothing of a box that did not come up, and says so when that fails as well. */
  async #discard(run: RuncRun, { id, bundle }: RuncBoxPlace): Promise<void> {
    toControlStream(run).destroy();
    run.kill('SIGKILL');
    await ended(run);
    await this.#runc.delete(id);
    await rm(bundle, { recursive: true, force: true });
  }
}

/** runc starts a program of another architecture like any other, and the kernel then refuses it in its own words. */
function requireOwnPlatform(platform: Platform): void {
  const own = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
  if (platform !== own) {
    throw new EngineError('BOUNDARY_UNSUPPORTED', { where: 'platform', expected: own, actual: platform });
  }
}

/** Null when it took longer than an engine at its end is waited for. */
async function withinLimit<T>(work: Promise<T>): Promise<T | null> {
  const timer = new AbortController();
  const limit = pause(DISPOSE_LIMIT_MS, null, { signal: timer.signal }).catch(() => null);
  return Promise.race([work, limit]).finally(() => timer.abort());
}

/** Resolves when runc itself has ended; its pipes live on in the holder. */
async function ended(run: RuncRun): Promise<void> {
  if (run.exitCode === null && run.signalCode === null) {
    const timer = new AbortController();
    await Promise.race([
      once(run, 'exit', { signal: timer.signal }).catch(() => undefined),
      pause(RUNC_END_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
    timer.abort();
  }
}
