import type { Findings } from '../finding.ts';
import type { BoundaryLimit } from '../shape/values.ts';

/** What a case chooses of its boundary. */
export interface Kind {
  readonly exec: boolean;
  readonly limits: readonly BoundaryLimit[];
}

export interface NodeKind extends Kind {
  readonly node: string;
}

/** One text for equal choices. */
export function choiceOf({ exec, limits }: Kind): string {
  return [`exec=${exec}`, ...limits.map(({ name, value }) => `${name}=${value}`)].join(' ');
}

/** Names a kind of boxes: the image of a Node version, and what its cases chose. */
export function keyOf({ node, exec, limits }: NodeKind): string {
  return `${node} ${choiceOf({ exec, limits })}`;
}

const MIB = 1024 * 1024;

// The values of format version 1 that a case may lower, the least it may lower them to, and the step, stated
// here once more: a limit that is no tighter than these widens a box.
const BOUNDS: Readonly<Record<BoundaryLimit['name'], readonly [least: number, most: number, step: number]>> =
  {
    cpuMillis: [100, 2000, 10],
    fileSizeBytes: [4096, 512 * MIB, 1],
    homeBytes: [65_536, 256 * MIB, 4096],
    memoryBytes: [64 * MIB, 2048 * MIB, 4096],
    openFiles: [32, 4096, 1],
    pids: [8, 256, 1],
    tmpBytes: [65_536, 128 * MIB, 4096],
    workBytes: [65_536, 256 * MIB, 4096],
  };

/** Limits of a case in their one form: each once, in the order of names, and none beyond the policy's. */
export function checkChoice(limits: readonly BoundaryLimit[], at: string, findings: Findings): void {
  const names = limits.map(({ name }) => name);
  const sorted = [...new Set(names)].sort();
  findings.same('SUITE_RULE', at, sorted.join(','), names.join(','));
  for (const { name, value } of limits) {
    const [least, most, step] = BOUNDS[name];
    if (value >= least && value < most && value % step === 0) continue;
    findings.add(
      'SUITE_RULE',
      `${at}.${name}`,
      `${least} to less than ${most}, a multiple of ${step}`,
      value,
    );
  }
}
