import { parseOwner, readOwnerState } from '../host/owner.ts';
import { Answer, toAnswers } from './answer.ts';
import { ask, callFailed, type DockerClient, statusOf } from './client.ts';
import { ENDS_LABEL, OWNER_LABEL, RUN_LABEL } from './labels.ts';

export type SweepSelection = { readonly runId: string } | 'dead-runs';

/**
 * Milliseconds after a box's own end before it counts as left behind when its owner cannot be looked up from
 * here (another machine or pid namespace on the same engine). An hour forgives clocks that differ.
 */
const FOREIGN_GRACE_MS = 3_600_000;

/** A removal that another call began ends by itself; asking again each 100 ms for 10 s is enough. */
const REMOVAL_TRIES = 100;
const REMOVAL_PAUSE_MS = 100;

/**
 * Removes containers and volumes that carry our labels: all of one run, or of all runs whose process is gone.
 * Returns what was removed, as `container NAME` and `volume NAME`. Nothing without our label is looked at.
 */
export async function sweepDocker(
  client: DockerClient,
  selection: SweepSelection,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const container of await listContainers(client)) {
    if ((await isSelected(container, selection)) && (await removeContainer(client, container.text('Id')))) {
      removed.push(`container ${container.text('Id')}`);
    }
  }
  // A volume outlives its box only when the engine was killed between the two.
  for (const volume of await listVolumes(client)) {
    if ((await isSelected(volume, selection)) && (await removeVolume(client, volume.text('Name')))) {
      removed.push(`volume ${volume.text('Name')}`);
    }
  }
  return removed;
}

/**
 * Removes a box with its anonymous volumes, whatever its state, and waits until the engine no longer has it.
 * Returns false when it was gone already.
 */
export async function removeContainer(client: DockerClient, id: string): Promise<boolean> {
  for (let tries = 0; tries < REMOVAL_TRIES; tries += 1) {
    try {
      await client.calls.getContainer(id).remove({ force: true, v: true });
      return true;
    } catch (error) {
      if (statusOf(error) === 404) {
        return tries > 0;
      }
      // 409: a removal is in progress. 500: the box ended while it was being killed.
      if ((statusOf(error) !== 409 && statusOf(error) !== 500) || tries === REMOVAL_TRIES - 1) {
        throw callFailed(`remove ${id}`, error);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, REMOVAL_PAUSE_MS));
  }
  return false;
}

async function listContainers(client: DockerClient): Promise<readonly Answer[]> {
  const filters = JSON.stringify({ label: [RUN_LABEL] });
  return toAnswers(
    await ask('container list', client.calls.listContainers({ all: true, filters })),
    'container list',
  );
}

async function listVolumes(client: DockerClient): Promise<readonly Answer[]> {
  const filters = JSON.stringify({ label: [RUN_LABEL] });
  return new Answer(await ask('volume list', client.calls.listVolumes({ filters })), 'volume list').list(
    'Volumes',
  );
}

async function isSelected(item: Answer, selection: SweepSelection): Promise<boolean> {
  const labels = item.optionalObject('Labels');
  if (selection !== 'dead-runs') {
    return labels.optionalText(RUN_LABEL) === selection.runId;
  }
  const owner = parseOwner(labels.optionalText(OWNER_LABEL) ?? '');
  const state = owner === null ? 'elsewhere' : await readOwnerState(owner);
  if (state !== 'elsewhere') {
    return state === 'dead';
  }
  const ends = Date.parse(labels.optionalText(ENDS_LABEL) ?? '');
  return Number.isFinite(ends) && Date.now() > ends + FOREIGN_GRACE_MS;
}

async function removeVolume(client: DockerClient, name: string): Promise<boolean> {
  try {
    await client.calls.getVolume(name).remove();
    return true;
  } catch (error) {
    // 404: gone with its container. 409: its container is still there and not ours to remove now.
    if (statusOf(error) === 404 || statusOf(error) === 409) {
      return false;
    }
    throw callFailed(`remove ${name}`, error);
  }
}
