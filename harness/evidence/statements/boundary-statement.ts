import type { Boundary } from '../../boundary/boundary.ts';
import { type BoundaryKind, nameKind } from '../../boundary/kind.ts';
import type { BoundaryRecord } from '../export-input.ts';
import type { RunReport } from '../report.ts';
import { type DescribeFile, type Statement, toCandidate, toProducer, toStatement } from './statement.ts';

const SCAI_TYPE = 'https://in-toto.io/attestation/scai/v0.3';
const JSON_TYPE = 'application/json';

/** Every restriction by the name that a policy asks for, with the fields of the boundary that state it. */
const RESTRICTIONS = {
  UNPRIVILEGED_USER: ['uid', 'gid', 'supplementaryGids'],
  NO_CAPABILITIES: ['capabilities'],
  NO_NEW_PRIVILEGES: ['noNewPrivileges'],
  SYSTEM_CALLS_FILTERED: ['seccompSha256'],
  NO_NETWORK: ['network'],
  READ_ONLY_ROOT: ['rootReadOnly'],
  WRITABLE_MOUNTS_LIMITED: ['mounts'],
  NO_SHARED_IPC: ['ipc'],
  PRIVATE_CGROUP_NAMESPACE: ['cgroupNamespace'],
  PROCESSES_LIMITED: ['pidsLimit'],
  MEMORY_LIMITED: ['memoryBytes', 'memorySwapBytes'],
  CPU_LIMITED: ['cpuMillis'],
  NEUTRAL_HOST_NAME: ['hostname'],
  RESOURCES_LIMITED: ['resourceLimits'],
  KERNEL_PATHS_MASKED: ['maskedPaths'],
  KERNEL_PATHS_READ_ONLY: ['readonlyPaths'],
} as const satisfies Readonly<Record<string, readonly (keyof Boundary)[]>>;

export interface BoundaryStatementInput {
  readonly report: RunReport;
  readonly boundary: BoundaryRecord;
  readonly describe: DescribeFile;
  /** The config of the image for a Node version. */
  readonly imageConfig: (node: string) => string;
}

/**
 * The restrictions that were measured, as an in-toto SCAI v0.3 about the candidate's tarball: one attribute
 * for each restriction, kind of box and image, with the measurement as its evidence; then that the same was
 * declared before, and that the engine's view from outside agreed.
 *
 * Null when nothing was measured. `configuration` is an extension that binds the bundle.
 */
export function buildBoundaryStatement(input: BoundaryStatementInput): Statement | null {
  const { report, boundary, describe } = input;
  const attributes = boundary.measured.views.flatMap((view) => attributesOf(view, input));
  if (attributes.length === 0) return null;
  return toStatement({
    subject: [toCandidate(report)],
    predicateType: SCAI_TYPE,
    predicate: { attributes, producer: toProducer(report), configuration: [describe('bundle.json')] },
  });
}

function attributesOf(
  { node, ...kind }: BoundaryKind & { readonly node: string },
  input: BoundaryStatementInput,
): readonly object[] {
  const name = nameKind(kind);
  const declared = input.boundary.declared.boundaries.find((one) => nameKind(one) === name)?.boundary;
  if (declared === undefined) return [];
  const target = input.describe(input.imageConfig(node));
  const toAttribute = (attribute: string, document: string, restriction: object): object => ({
    attribute,
    target,
    conditions: { ...toConditions(input.report), node, exec: kind.exec, limits: kind.limits, restriction },
    evidence: { ...input.describe(document), mediaType: JSON_TYPE },
  });
  return [
    ...Object.entries(RESTRICTIONS).map(([name, fields]) =>
      toAttribute(name, 'boundary/measured.json', pick(declared, fields)),
    ),
    toAttribute('BOUNDARY_DECLARED', 'boundary/declared.json', {}),
    toAttribute('BOUNDARY_SEEN_FROM_OUTSIDE', 'boundary/engine.json', {}),
  ];
}

function pick(boundary: Boundary, fields: readonly (keyof Boundary)[]): object {
  return Object.fromEntries(fields.map((field) => [field, boundary[field]]));
}

/** Under what the measurement was made; elsewhere another may be true. */
function toConditions({ engine, platform }: RunReport): object {
  if (engine === null) return { platform };
  const { name, version, runtime, kernel, cgroupVersion, evidenceWay } = engine;
  return { platform, engine: { name, version, runtime, kernel, cgroupVersion, evidenceWay } };
}
