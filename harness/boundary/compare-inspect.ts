import { toCanonicalBytes } from '../document/canonical.ts';
import type { Boundary } from './boundary.ts';
import { type BoundaryInspect, toExpectedInspect, toExpectedSeccompForms } from './engine-view.ts';
import { showValue } from './field-reader.ts';
import type { BoundaryFinding, BoundaryFindingCode } from './finding.ts';
import { digestSeccompPolicy, type SeccompPolicy } from './seccomp-policy.ts';

type InspectField = keyof BoundaryInspect;

/** Code and declared field of each field of the engine's word. */
const FIELDS: Readonly<Record<InspectField, readonly [BoundaryFindingCode, keyof Boundary]>> = {
  user: ['INSPECT_USER', 'uid'],
  supplementaryGids: ['INSPECT_GROUPS', 'supplementaryGids'],
  capabilities: ['INSPECT_CAPABILITIES', 'capabilities'],
  privileged: ['INSPECT_PRIVILEGED', 'capabilities'],
  noNewPrivileges: ['INSPECT_NO_NEW_PRIVILEGES', 'noNewPrivileges'],
  seccompFormSha256: ['INSPECT_SECCOMP', 'seccompSha256'],
  networkMode: ['INSPECT_NETWORK', 'network'],
  ipcMode: ['INSPECT_IPC', 'ipc'],
  pidMode: ['INSPECT_PID_NAMESPACE', 'pidsLimit'],
  utsMode: ['INSPECT_UTS_NAMESPACE', 'hostname'],
  cgroupNamespaceMode: ['INSPECT_CGROUP_NAMESPACE', 'cgroupNamespace'],
  rootReadOnly: ['INSPECT_ROOT', 'rootReadOnly'],
  writableMounts: ['INSPECT_MOUNTS', 'mounts'],
  hostBinds: ['INSPECT_HOST_BINDS', 'mounts'],
  devices: ['INSPECT_DEVICES', 'mounts'],
  pidsLimit: ['INSPECT_PIDS', 'pidsLimit'],
  memoryBytes: ['INSPECT_MEMORY', 'memoryBytes'],
  memorySwapBytes: ['INSPECT_MEMORY_SWAP', 'memorySwapBytes'],
  cpuMillis: ['INSPECT_CPU', 'cpuMillis'],
  hostname: ['INSPECT_HOSTNAME', 'hostname'],
  resourceLimits: ['INSPECT_RESOURCE_LIMITS', 'resourceLimits'],
  maskedPaths: ['INSPECT_MASKED_PATHS', 'maskedPaths'],
  readonlyPaths: ['INSPECT_READONLY_PATHS', 'readonlyPaths'],
};

const FIELD_NAMES = Object.keys(FIELDS).filter(isInspectField);

/** The engine's own word against what was declared, every field of both. */
export function compareInspect(
  declared: Boundary,
  inspect: Readonly<Record<string, unknown>>,
  policy: SeccompPolicy,
): readonly BoundaryFinding[] {
  const expected = toExpectedInspect(declared);
  const forms = toExpectedSeccompForms(policy, declared.platform);
  const isDeclaredPolicy = digestSeccompPolicy(policy) === declared.seccompSha256;
  const known = FIELD_NAMES.flatMap((field): BoundaryFinding[] => {
    const actual = inspect[field];
    if (field === 'seccompFormSha256') {
      const agrees = isDeclaredPolicy && forms.some((form) => form === actual);
      return agrees ? [] : [toFinding(field, forms.join(' or '), actual)];
    }
    return isSame(expected[field], actual) ? [] : [toFinding(field, showValue(expected[field]), actual)];
  });
  const unknown = Object.keys(inspect)
    .filter((name) => !isInspectField(name))
    .map(
      (name): BoundaryFinding => ({
        code: 'INSPECT_FIELD_UNKNOWN',
        path: `boundary.inspect.${name}`,
        expected: 'no such field',
        actual: showValue(inspect[name]),
      }),
    );
  return [...known, ...unknown];
}

function isInspectField(name: string): name is InspectField {
  return Object.hasOwn(FIELDS, name);
}

function toFinding(field: InspectField, expected: string, actual: unknown): BoundaryFinding {
  const [code, declaredField] = FIELDS[field];
  return { code, path: `boundary.${declaredField}`, expected, actual: showValue(actual) };
}

/** By canonical bytes: an engine's numbers, texts and lists are plain JSON. */
function isSame(expected: unknown, actual: unknown): boolean {
  if (actual === undefined) return false;
  try {
    return toCanonicalBytes(expected).equals(toCanonicalBytes(actual));
  } catch {
    return false;
  }
}
