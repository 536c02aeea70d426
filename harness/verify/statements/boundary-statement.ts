import { policyOf } from '../boundary/policy.ts';
import type { FileSource } from '../files/source.ts';
import type { Boundary } from '../shape/boundary.ts';
import type { Report } from '../shape/report.ts';
import {
  candidateSubject,
  checkMember,
  describeFile,
  producerOf,
  readStatement,
  type StatementParts,
} from './statement.ts';

const PATH = 'statement-boundary.json';
const SCAI = 'https://in-toto.io/attestation/scai/v0.3';

// What each attribute of format version 1 stands for, written down here once more: a runner that left one out
// must not find its own list on the other side of the comparison.
const RESTRICTIONS: readonly (readonly [string, readonly (keyof Boundary)[]])[] = [
  ['UNPRIVILEGED_USER', ['uid', 'gid', 'supplementaryGids']],
  ['NO_CAPABILITIES', ['capabilities']],
  ['NO_NEW_PRIVILEGES', ['noNewPrivileges']],
  ['SYSTEM_CALLS_FILTERED', ['seccompSha256']],
  ['NO_NETWORK', ['network']],
  ['READ_ONLY_ROOT', ['rootReadOnly']],
  ['WRITABLE_MOUNTS_LIMITED', ['mounts']],
  ['NO_SHARED_IPC', ['ipc']],
  ['PRIVATE_CGROUP_NAMESPACE', ['cgroupNamespace']],
  ['PROCESSES_LIMITED', ['pidsLimit']],
  ['MEMORY_LIMITED', ['memoryBytes', 'memorySwapBytes']],
  ['CPU_LIMITED', ['cpuMillis']],
  ['NEUTRAL_HOST_NAME', ['hostname']],
  ['RESOURCES_LIMITED', ['resourceLimits']],
  ['KERNEL_PATHS_MASKED', ['maskedPaths']],
  ['KERNEL_PATHS_READ_ONLY', ['readonlyPaths']],
];

/** The boundary's statement says what was measured of which image, and nothing else. */
export function checkBoundaryStatement(source: FileSource, parts: StatementParts): void {
  const { findings, list, report, kinds } = parts;
  const read = readStatement(source, PATH, SCAI, findings);
  if (read === null) return;
  const { statement, predicate } = read;
  const within = `${PATH}.predicate`;
  const attributes = kinds.flatMap((kind) => attributesOf(kind, parts));
  checkMember(
    'STATEMENT_SUBJECT',
    { path: PATH, member: 'subject' },
    [candidateSubject(report), statement],
    findings,
  );
  checkMember(
    'STATEMENT_ATTRIBUTE',
    { path: within, member: 'attributes' },
    [attributes, predicate],
    findings,
  );
  checkMember(
    'STATEMENT_FACT',
    { path: within, member: 'producer' },
    [producerOf(report), predicate],
    findings,
  );
  const binding = [describeFile(list, 'bundle.json')];
  checkMember('STATEMENT_BINDING', { path: within, member: 'configuration' }, [binding, predicate], findings);
}

function attributesOf(
  { node, exec, limits }: StatementParts['kinds'][number],
  { list, report, images }: StatementParts,
): readonly unknown[] {
  const policy = policyOf(report.platform, { exec, limits });
  const folder = images.find((image) => image.node === node)?.folder ?? '';
  const target = describeFile(list, `${folder}/config.json`);
  const toAttribute = (attribute: string, view: string, restriction: unknown): unknown => ({
    attribute,
    target,
    conditions: { ...conditionsOf(report), node, exec, limits, restriction },
    evidence: { ...describeFile(list, `boundary/${view}.json`), mediaType: 'application/json' },
  });
  const restrictions = RESTRICTIONS.map(([name, fields]) =>
    toAttribute(name, 'measured', Object.fromEntries(fields.map((field) => [field, policy[field]]))),
  );
  return [
    ...restrictions,
    toAttribute('BOUNDARY_DECLARED', 'declared', {}),
    toAttribute('BOUNDARY_SEEN_FROM_OUTSIDE', 'engine', {}),
  ];
}

function conditionsOf({ engine, platform }: Report): object {
  if (engine === null) return { platform };
  const { name, version, runtime, kernel, cgroupVersion, evidenceWay } = engine;
  return { platform, engine: { name, version, runtime, kernel, cgroupVersion, evidenceWay } };
}
