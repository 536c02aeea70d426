import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from './boundary.ts';
import { compareEngineView, compareBoundary as compareViews } from './compare.ts';
import { compareMeasured } from './compare-measured.ts';
import { defaultBoundary } from './default-boundary.ts';
import type { BoundaryEngineView } from './engine-view.ts';
import { BOUNDARY_FINDING_CODES } from './finding.ts';
import type { MeasuredBoundary } from './measured.ts';
import { parseSeccompPolicy, readSeccompPolicy } from './seccomp-policy.ts';
import { type Json, type Mutation, mutate } from './testing/mutations.ts';
import { sampleViews } from './testing/sample-views.ts';
import { toTrials } from './trials.ts';

const seen = new Set<string>();

/** The comparison under test; remembers which codes it gave over the whole file. */
function compareBoundary(...given: Parameters<typeof compareViews>): ReturnType<typeof compareViews> {
  return remember(compareViews(...given));
}

function remember(findings: ReturnType<typeof compareViews>): ReturnType<typeof compareViews> {
  for (const { code } of findings) seen.add(code);
  return findings;
}

type Views = { readonly engine: BoundaryEngineView; readonly measured: MeasuredBoundary };

const BOUNDARY = defaultBoundary('linux/amd64', { exec: false });
const VIEWS = sampleViews(BOUNDARY);
const TRIALS = toTrials(BOUNDARY);

/** Views as a changed document: what a lying engine or a cut measurement would hand over. */
function viewsOf(value: Json): Views {
  return JSON.parse(JSON.stringify(value));
}

const SAMPLE: Json = JSON.parse(JSON.stringify(VIEWS));

function mountPath(place: readonly string[], views: Views): string {
  const mounts = place[0] === 'engine' ? views.engine.mounts : views.measured.mounts;
  return mounts?.[Number(place[2])]?.path ?? '';
}

const INSPECT_CODES: Readonly<Record<string, string>> = {
  user: 'INSPECT_USER',
  supplementaryGids: 'INSPECT_GROUPS',
  capabilities: 'INSPECT_CAPABILITIES',
  privileged: 'INSPECT_PRIVILEGED',
  noNewPrivileges: 'INSPECT_NO_NEW_PRIVILEGES',
  seccompFormSha256: 'INSPECT_SECCOMP',
  networkMode: 'INSPECT_NETWORK',
  ipcMode: 'INSPECT_IPC',
  pidMode: 'INSPECT_PID_NAMESPACE',
  utsMode: 'INSPECT_UTS_NAMESPACE',
  cgroupNamespaceMode: 'INSPECT_CGROUP_NAMESPACE',
  rootReadOnly: 'INSPECT_ROOT',
  writableMounts: 'INSPECT_MOUNTS',
  hostBinds: 'INSPECT_HOST_BINDS',
  devices: 'INSPECT_DEVICES',
  pidsLimit: 'INSPECT_PIDS',
  memoryBytes: 'INSPECT_MEMORY',
  memorySwapBytes: 'INSPECT_MEMORY_SWAP',
  cpuMillis: 'INSPECT_CPU',
  hostname: 'INSPECT_HOSTNAME',
  resourceLimits: 'INSPECT_RESOURCE_LIMITS',
  maskedPaths: 'INSPECT_MASKED_PATHS',
  readonlyPaths: 'INSPECT_READONLY_PATHS',
  packproofAdded: 'INSPECT_FIELD_UNKNOWN',
};

const STATUS_CODES: Readonly<Record<string, string>> = {
  Uid: 'USER',
  Gid: 'GROUP',
  Groups: 'GROUPS',
  CapInh: 'CAPABILITIES',
  CapPrm: 'CAPABILITIES',
  CapEff: 'CAPABILITIES',
  CapBnd: 'CAPABILITIES',
  CapAmb: 'CAPABILITIES',
  NoNewPrivs: 'NO_NEW_PRIVILEGES',
  Seccomp: 'SECCOMP',
  packproofAdded: 'STATUS_UNKNOWN',
};

const LIMIT_CODES: Readonly<Record<string, string>> = {
  pids: 'PIDS',
  memoryBytes: 'MEMORY',
  memorySwapBytes: 'MEMORY_SWAP',
  cpuMillis: 'CPU',
};

const FACT_CODES: Readonly<Record<string, string>> = {
  platform: 'MEASURED_PLATFORM',
  spaces: 'MEASURED_MOUNT_SPACE',
  resourceLimits: 'MEASURED_RESOURCE_LIMITS',
  interfaces: 'MEASURED_INTERFACES',
  unixSockets: 'MEASURED_UNIX_SOCKETS',
  setIdFiles: 'MEASURED_SET_ID_FILES',
  cgroupPaths: 'MEASURED_CGROUP_NAMESPACE',
  hostname: 'MEASURED_HOSTNAME',
  domainname: 'MEASURED_DOMAINNAME',
  devices: 'MEASURED_DEVICES',
  descriptors: 'MEASURED_DESCRIPTORS',
  workingFolder: 'MEASURED_WORKING_FOLDER',
  environment: 'MEASURED_ENVIRONMENT',
  localTimeIsUtc: 'MEASURED_TIME_ZONE',
  holder: 'MEASURED_HOLDER',
};

