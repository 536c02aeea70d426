import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import type { Engine, LoadedImage } from '../engine.ts';
import { toImageName } from './docker-archive.ts';
import { DockerError } from './errors.ts';
import { removeDockerImages } from './image-store.ts';
import {
  codeOf,
  collectEvents,
  connect,
  openTrialBox,
  type PrivateEngine,
  startPerl,
  startPrivateEngine,
} from './testing/private-engine.ts';
import { buildTrialImage } from './testing/trial-image.ts';

const DRIVER = fileURLToPath(new URL('./testing/trial-driver.js', import.meta.url));
/** How long a box may outlive its driver, or an engine's answer its cause; far above what is seen (0.2 s). */
const PATIENCE_MS = 20_000;

describe('the Docker engine under attack', () => {
  let shared: PrivateEngine;
  let raw: Docker;
  let engine: Engine;

  before(async () => {
    shared = await startPrivateEngine();
    raw = new Docker({ socketPath: shared.unix.socketPath });
    engine = await connect(shared, { runId: 'faults' });
  });
  after(async () => {
    await engine.dispose();
    await shared.stop();
  });

  const place = (runId: string) => ({ folder: shared.folder, runId });

  async function buildIn(name: string, marker: string) {
    const folder = join(shared.folder, name);
    await mkdir(folder, { recursive: true });
    return { folder, image: await buildTrialImage(folder, marker) };
  }

  async function readMarker(loaded: LoadedImage): Promise<string | null> {
    let found: string | null = null;
    for await (const file of engine.readImage(loaded)) {
      found = file.path === 'opt/marker' ? file.sha256 : found;
    }
    return found;
  }

  it('loads an image once and then knows it by its layers', async () => {
    const { folder, image } = await buildIn('twice', 'twice');
    const first = await engine.ensureImage(image);
    // Without the layer files a second load would fail.
    await rm(folder, { recursive: true });
    const second = await engine.ensureImage(image);
    assert.equal(second.engineId, first.engineId);
  });

  it('refuses a layer file that changed after the image was built', async () => {
    const { image } = await buildIn('changed', 'changed');
    const layer = image.layers[1];
    assert.ok(layer);
    const bytes = readFileSync(layer.file);
    bytes[600] = (bytes[600] ?? 0) ^ 1;
    await writeFile(layer.file, bytes);
    await assert.rejects(engine.ensureImage(image), isDockerError('LAYER_CHANGED', 'candidate'));
    await writeFile(layer.file, bytes.subarray(0, 512));
    await assert.rejects(engine.ensureImage(image), isDockerError('LAYER_CHANGED', 'candidate'));
  });

  it('does not take another image under the same tag', async () => {
    const good = await buildIn('good', 'good');
    const other = await buildIn('other', 'other');
    const goodId = (await engine.ensureImage(good.image)).engineId;
    const otherId = (await engine.ensureImage(other.image)).engineId;
    const [repo = '', tag = ''] = toImageName(good.image).split(':');
    await raw.getImage(otherId).tag({ repo, tag });
    assert.equal((await engine.ensureImage(good.image)).engineId, goodId);
    await raw.getImage(otherId).tag({ repo, tag });
    await rm(good.folder, { recursive: true });
    // It saw the difference: it tried to load, for which the layers are missing now.
    await assert.rejects(engine.ensureImage(good.image), isDockerError('LAYER_CHANGED', 'base'));
  });

  it('shows in the read-back what the storage really holds', async () => {
    const { image } = await buildIn('stored', 'as built');
    const loaded = await engine.ensureImage(image);
    const before = await readMarker(loaded);
    const storage = join(shared.engineFolder, 'data', 'overlay2');
    const marker = readdirSync(storage)
      .map((name) => join(storage, name, 'diff', 'opt', 'marker'))
      .find((path) => existsSync(path) && readFileSync(path, 'utf8') === 'as built');
    assert.ok(marker, 'the layer lies in the storage of the engine');
    await writeFile(marker, 'tampered');
    assert.equal((await engine.ensureImage(image)).engineId, loaded.engineId);
    assert.notEqual(await readMarker(loaded), before);
  });

  it('refuses an image of another platform', async () => {
    const { image } = await buildIn('platform', 'platform');
    const foreign = image.platform === 'linux/amd64' ? 'linux/arm64' : 'linux/amd64';
    await assert.rejects(
      engine.ensureImage({ ...image, platform: foreign }),
      isDockerError('PLATFORM_UNSUPPORTED', image.configDigest),
    );
  });

  it('says that the box was lost when it is removed under a step', async () => {
    const box = await openTrialBox(engine, place('faults'));
    const step = await startPerl(box, 'sleep 1000');
    const events = collectEvents(step);
    await raw.getContainer(box.id).remove({ force: true });
    assert.equal((await step.ended).kind, 'box-lost');
    assert.equal((await events).at(-1)?.kind, 'ended');
    await assert.rejects(box.killAll(), (error) => codeOf(error) === 'BOX_LOST');
    await assert.rejects(box.close(), isDockerError('BOX_LOST', `inspect ${box.id}`));
  });

  it('says so too when the box is killed under a step, and still tells how it ended', async () => {
    const box = await openTrialBox(engine, place('faults'));
    const step = await startPerl(box, 'sleep 1000');
    await raw.getContainer(box.id).kill();
    assert.equal((await step.ended).kind, 'box-lost');
    const end = await box.close();
    assert.equal(end.inspect.ExitCode, 137);
    assert.equal(end.oomKilled, false);
  });

  it('removes everything of a closed box by the time it is disposed', async () => {
    const mine = await connect(shared, { runId: 'gone', way: 'engine-archive' });
    const box = await openTrialBox(mine, place('gone'));
    assert.equal((await listOurs('gone')).length, 4);
    await box.close();
    await box.close();
    await mine.dispose();
    assert.deepEqual(await listOurs('gone'), []);
  });

  it('ends a box whose driver was killed, and sweeps only what dead runs left', async () => {
    const stranger = await raw.createContainer({ Image: await anyImage(), Cmd: ['/x'] });
    const alive = await openTrialBox(engine, place('faults'));
    const { driver, boxId } = await startDriver('dead');
    driver.kill('SIGKILL');
    await until(async () => !(await raw.getContainer(boxId).inspect()).State.Running);
    const removed = await engine.sweep('dead-runs');
    assert.deepEqual(removed, [`container ${boxId}`]);
    assert.equal((await raw.getContainer(alive.id).inspect()).State.Running, true);
    assert.equal((await stranger.inspect()).State.Status, 'created');
    assert.deepEqual(await engine.sweep('dead-runs'), []);
    await alive.close();
    await stranger.remove();
  });

  it('sweeps one run by its name, alive or not', async () => {
    const other = await connect(shared, { runId: 'other' });
    const kept = await openTrialBox(engine, place('faults'));
    const swept = await openTrialBox(other, place('swept'));
    assert.deepEqual(await engine.sweep({ runId: 'swept' }), [`container ${swept.id}`]);
    assert.equal((await raw.getContainer(kept.id).inspect()).State.Running, true);
    await kept.close();
    await other.dispose();
  });

  it('removes images of its own and no others', async () => {
    const own = await startPrivateEngine();
    try {
      const mine = await connect(own, { runId: 'images' });
      const { image } = await buildIn('images', 'images');
      const { engineId } = await mine.ensureImage(image);
      const other = new Docker({ socketPath: own.unix.socketPath });
      await other.getImage(engineId).tag({ repo: 'users/own', tag: '1' });
      assert.deepEqual(await removeDockerImages(own.unix), [toImageName(image)]);
      assert.deepEqual(
        (await other.listImages()).map(({ RepoTags }) => RepoTags),
        [['users/own:1']],
      );
      assert.deepEqual(await removeDockerImages(own.unix), []);
      await mine.dispose();
    } finally {
      await own.stop();
    }
  });

  it('reports a daemon that was killed in mid-step as a lost box, and does not hang', async () => {
    const own = await startPrivateEngine();
    try {
      const mine = await connect(own, { runId: 'daemon' });
      const box = await openTrialBox(mine, { folder: own.folder, runId: 'daemon' });
      const step = await startPerl(box, 'sleep 1000');
      const holder = Number(await readHolderPid(own, box.id));
      process.kill(Number(readFileSync(join(own.engineFolder, 'dockerd.pid'), 'utf8')), 'SIGKILL');
      assert.equal((await step.ended).kind, 'box-lost');
      await assert.rejects(box.close(), isDockerError('BOX_LOST', `wait ${box.id}`));
      const again = openTrialBox(mine, { folder: own.folder, runId: 'daemon' });
      await assert.rejects(again, isDockerError('ENGINE_ABSENT', 'image inspect'));
      // The box goes with its control stream, without an engine.
      await until(async () => !existsSync(`/proc/${holder}`));
      await mine.dispose();
    } finally {
      await own.stop();
    }
    assert.equal(existsSync(own.folder), false);
    assert.equal(readFileSync('/proc/self/mountinfo', 'utf8').includes(own.folder), false);
    assert.deepEqual(processesNaming(own.folder), []);
  });

  async function startDriver(runId: string): Promise<{ driver: ChildProcess; boxId: string }> {
    const folder = join(shared.folder, 'driver');
    await mkdir(folder, { recursive: true });
    const driver = spawn(process.execPath, [DRIVER, shared.unix.socketPath, runId, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: driver.stdout });
    for await (const line of lines) {
      return { driver, boxId: line };
    }
    throw new Error('the driver ended without a box');
  }

  async function listOurs(runId: string): Promise<readonly string[]> {
    const filters = JSON.stringify({ label: [`packproof.run=${runId}`] });
    const containers = await raw.listContainers({ all: true, filters });
    const { Volumes } = await raw.listVolumes({ filters });
    return [...containers.map(({ Id }) => Id), ...(Volumes ?? []).map(({ Name }) => Name)];
  }

  async function anyImage(): Promise<string> {
    return (await engine.ensureImage(await buildTrialImage(shared.folder, 'trial'))).engineId;
  }
});

async function readHolderPid(own: PrivateEngine, id: string): Promise<number> {
  const { State } = await new Docker({ socketPath: own.unix.socketPath }).getContainer(id).inspect();
  return State.Pid;
}

function processesNaming(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });
}

function isDockerError(code: string, where: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof DockerError, String(error));
    assert.deepEqual([error.code, error.where, error.kind], [code, where, 'infrastructure']);
    return true;
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not so within ${PATIENCE_MS} ms`);
    await sleep(20);
  }
}
