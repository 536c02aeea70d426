import type { BinFact, CandidateFacts } from './facts.ts';

/** What cannot be read off package.json alone. */
export interface CandidateSurroundings {
  /** As npm links them, from the audit, which also knows `directories.bin`. */
  readonly bins: readonly BinFact[];
  /** Paths of the archive's files inside the package. */
  readonly files: readonly string[];
}

/**
 * Takes from a candidate's package.json, already accepted by the audit's strict scan, what the smoke suite
 * needs. Never throws: a field of the wrong type is as good as absent here, and the audit has said so.
 */
export function toCandidateFacts(manifest: unknown, surroundings: CandidateSurroundings): CandidateFacts {
  const fields = asRecord(manifest);
  const bundled = [fields['bundledDependencies'], fields['bundleDependencies']].flatMap(asTexts);
  return {
    name: asText(fields['name']) ?? '',
    version: asText(fields['version']) ?? '',
    bins: surroundings.bins.map(({ name, path }) => ({ name, path })),
    type: fields['type'] === 'module' ? 'module' : 'commonjs',
    main: asText(fields['main']),
    exports: fields['exports'],
    files: surroundings.files,
    dependencies: [
      ...Object.keys(asRecord(fields['dependencies'])),
      ...Object.keys(asRecord(fields['optionalDependencies'])),
      ...bundled,
    ],
    optionalPeers: optionalPeersOf(fields),
    keywords: asTexts(fields['keywords']),
    enginesNode: asText(asRecord(fields['engines'])['node']),
  };
}

function optionalPeersOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const meta = asRecord(fields['peerDependenciesMeta']);
  return Object.keys(asRecord(fields['peerDependencies'])).filter(
    (name) => asRecord(meta[name])['optional'] === true,
  );
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asTexts(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.filter((item) => typeof item === 'string');
}