/** Shapes that the parser of a measurement and the type of an outside view do not let through. */
function isImpossible({ place, kind }: Mutation): boolean {
  const path = place.join('/');
  if (path === '' || path === 'engine' || path === 'measured') return true;
  if (path === 'measured/formatVersion') return true;
  const isField =
    /^(engine|measured)\/[^/]+$/.test(path) ||
    /^(engine|measured)\/(limits|mounts\/\d+)\/[^/]+$/.test(path) ||
    /^measured\/(spaces|resourceLimits)\/\d+\/[^/]+$/.test(path);
  const isRecord = /^(engine|measured)\/(limits|mounts\/\d+)$|^measured\/(spaces|resourceLimits)\/\d+$/.test(
    path,
  );
  const isAddedElement = kind === 'added' && /^(engine|measured)\/(mounts|spaces|resourceLimits)$/.test(path);
  return (kind === 'removed' && isField) || (kind === 'added' && isRecord) || isAddedElement;
}

/** The only code that a change at this place may have; the mount table is judged apart. */
function expectedCode({ place, kind }: Mutation): string | undefined {
  const [side = '', part = '', name = ''] = place;
  const key = kind === 'added' && place.length === 2 ? 'packproofAdded' : name;
  const view = side === 'engine' ? 'OUTSIDE' : 'MEASURED';
  switch (part) {
    case 'inspect':
      return INSPECT_CODES[key];
    case 'status':
      return `${view}_${STATUS_CODES[key]}`;
    case 'namespaces':
      return 'OUTSIDE_NAMESPACE';
    case 'limits':
      return `${view}_${LIMIT_CODES[key]}`;
    case 'outcomes':
      if (key === 'packproofAdded') return 'MEASURED_TRIAL_UNKNOWN';
      return kind === 'removed' ? 'TRIAL_MISSING' : TRIALS.find((trial) => trial.id === name)?.code;
    default:
      return FACT_CODES[part];
  }
}

/** Entries of /dev and namespaces that may be there or not; both ways the boundary is as declared. */
function isFree({ place, kind }: Mutation): boolean {
  const path = place.join('/');
  const isOptionalDevice = /^measured\/devices\/[678]$/.test(path) && kind === 'removed';
  return isOptionalDevice || /^engine\/namespaces\/(time|user)$/.test(path);
}

test('the views of an honest engine agree with every boundary of ours', () => {
  const boundaries: readonly Boundary[] = [
    BOUNDARY,
    defaultBoundary('linux/amd64', { exec: true }),
    defaultBoundary('linux/arm64', { exec: false }),
  ];
  for (const boundary of boundaries) {
    const views = boundary.mounts.some((mount) => mount.exec)
      ? withExecMounts(sampleViews(boundary))
      : sampleViews(boundary);
    assert.deepEqual(compareBoundary(boundary, views), []);
  }
});

/** The sample is written with noexec; an exec mount shows no such option. */
function withExecMounts({ engine, measured }: Views): Views {
  const open = (mounts: MeasuredBoundary['mounts']) =>
    mounts.map((mount) =>
      mount.options.some((option) => option.startsWith('nr_inodes'))
        ? { ...mount, options: mount.options.filter((option) => option !== 'noexec') }
        : mount,
    );
  return {
    engine: { ...engine, mounts: open(engine.mounts ?? []) },
    measured: { ...measured, mounts: open(measured.mounts) },
  };
}

test('every field of every view, changed alone, gives its own code and no other', () => {
  let judged = 0;
  for (const mutation of mutate(SAMPLE)) {
    if (isImpossible(mutation) || mutation.place[1] === 'mounts') continue;
    const place = `${mutation.place.join('/')} ${mutation.kind}`;
    const codes = new Set(compareBoundary(BOUNDARY, viewsOf(mutation.value)).map(({ code }) => code));
    if (isFree(mutation)) assert.deepEqual([...codes], [], place);
    else if (/^measured\/outcomes\/(read|chmod)\.\/(proc|sys|dev)/.test(mutation.place.join('/'))) {
      // Whether a path is there decides as well whether its cover is demanded of the mount tables.
      assert.equal(codes.has(asCode(expectedCode(mutation))), true, place);
    } else assert.deepEqual([...codes], [expectedCode(mutation)], place);
    judged += 1;
  }
  assert.equal(judged > 800, true, `only ${judged} changes were judged`);
});

