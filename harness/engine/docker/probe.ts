import { Answer } from './answer.ts';
import { callFailed, connectDocker, type DockerClient, statusOf } from './client.ts';
import { type DockerEndpoint, describeEndpoint } from './endpoint.ts';
import { DockerError } from './errors.ts';

/** What was learned of an engine that may be used. Recorded as said by the engine. */
export interface DockerIdentity {
  readonly version: string;
  /** Negotiated: what every later call is made with. */
  readonly apiVersion: string;
  readonly kernel: string;
  readonly platform: string;
  readonly storage: string;
  readonly cgroupVersion: 1 | 2;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly securityOptions: readonly string[];
}

/** For `--engine auto` and for doctor: nothing there, there but refused (and why), or usable. */
export type DockerProbe =
  | { readonly kind: 'absent'; readonly where: string; readonly reason: string }
  | { readonly kind: 'refused'; readonly where: string; readonly error: DockerError }
  | { readonly kind: 'ready'; readonly where: string; readonly identity: DockerIdentity };

/**
 * The oldest engine that a run may use. 20.10.14 stopped giving boxes inheritable capabilities
 * (CVE-2022-24769) and 20.10.18 sets supplementary groups rightly (CVE-2022-36109); both are promises of
 * the boundary. A distribution's own patches on top (`+dfsg1`) do not count against it.
 */
export const DOCKER_VERSION_FLOOR = '20.10.18';

/** The newest API whose meaning this adapter was written against; newer engines are asked for this one. */
const API_NEWEST = '1.47';
/** 20.10's own. Older ones know neither cgroup namespaces nor image platforms. */
const API_OLDEST = '1.41';

/** Asks an engine who it is; never throws for an engine that is absent or unfit. */
export async function probeDocker(endpoint: DockerEndpoint): Promise<DockerProbe> {
  const where = describeEndpoint(endpoint);
  try {
    return { kind: 'ready', where, identity: await identifyDocker(endpoint) };
  } catch (error) {
    if (!(error instanceof DockerError)) {
      throw error;
    }
    return error.code === 'ENGINE_ABSENT'
      ? { kind: 'absent', where, reason: error.actual ?? 'no answer' }
      : { kind: 'refused', where, error };
  }
}

/**
 * Negotiates the API version and checks that the engine can be held to the boundary.
 *
 * @throws {DockerError} ENGINE_ABSENT, ANSWER_INVALID, NOT_DOCKER, ENGINE_TOO_OLD,
 * API_VERSION_UNSUPPORTED, PLATFORM_UNSUPPORTED, LIMIT_NOT_ENFORCEABLE
 */
export async function identifyDocker(endpoint: DockerEndpoint): Promise<DockerIdentity> {
  const first = await connectDocker(endpoint, null);
  const version = await askIdentity(first, endpoint, '/version');
  refuseImpostor(version);
  checkVersionFloor(version.text('Version'));
  const apiVersion = negotiateApiVersion(version.text('ApiVersion'), version.optionalText('MinAPIVersion'));
  const client = await connectDocker(endpoint, apiVersion);
  const info = await askIdentity(client, endpoint, '/info');
  checkLimits(info);
  return toIdentity(version, info, apiVersion);
}

/**
 * The lesser of ours and the server's, when neither side's minimum stands above it.
 *
 * @throws {DockerError} API_VERSION_UNSUPPORTED
 */
export function negotiateApiVersion(newest: string, oldest: string | null): string {
  const chosen = compareVersions(newest, API_NEWEST) < 0 ? newest : API_NEWEST;
  if (compareVersions(chosen, API_OLDEST) < 0 || compareVersions(chosen, oldest ?? API_OLDEST) < 0) {
    throw new DockerError('API_VERSION_UNSUPPORTED', 'docker API', {
      where: 'ApiVersion',
      expected: `${API_OLDEST} to ${API_NEWEST}`,
      actual: `${oldest ?? '?'} to ${newest}`,
    });
  }
  return chosen;
}

/** @throws {DockerError} ENGINE_TOO_OLD, also for a version that cannot be read */
export function checkVersionFloor(version: string): void {
  if (!/^\d+\.\d+/.test(version) || compareVersions(version, DOCKER_VERSION_FLOOR) < 0) {
    throw new DockerError('ENGINE_TOO_OLD', 'docker engine', {
      where: 'Version',
      expected: `${DOCKER_VERSION_FLOOR} or later`,
      actual: version,
    });
  }
}

/** Compares the leading dotted numbers; what follows them (`+dfsg1`, `-rc.1`) is left out. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [toNumbers(left), toNumbers(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

function toNumbers(version: string): readonly number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}

/**
 * podman's Docker API drops tmpfs sizes and volume options without an error, so that its boxes are not the
 * declared ones; it names itself among the components.
 */
function refuseImpostor(version: Answer): void {
  const names = version.list('Components').map((component) => component.text('Name'));
  if (!names.includes('Engine') || names.some((name) => /podman/i.test(name))) {
    throw new DockerError('NOT_DOCKER', 'docker engine', {
      where: 'Components',
      expected: 'Docker Engine',
      actual: names.join(', '),
    });
  }
  if (version.text('Os') !== 'linux') {
    throw new DockerError('PLATFORM_UNSUPPORTED', 'docker engine', {
      where: 'Os',
      expected: 'linux',
      actual: version.text('Os'),
    });
  }
}

/** A rootless engine without delegated controllers runs boxes without limits and only warns. */
function checkLimits(info: Answer): void {
  for (const key of ['MemoryLimit', 'SwapLimit', 'PidsLimit', 'CpuCfsQuota', 'CpuCfsPeriod']) {
    if (!info.flag(key)) {
      throw new DockerError('LIMIT_NOT_ENFORCEABLE', 'docker engine', {
        where: key,
        expected: 'true',
        actual: JSON.stringify(info.value[key] ?? null),
      });
    }
  }
  if (!info.texts('SecurityOptions').some((option) => option.startsWith('name=seccomp'))) {
    throw new DockerError('LIMIT_NOT_ENFORCEABLE', 'docker engine', {
      where: 'SecurityOptions',
      expected: 'name=seccomp',
      actual: info.texts('SecurityOptions').join(' '),
    });
  }
}

function toIdentity(version: Answer, info: Answer, apiVersion: string): DockerIdentity {
  const runtime = info.text('DefaultRuntime');
  const components = version.list('Components');
  const named = components.find((component) => component.text('Name') === runtime);
  return {
    version: version.text('Version'),
    apiVersion,
    kernel: info.text('KernelVersion'),
    platform: `linux/${version.text('Arch')}`,
    storage: info.text('Driver'),
    cgroupVersion: info.text('CgroupVersion') === '2' ? 2 : 1,
    runtime: { name: runtime, version: named?.text('Version') ?? 'unknown' },
    securityOptions: info.texts('SecurityOptions'),
  };
}

async function askIdentity(client: DockerClient, endpoint: DockerEndpoint, path: string): Promise<Answer> {
  try {
    const value: unknown = await (path === '/version' ? client.calls.version() : client.calls.info());
    return new Answer(value, path);
  } catch (error) {
    if (statusOf(error) === 400) {
      throw new DockerError('API_VERSION_UNSUPPORTED', 'docker API', { where: path, cause: error });
    }
    throw callFailed(describeEndpoint(endpoint), error);
  } finally {
    client.destroy();
  }
}
