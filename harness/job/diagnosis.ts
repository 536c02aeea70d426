import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../document/fault.ts';
import { findDockerEndpoint } from '../engine/docker/endpoint.ts';
import { probeDocker } from '../engine/docker/probe.ts';
import type { EngineFacts } from '../engine/engine.ts';
import { createRuncEngine } from '../engine/runc/runc-engine.ts';

/** What one engine looks like on this machine. */
export interface EngineDiagnosis {
  readonly name: 'docker' | 'runc';
  readonly state: 'usable' | 'absent' | 'refused';
  readonly detail: string;
  /** The one command that mends it; null when nothing needs mending or none is known. */
  readonly mend: string | null;
}

/** Looks at both engines without starting, installing or changing anything. */
export async function diagnoseEngines(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly EngineDiagnosis[]> {
  return [await diagnoseDocker(environment), await diagnoseRunc()];
}

async function diagnoseDocker(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EngineDiagnosis> {
  const probe = await probeDocker(await findDockerEndpoint(environment));
  switch (probe.kind) {
    case 'ready': {
      const { version, apiVersion, cgroupVersion, runtime } = probe.identity;
      const detail = `Docker Engine ${version}, API ${apiVersion}, cgroup v${cgroupVersion}, ${runtime.name} ${runtime.version} at ${probe.where}`;
      return { name: 'docker', state: 'usable', detail, mend: null };
    }
    case 'absent':
      return {
        name: 'docker',
        state: 'absent',
        detail: `no answer at ${probe.where}: ${probe.reason}`,
        mend: 'sudo apt-get install --no-install-recommends docker.io && sudo systemctl start docker',
      };
    case 'refused':
      return {
        name: 'docker',
        state: 'refused',
        detail: `${probe.error.code}: ${probe.error.message}`,
        mend: null,
      };
  }
}

async function diagnoseRunc(): Promise<EngineDiagnosis> {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-doctor-'));
  try {
    const engine = await createRuncEngine({
      stateDir: join(folder, 'state'),
      cacheDir: join(folder, 'cache'),
      runId: 'doctor',
    });
    const facts = await engine.facts();
    await engine.dispose();
    return { name: 'runc', state: 'usable', detail: describe(facts), mend: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { name: 'runc', ...explain(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describe({ version, kernel, cgroupVersion, storage }: EngineFacts): string {
  return `runc ${version}, kernel ${kernel}, cgroup v${cgroupVersion}, ${storage}`;
}

function explain(error: Fault): Omit<EngineDiagnosis, 'name'> {
  const detail = `${error.code}: ${error.message}`;
  switch (error.code) {
    case 'ENGINE_ABSENT':
      return { state: 'absent', detail, mend: 'sudo apt-get install --no-install-recommends runc' };
    case 'ENGINE_NOT_PERMITTED':
      return { state: 'refused', detail, mend: 'sudo packproof doctor' };
    case 'ENGINE_TOO_OLD':
      return { state: 'refused', detail, mend: 'sudo apt-get install --only-upgrade runc' };
    default:
      return { state: 'refused', detail, mend: null };
  }
}

/** A kind of `--base`, and whether it can be taken here. */
export interface BaseDiagnosis {
  readonly kind: 'debian' | 'rootfs' | 'image';
  readonly state: 'usable' | 'absent';
  readonly detail: string;
}

/** What the root file system of a base must have; `docs/bases.md` says it in full. */
const NEEDS =
  'glibc 2.36 (2.34 with a libcrypt.so.1 of its own), libstdc++, libgcc, /bin/sh and /usr/bin/env, in a tar or tar.gz';

/** What each kind of base needs, given the engines that were found. Nothing is asked for it. */
export function diagnoseBases(engines: readonly EngineDiagnosis[]): readonly BaseDiagnosis[] {
  const docker = engines.some(({ name, state }) => name === 'docker' && state === 'usable');
  return [
    { kind: 'debian', state: 'usable', detail: 'packproof’s own, from pinned Debian packages' },
    { kind: 'rootfs', state: 'usable', detail: `FILE must have ${NEEDS}` },
    {
      kind: 'image',
      state: docker ? 'usable' : 'absent',
      detail: docker
        ? 'REF@sha256:DIGEST, exported once through Docker Engine; its files must have the same'
        : 'REF@sha256:DIGEST only when its files are in the archive store: no Docker Engine answers',
    },
  ];
}