function asCode(code: string | undefined): (typeof BOUNDARY_FINDING_CODES)[number] {
  const found = BOUNDARY_FINDING_CODES.find((candidate) => candidate === code);
  if (found === undefined) throw new assert.AssertionError({ message: `no such code: ${code}` });
  return found;
}

/** Mounts that an engine may leave out or whose type is the host's own. */
const OPTIONAL_MOUNTS = ['/dev/mqueue', '/etc/hostname', '/sys/fs/cgroup/memory'];
const ANY_TYPE = ['/', '/etc/hostname'];

test('every mount that is moved, removed or of another type is found', () => {
  for (const mutation of mutate(SAMPLE)) {
    const { place, kind } = mutation;
    if (place[1] !== 'mounts' || isImpossible(mutation) || place.length === 2) continue;
    const view = place[0] === 'engine' ? 'OUTSIDE' : 'MEASURED';
    const path = mountPath(place, VIEWS);
    const isCovered = path === '/dev/mqueue' && place[2] === '7';
    // The other side is untouched and agrees, as the first test shows.
    const views = viewsOf(mutation.value);
    const findings =
      view === 'OUTSIDE' ? compareEngineView(BOUNDARY, views) : compareMeasured(BOUNDARY, views.measured);
    const found = remember(findings).map((finding) => `${finding.code} ${finding.path}`);
    const where = `${place.join('/')} ${kind} ${path}`;
    const missing = OPTIONAL_MOUNTS.includes(path) ? [] : [`${view}_MOUNT_MISSING boundary.mounts.${path}`];
    // Without its cover the engine's own mount at the same place comes to light.
    const bared = [
      `${view}_MOUNT_TYPE boundary.mounts.${path}`,
      `${view}_MOUNT_OPTIONS boundary.mounts.${path}`,
    ];
    if (path === '/dev/mqueue' && !isCovered && place[3] !== 'type') {
      assert.equal(
        bared.every((finding) => found.includes(finding)),
        place.length === 3 || place[3] === 'path',
        where,
      );
      continue;
    }
    if (place.length === 3) assert.deepEqual(withoutParts(found, path), missing, where);
    if (place[3] === 'path') {
      const moved = [...missing, `${view}_MOUNT_UNEXPECTED boundary.mounts.${path}!`];
      assert.deepEqual(withoutParts(found, path), moved, where);
    }
    if (place[3] === 'type') {
      const wrong =
        ANY_TYPE.includes(path) || isCovered ? [] : [`${view}_MOUNT_TYPE boundary.mounts.${path}`];
      assert.equal(
        wrong.every((finding) => found.includes(finding)),
        true,
        where,
      );
    }
  }
});

/** Files covered by the box's own /dev/null are parts of /dev, and cannot be recognised without it. */
function withoutParts(found: readonly string[], path: string): readonly string[] {
  return path === '/dev' ? found.filter((finding) => !finding.endsWith('/proc/keys')) : found;
}

test('every option that a mount must have is missed when it is gone', () => {
  const needed: Readonly<Record<string, readonly string[]>> = {
    '/': ['ro'],
    '/proc': ['nosuid', 'nodev', 'noexec'],
    '/dev': ['nosuid'],
    '/dev/pts': ['nosuid', 'noexec'],
    '/sys': ['ro', 'nosuid', 'nodev', 'noexec'],
    '/sys/fs/cgroup': ['nosuid', 'nodev', 'noexec'],
    '/sys/fs/cgroup/memory': ['ro', 'nosuid', 'nodev', 'noexec'],
    '/etc/hostname': ['ro'],
    '/work': [
      'rw',
      'nosuid',
      'nodev',
      'noexec',
      'size=262144k',
      'nr_inodes=65536',
      'mode=755',
      'uid=1000',
      'gid=1000',
    ],
    '/tmp': [
      'rw',
      'nosuid',
      'nodev',
      'noexec',
      'size=131072k',
      'nr_inodes=32768',
      'mode=755',
      'uid=1000',
      'gid=1000',
    ],
    '/proc/sys': ['ro'],
    '/proc/kcore': ['ro'],
  };
  for (const [path, options] of Object.entries(needed)) {
    for (const option of options) {
      const drop = (mounts: MeasuredBoundary['mounts']) =>
        mounts.map((mount) =>
          mount.path === path
            ? { ...mount, options: mount.options.filter((candidate) => candidate !== option) }
            : mount,
        );
      const engine = { ...VIEWS.engine, mounts: drop(VIEWS.engine.mounts ?? []) };
      const measured = { ...VIEWS.measured, mounts: drop(VIEWS.measured.mounts) };
      const outside = compareBoundary(BOUNDARY, { engine, measured: VIEWS.measured });
      const inside = compareBoundary(BOUNDARY, { engine: VIEWS.engine, measured });
      const find = (code: string) => `${code} boundary.mounts.${path}`;
      const names = (findings: typeof outside) =>
        withoutParts(
          findings.map((finding) => `${finding.code} ${finding.path}`),
          path,
        );
      assert.deepEqual(names(outside), [find('OUTSIDE_MOUNT_OPTIONS')], `${path} ${option}`);
      assert.deepEqual(names(inside), [find('MEASURED_MOUNT_OPTIONS')], `${path} ${option}`);
    }
  }
});

