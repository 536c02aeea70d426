import type { Findings } from '../finding.ts';
import type { Boundary } from '../shape/boundary.ts';

const CAPABILITY_SETS = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
const NO_CAPABILITIES = '0000000000000000';
/** SECCOMP_MODE_FILTER. */
const FILTERED = '2';

/** Fields of a status file of a process of the box, from either side: all of them, and no other. */
export function checkStatus(
  status: Readonly<Record<string, string>>,
  { uid, gid, supplementaryGids, noNewPrivileges }: Boundary,
  at: string,
  findings: Findings,
): void {
  const fourTimes = (id: number): string => [id, id, id, id].join(' ');
  const withOwn = [gid, ...supplementaryGids].sort((one, other) => one - other).join(' ');
  const expected: Readonly<Record<string, readonly string[]>> = {
    Uid: [fourTimes(uid)],
    Gid: [fourTimes(gid)],
    // Engines since CVE-2022-36109 name the own group among the supplementary ones.
    Groups: [supplementaryGids.join(' '), withOwn],
    ...Object.fromEntries(CAPABILITY_SETS.map((name) => [name, [NO_CAPABILITIES]])),
    NoNewPrivs: [noNewPrivileges ? '1' : '0'],
    Seccomp: [FILTERED],
  };
  for (const [name, accepted] of Object.entries(expected)) {
    if (!accepted.includes(status[name] ?? 'nothing')) {
      findings.add('BOUNDARY_STATUS', `${at}.${name}`, accepted.join(' or '), status[name] ?? 'nothing');
    }
  }
  for (const name of Object.keys(status)) {
    if (!Object.hasOwn(expected, name))
      findings.add('BOUNDARY_STATUS', `${at}.${name}`, 'no such field', status[name]);
  }
}
