import { digestDocument } from '../document/canonical.ts';
import type { Boundary, Platform, ResourceLimit, WritableMount } from './boundary.ts';
import { toDockerSeccomp, toOciSeccomp } from './seccomp-forms.ts';
import type { SeccompPolicy } from './seccomp-policy.ts';

/**
 * What was read of a box from outside, as far as the boundary is concerned. The engine port's outside view
 * is assignable to it; it stands here because the engine folder depends on this one.
 */
export interface BoundaryEngineView {
  /** The engine's own word, in the names and units of `BoundaryInspect`; no host paths. */
  readonly inspect: Readonly<Record<string, unknown>>;
  /** `/proc/PID/status` fields of a process of the box; null where this host cannot read it. */
  readonly status: Readonly<Record<string, string>> | null;
  readonly mounts:
    | readonly { readonly path: string; readonly type: string; readonly options: readonly string[] }[]
    | null;
  readonly namespaces: Readonly<Record<string, 'private' | 'host'>> | null;
  readonly limits: {
    readonly pids: number;
    readonly memoryBytes: number;
    readonly memorySwapBytes: number;
    readonly cpuMillis: number;
  } | null;
}

/**
 * The fields of `inspect`: what the engine gives back of its own configuration of the box (Docker's inspect
 * and volume inspect, runc's state and config.json as stored), translated by the adapter into these names
 * and nothing else. An adapter reads them back from the engine; it never repeats what it asked for.
 */
export interface BoundaryInspect {
  /** Numeric `uid:gid`. */
  readonly user: string;
  readonly supplementaryGids: readonly number[];
  /** Union of the sets that the engine gives, sorted; empty when all are dropped. */
  readonly capabilities: readonly string[];
  readonly privileged: boolean;
  readonly noNewPrivileges: boolean;
  /** `digestDocument` of the profile as the engine gives it back, parsed. */
  readonly seccompFormSha256: string;
  /** `none`, else the engine's word. */
  readonly networkMode: string;
  readonly ipcMode: string;
  readonly pidMode: string;
  readonly utsMode: string;
  readonly cgroupNamespaceMode: string;
  readonly rootReadOnly: boolean;
  /** In the order of the boundary. */
  readonly writableMounts: readonly WritableMount[];
  /** Destinations of everything of the host that is bound in on request: none. */
  readonly hostBinds: readonly string[];
  /** Devices given beyond the engine's standard ones: none. */
  readonly devices: readonly string[];
  readonly pidsLimit: number;
  readonly memoryBytes: number;
  readonly memorySwapBytes: number;
  readonly cpuMillis: number;
  readonly hostname: string;
  /** Sorted by name. */
  readonly resourceLimits: readonly ResourceLimit[];
  /** Sorted. */
  readonly maskedPaths: readonly string[];
  /** Sorted. */
  readonly readonlyPaths: readonly string[];
}

/** What an honest engine gives back for a boundary, but for the seccomp profile, which has two forms. */
export function toExpectedInspect(boundary: Boundary): Omit<BoundaryInspect, 'seccompFormSha256'> {
  return {
    user: `${boundary.uid}:${boundary.gid}`,
    supplementaryGids: boundary.supplementaryGids,
    capabilities: boundary.capabilities,
    privileged: false,
    noNewPrivileges: boundary.noNewPrivileges,
    networkMode: boundary.network,
    ipcMode: boundary.ipc,
    pidMode: 'private',
    utsMode: 'private',
    cgroupNamespaceMode: boundary.cgroupNamespace,
    rootReadOnly: boundary.rootReadOnly,
    writableMounts: boundary.mounts,
    hostBinds: [],
    devices: [],
    pidsLimit: boundary.pidsLimit,
    memoryBytes: boundary.memoryBytes,
    memorySwapBytes: boundary.memorySwapBytes,
    cpuMillis: boundary.cpuMillis,
    hostname: boundary.hostname,
    resourceLimits: [...boundary.resourceLimits].sort((one, other) => (one.name < other.name ? -1 : 1)),
    maskedPaths: [...boundary.maskedPaths].sort(),
    readonlyPaths: [...boundary.readonlyPaths].sort(),
  };
}

/** What was computed for a policy; it is compared with for every box, and canonical bytes take milliseconds. */
const formDigests = new WeakMap<SeccompPolicy, Map<Platform, readonly string[]>>();

/** The digests of the policy's two forms; an engine gives back one of them. */
export function toExpectedSeccompForms(policy: SeccompPolicy, platform: Platform): readonly string[] {
  const known = formDigests.get(policy) ?? new Map<Platform, readonly string[]>();
  formDigests.set(policy, known);
  const digests = known.get(platform) ?? [
    digestDocument(toDockerSeccomp(policy, platform)),
    digestDocument(toOciSeccomp(policy, platform)),
  ];
  known.set(platform, digests);
  return digests;
}
