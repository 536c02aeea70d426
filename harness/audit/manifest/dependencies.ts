import { describe, type ManifestContext, placeOf, readMembers, reportField } from './context.ts';
import { toSpecCode } from './dependency-spec.ts';
import type { DependencyFact, PeerFact } from './facts.ts';
import { classifyName } from './package-name.ts';
import { isJsonArray, isJsonObject } from './strict-json.ts';

/** What the package asks for, by list. */
export interface Dependencies {
  readonly dependencies: readonly DependencyFact[];
  readonly optionalDependencies: readonly DependencyFact[];
  readonly peerDependencies: readonly PeerFact[];
  readonly bundledDependencies: readonly string[];
}

/** Checks every dependency that users get: development dependencies are not installed and not judged. */
export function checkDependencies(context: ManifestContext): Dependencies {
  const optionalDependencies = readList(context, 'optionalDependencies');
  const optional = new Set(optionalDependencies.map((dependency) => dependency.name));
  const all = readList(context, 'dependencies');
  // npm lets the optional list win over the plain one.
  const dependencies = all.filter((dependency) => !optional.has(dependency.name));
  const lists = {
    dependencies,
    optionalDependencies,
    peerDependencies: readPeers(context),
    bundledDependencies: readBundled(context, [...dependencies, ...optionalDependencies]),
  };
  checkBundled(context, lists);
  return lists;
}

function readList(context: ManifestContext, field: string): readonly DependencyFact[] {
  const facts: DependencyFact[] = [];
  for (const [name, value] of readMembers(context, field)) {
    const place = placeOf(field, name);
    if (classifyName(name) === 'invalid') {
      context.findings.add('DEP_NAME_INVALID', place, { expected: 'a package name', actual: name });
      continue;
    }
    if (typeof value !== 'string') {
      context.findings.add('DEP_SPEC_INVALID', place, {
        expected: 'a version range',
        actual: describe(value),
      });
      continue;
    }
    checkSpec(context, field, { name, spec: value });
    facts.push({ name, spec: value });
  }
  return facts;
}

function checkSpec(context: ManifestContext, field: string, { name, spec }: DependencyFact): void {
  const code = toSpecCode(spec);
  // An open range is the normal form of a peer: the user brings the version.
  if (code === null || (code === 'DEP_RANGE_OPEN' && field === 'peerDependencies')) return;
  context.findings.add(code, placeOf(field, name), { expected: 'a version range', actual: spec });
}

function readPeers(context: ManifestContext): readonly PeerFact[] {
  const meta = context.manifest.get('peerDependenciesMeta');
  return readList(context, 'peerDependencies').map((peer) => {
    const about = isJsonObject(meta) ? meta.get(peer.name) : undefined;
    return { ...peer, optional: isJsonObject(about) && about.get('optional') === true };
  });
}

/** Either spelling of the list; `true` means all dependencies. */
function readBundled(context: ManifestContext, all: readonly DependencyFact[]): readonly string[] {
  const value = context.manifest.get('bundleDependencies') ?? context.manifest.get('bundledDependencies');
  if (value === true) return all.map((dependency) => dependency.name);
  if (isJsonArray(value)) return value.filter((item) => typeof item === 'string');
  if (isJsonObject(value)) return [...value.keys()];
  if (value !== undefined && value !== null && value !== false) {
    reportField(context, '/bundleDependencies', 'a list of names', value);
  }
  return [];
}

function checkBundled(context: ManifestContext, lists: Dependencies): void {
  const { files, findings } = context;
  const needed = new Set(lists.dependencies.map((dependency) => dependency.name));
  const known = new Set([...needed, ...lists.optionalDependencies.map((dependency) => dependency.name)]);
  for (const name of lists.bundledDependencies) {
    const place = placeOf('bundleDependencies', name);
    const path = `node_modules/${name}/package.json`;
    if (!known.has(name)) {
      findings.add('DEP_BUNDLED_UNKNOWN', place, { expected: 'a dependency', actual: name });
    } else if (needed.has(name) && !files.has(path)) {
      findings.add('DEP_BUNDLED_MISSING', place, { expected: files.toArchivePath(path), actual: 'nothing' });
    }
  }
  if (lists.bundledDependencies.length > 0 || !files.hasFolder('node_modules')) return;
  findings.add('BUNDLED_UNDECLARED', files.toArchivePath('node_modules'), {
    expected: 'bundleDependencies',
    actual: 'no such list',
  });
}