test('a writable mount that is also read-only, or executable when not asked for, is found', () => {
  const boundary = defaultBoundary('linux/amd64', { exec: true });
  const views = withExecMounts(sampleViews(boundary));
  const spoil = (option: string) => ({
    ...views,
    engine: {
      ...views.engine,
      mounts: (views.engine.mounts ?? []).map((mount) =>
        mount.path === '/work' ? { ...mount, options: [...mount.options, option] } : mount,
      ),
    },
  });
  for (const option of ['ro', 'noexec']) {
    const findings = compareBoundary(boundary, spoil(option));
    assert.deepEqual(
      findings.map(({ code, path }) => [code, path]),
      [['OUTSIDE_MOUNT_OPTIONS', 'boundary.mounts./work']],
      option,
    );
  }
});

test('a limit that neither side could read is a finding, one that one side read is none', () => {
  const unread = { pids: null, memoryBytes: null, memorySwapBytes: null, cpuMillis: null };
  const engine = { ...VIEWS.engine, limits: null };
  const measured = { ...VIEWS.measured, limits: unread };
  assert.deepEqual(compareBoundary(BOUNDARY, { engine, measured: VIEWS.measured }), []);
  assert.deepEqual(compareBoundary(BOUNDARY, { engine: VIEWS.engine, measured }), []);
  assert.deepEqual(
    compareBoundary(BOUNDARY, { engine, measured }).map(({ code, path }) => [code, path]),
    [
      ['LIMITS_NOT_READ', 'boundary.cpuMillis'],
      ['LIMITS_NOT_READ', 'boundary.memoryBytes'],
      ['LIMITS_NOT_READ', 'boundary.memorySwapBytes'],
      ['LIMITS_NOT_READ', 'boundary.pidsLimit'],
    ],
  );
});

test('parts of the outside view that a host cannot read leave the measurement to speak', () => {
  const engine = { ...VIEWS.engine, status: null, mounts: null, namespaces: null, limits: null };
  assert.deepEqual(compareBoundary(BOUNDARY, { engine, measured: VIEWS.measured }), []);
});

test('a boundary that names another seccomp policy than the one in force is found', () => {
  const other = { ...BOUNDARY, seccompSha256: 'f'.repeat(64) };
  assert.deepEqual(
    compareBoundary(other, VIEWS).map(({ code, path }) => [code, path]),
    [['INSPECT_SECCOMP', 'boundary.seccompSha256']],
  );
  const policy = readSeccompPolicy();
  const wider = parseSeccompPolicy({ ...policy, allow: [...policy.allow, 'mbind'] });
  assert.deepEqual(
    compareBoundary(BOUNDARY, VIEWS, wider).map(({ code }) => code),
    ['INSPECT_SECCOMP'],
  );
});

test('tunnel devices that a kernel adds to every namespace are no disagreement, any other interface is', () => {
  const withInterfaces = (interfaces: readonly string[]) => ({
    ...VIEWS,
    measured: { ...VIEWS.measured, interfaces },
  });
  assert.deepEqual(compareBoundary(BOUNDARY, withInterfaces(['lo', 'tunl0', 'sit0'])), []);
  assert.deepEqual(
    compareBoundary(BOUNDARY, withInterfaces(['lo', 'eth0'])).map(({ code }) => code),
    ['MEASURED_INTERFACES'],
  );
});

test('each outcome that a trial does not accept is a finding, a reason that is none of its own too', () => {
  for (const trial of TRIALS) {
    for (const outcome of ['allowed', 'killed SIGKILL', 'not-exercisable root']) {
      if (trial.accepts.includes(outcome)) continue;
      const outcomes = { ...VIEWS.measured.outcomes, [trial.id]: outcome };
      const findings = remember(compareMeasured(BOUNDARY, { ...VIEWS.measured, outcomes }));
      assert.deepEqual(
        findings.filter(({ code }) => !code.includes('_MOUNT_MISSING')).map(({ code, path }) => [code, path]),
        [[trial.code, `boundary.${trial.field}.${trial.id}`]],
        `${trial.id} ${outcome}`,
      );
    }
  }
});

test('there is no code that nothing gives', () => {
  assert.deepEqual(
    BOUNDARY_FINDING_CODES.filter((code) => !seen.has(code)),
    // The sample boundary has no exec mount, and the same code serves the other way.
    ['MOUNT_NOT_EXECUTABLE'],
  );
});
