import { type ConfigObject, type ConfigValue, isConfigObject } from './parse/config-value.ts';
import type { Container } from './profiles/profile.ts';

/** Why the servers of a document that parsed cannot be told. */
export type ContainerProblem =
  | 'container-not-object'
  | 'mixed-containers'
  | 'foreign-container'
  | 'ambiguous-project-key';

export type FoundContainer =
  | { readonly kind: 'found'; readonly label: string; readonly entries: ConfigObject }
  /** The document is in order and declares no servers of this origin. */
  | { readonly kind: 'absent'; readonly label: string }
  | { readonly kind: 'refused'; readonly label: string; readonly problem: ContainerProblem };

/** The spellings of the selected directory under which a client may have recorded it, without doubles. */
export type RootSpellings = readonly string[];

/** Finds the object whose keys are server names. Own keys only; nothing is guessed and nothing is merged. */
export function findContainer(
  document: ConfigObject,
  container: Container,
  spellings: RootSpellings,
): FoundContainer {
  switch (container.kind) {
    case 'project-key':
      return inProjects(document, container, spellings);
    case 'wrapped-or-bare':
      if (!document.has(container.key)) return { kind: 'found', label: 'bare-map', entries: document };
      return inRootField(document, container.key, container.foreign);
    case 'key':
      return inRootField(document, container.key, container.foreign);
    case 'key-or-inner':
      return inInnerField(inRootField(document, container.key, container.foreign), container.inner);
  }
}

/** The name of a container before it was looked for. */
export function containerLabel(container: Container): string {
  switch (container.kind) {
    case 'project-key':
      return `${container.projects}[<root>].${container.key}`;
    case 'wrapped-or-bare':
      return `${container.key} or bare map`;
    case 'key-or-inner':
      return `${container.key} or ${container.key}.${container.inner}`;
    case 'key':
      return container.key;
  }
}

/** Whether the root object has fields besides the one that leads to this container. Their names stay inside. */
export function hasOtherRootFields(document: ConfigObject, container: Container): boolean {
  const key = container.kind === 'project-key' ? container.projects : container.key;
  if (container.kind === 'wrapped-or-bare' && !document.has(key)) return false;
  return document.size > (document.has(key) ? 1 : 0);
}

function inRootField(document: ConfigObject, key: string, foreign: readonly string[]): FoundContainer {
  const isForeign = foreign.some((name) => document.has(name));
  if (!document.has(key)) {
    return isForeign
      ? { kind: 'refused', label: key, problem: 'foreign-container' }
      : { kind: 'absent', label: key };
  }
  if (isForeign) return { kind: 'refused', label: key, problem: 'mixed-containers' };
  return asEntries(document.get(key), key);
}

/** An own inner field always selects the later version; an invalid one is not guessed to be a server of that name. */
function inInnerField(found: FoundContainer, inner: string): FoundContainer {
  if (found.kind !== 'found' || !found.entries.has(inner)) return found;
  const hasServersBeside = [...found.entries].some(
    ([name, value]) => name !== inner && isConfigObject(value),
  );
  if (hasServersBeside) return { kind: 'refused', label: found.label, problem: 'mixed-containers' };
  return asEntries(found.entries.get(inner), `${found.label}.${inner}`);
}

function inProjects(
  document: ConfigObject,
  container: Container & { readonly kind: 'project-key' },
  spellings: RootSpellings,
): FoundContainer {
  const label = containerLabel(container);
  const projects = document.get(container.projects);
  if (projects === undefined) return { kind: 'absent', label };
  if (!isConfigObject(projects)) return { kind: 'refused', label, problem: 'container-not-object' };
  const declared: FoundContainer[] = [];
  for (const spelling of spellings) {
    const record = projects.get(spelling);
    if (record === undefined) continue;
    if (!isConfigObject(record)) declared.push({ kind: 'refused', label, problem: 'container-not-object' });
    else if (record.has(container.key)) declared.push(asEntries(record.get(container.key), label));
  }
  if (declared.length > 1) return { kind: 'refused', label, problem: 'ambiguous-project-key' };
  return declared[0] ?? { kind: 'absent', label };
}

function asEntries(value: ConfigValue | undefined, label: string): FoundContainer {
  return isConfigObject(value)
    ? { kind: 'found', label, entries: value }
    : { kind: 'refused', label, problem: 'container-not-object' };
}
