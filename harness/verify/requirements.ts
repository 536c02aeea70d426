import type { Findings } from './finding.ts';
import type { Counts, Report } from './shape/report.ts';

/** What a caller demands beyond a bundle that is in order. */
export type Requirement =
  | { readonly kind: 'signed' }
  | { readonly kind: 'boundary' }
  | { readonly kind: 'all-cases' }
  | { readonly kind: 'shards-signed' }
  | { readonly kind: 'engine' | 'node' | 'harness' | 'base' | 'replayed-by'; readonly value: string };

const PLAIN = ['signed', 'boundary', 'all-cases', 'shards-signed'] as const;
const VALUED = ['engine', 'node', 'harness', 'base', 'replayed-by'] as const;

/** The words of `--require`, for people. */
export const REQUIREMENT_WORDS: readonly string[] = [...PLAIN, ...VALUED.map((word) => `${word}=…`)];

/** Reads `--require`: a comma list; else the first word that is none. */
export function parseRequirements(
  text: string,
): { readonly requirements: readonly Requirement[] } | { readonly unknown: string } {
  const requirements: Requirement[] = [];
  for (const word of text.split(',')) {
    const [name = '', ...rest] = word.split('=');
    const plain = PLAIN.find((kind) => kind === word);
    const valued = VALUED.find((kind) => kind === name);
    const value = rest.join('=');
    if (plain !== undefined) requirements.push({ kind: plain });
    else if (valued !== undefined && value !== '') requirements.push({ kind: valued, value });
    else return { unknown: word };
  }
  return { requirements };
}

export interface SignedShards {
  readonly count: number;
  readonly signed: number;
}

/** What is known of an accepted bundle. */
export interface Facts {
  readonly report: Report;
  readonly counts: Counts;
  /** Kinds of boxes whose boundary was measured. */
  readonly measuredKinds: number;
  /** A signature that a given key made. */
  readonly signed: boolean;
  /** Shards of merged evidence, and how many of them the given key signed; null: the evidence is of one run. */
  readonly shards: SignedShards | null;
  /** As `basesOf` gives them: kind, root file system, packages. */
  readonly bases: readonly string[];
}

/** Every demand that the bundle does not meet is a finding. */
export function checkRequirements(
  requirements: readonly Requirement[],
  facts: Facts,
  findings: Findings,
): void {
  for (const requirement of requirements) {
    const shown = 'value' in requirement ? `${requirement.kind}=${requirement.value}` : requirement.kind;
    const actual = unmet(requirement, facts);
    if (actual !== null) findings.add('REQUIREMENT_UNMET', '--require', shown, actual);
  }
}

/** Null when it is met, else what is there instead. */
function unmet(
  requirement: Requirement,
  { report, counts, measuredKinds, signed, shards, bases }: Facts,
): string | null {
  switch (requirement.kind) {
    case 'signed':
      return signed ? null : 'no signature that --key could confirm';
    case 'shards-signed':
      if (shards === null) return 'evidence of one run';
      return shards.signed === shards.count
        ? null
        : `${shards.signed} of ${shards.count} shards signed by a key that was given`;
    case 'boundary':
      return measuredKinds > 0 ? null : 'no boundary was measured';
    case 'all-cases': {
      const missing = counts.unrun + counts.excluded + counts.error;
      return missing === 0 ? null : `${missing} cases without a result`;
    }
    case 'engine': {
      const engine = report.engine === null ? 'none' : `${report.engine.name}@${report.engine.version}`;
      return [engine, report.engine?.name].includes(requirement.value) ? null : engine;
    }
    case 'node': {
      const matches = report.nodeVersions.some(
        (version) => version === requirement.value || version.startsWith(`${requirement.value}.`),
      );
      return matches ? null : report.nodeVersions.join(' ');
    }
    case 'harness': {
      const { version, distSha256 } = report.harness;
      return [version, distSha256].includes(requirement.value) ? null : `${version} ${distSha256}`;
    }
    case 'base':
      return bases.includes(requirement.value) ? null : bases.join(' ');
    // The replay document has codes of its own.
    case 'replayed-by':
      return null;
  }
}
