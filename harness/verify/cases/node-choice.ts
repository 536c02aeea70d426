import type { SuiteCase } from '../shape/suite.ts';

type NodeChoice = Pick<SuiteCase, 'node'>;

/** The versions of a run on which a case must have a receipt; the first where none is in its ranges. */
export function versionsOf(declared: NodeChoice, versions: readonly string[]): readonly string[] {
  const [first] = versions;
  if (first === undefined || declared.node === 'each') return versions;
  if (declared.node === 'first') return [first];
  const inside = versions.filter((version) => isAsked(declared, version));
  return inside.length === 0 ? [first] : inside;
}

/** Whether a case asks for a version on which it stands. */
export function isAsked({ node }: NodeChoice, version: string): boolean {
  if (typeof node === 'string') return true;
  const at = toNumber(version);
  return node.some(({ from, below }) => at >= toNumber(from) && (below === null || at < toNumber(below)));
}

/** One number that orders versions: each part has at most five digits. */
function toNumber(version: string): number {
  return version.split('.').reduce((sum, part) => sum * 100_000 + Number(part), 0);
}
