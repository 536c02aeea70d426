import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Boundary, WritableMount } from '../boundary.ts';
import { toOciSeccomp } from '../seccomp-forms.ts';
import { readSeccompPolicy } from '../seccomp-policy.ts';

/** An OCI mount, namespace or limit as config.json has it. */
type Entry = { readonly [name: string]: unknown };

/** The parts of a config.json that tests take away from. */
export interface BundleConfig {
  readonly process: Entry & {
    readonly user: Entry;
    readonly capabilities: Entry;
    readonly rlimits: readonly Entry[];
  };
  readonly root: Entry;
  readonly hostname: string;
  readonly mounts: readonly (Entry & { readonly destination: string; readonly options: readonly string[] })[];
  readonly linux: Entry & {
    readonly namespaces: readonly Entry[];
    readonly resources: Entry;
    readonly maskedPaths: readonly string[];
    readonly readonlyPaths: readonly string[];
    readonly seccomp?: unknown;
  };
}

const PRCTL = process.arch === 'arm64' ? 167 : 157;
const CPU_PERIOD_US = 100_000;

/** A step in a box: what its stand-in holder starts, and whether that holder keeps itself unreadable. */
export interface BundleStep {
  readonly argv: readonly string[];
  readonly env: readonly string[];
  readonly readableHolder?: boolean;
}

/**
 * A boundary as a config.json of this test's own, written apart from the engine's adapters: what holds here
 * is held by the policy and the probe, not by how an adapter translates.
 */
export function toBundleConfig(boundary: Boundary, rootfs: string, step: BundleStep): BundleConfig {
  const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
  const locked = ['nosuid', 'nodev', 'noexec'];
  const holder = ['/.packproof/perl', '/.packproof/holder.pl'];
  const prctl = step.readableHolder === true ? 0 : PRCTL;
  return {
    process: {
      terminal: false,
      user: { uid: boundary.uid, gid: boundary.gid, additionalGids: [] },
      args: [...holder, String(prctl), ...step.env, '--', ...step.argv],
      env: ['LC_ALL=C'],
      cwd: '/',
      capabilities: none,
      rlimits: boundary.resourceLimits.map(({ name, value }) => ({ type: name, soft: value, hard: value })),
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    hostname: boundary.hostname,
    mounts: [
      mount('/proc', 'proc', locked),
      mount('/dev', 'tmpfs', ['nosuid', 'mode=755', 'size=64k']),
      mount('/dev/pts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620']),
      mount('/sys', 'sysfs', [...locked, 'ro']),
      mount('/sys/fs/cgroup', 'cgroup', [...locked, 'ro']),
      ...boundary.mounts.map((entry) => mount(entry.path, 'tmpfs', toTmpfsOptions(entry))),
    ],
    linux: {
      namespaces: ['pid', 'network', 'ipc', 'uts', 'mount', 'cgroup'].map((type) => ({ type })),
      resources: {
        devices: [{ allow: false, access: 'rwm' }],
        memory: { limit: boundary.memoryBytes, swap: boundary.memorySwapBytes },
        pids: { limit: boundary.pidsLimit },
        cpu: { quota: (boundary.cpuMillis * CPU_PERIOD_US) / 1000, period: CPU_PERIOD_US },
      },
      maskedPaths: boundary.maskedPaths,
      readonlyPaths: boundary.readonlyPaths,
      seccomp: toOciSeccomp(readSeccompPolicy(), boundary.platform),
    },
  };
}

function mount(
  destination: string,
  type: string,
  options: readonly string[],
): BundleConfig['mounts'][number] {
  return { destination, type, source: type, options };
}

function toTmpfsOptions(entry: WritableMount): readonly string[] {
  return [
    'nosuid',
    'nodev',
    entry.exec ? 'exec' : 'noexec',
    `size=${entry.sizeBytes}`,
    `nr_inodes=${entry.inodes}`,
    `uid=${entry.uid}`,
    `gid=${entry.gid}`,
    `mode=${entry.mode}`,
  ];
}

/** The longest that a box of a test may live; a step takes seconds at most. */
const BOX_LIMIT_MS = 60_000;

export interface BundleResult {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

let boxes = 0;

/** Runs a config.json to its end with runc, `stdin` given whole, and removes what is left of it. */
export function runBundle(folder: string, config: BundleConfig, stdin: Buffer): BundleResult {
  boxes += 1;
  const bundle = join(folder, `bundle-${boxes}`);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify({ ociVersion: '1.0.2', ...config }));
  const root = join(folder, 'runc');
  const id = `packproof-boundary-${process.pid}-${boxes}`;
  const common = { timeout: BOX_LIMIT_MS, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGKILL' } as const;
  const result = spawnSync('runc', ['--root', root, 'run', '--bundle', bundle, id], {
    input: stdin,
    ...common,
  });
  spawnSync('runc', ['--root', root, 'delete', '--force', id], common);
  rmSync(bundle, { recursive: true, force: true });
  if (result.error !== undefined) throw result.error;
  return { status: result.status, stdout: result.stdout, stderr: result.stderr.toString() };
}
