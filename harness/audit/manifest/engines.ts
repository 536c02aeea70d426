import semver from 'semver';
import { RANGE_LENGTH } from '../limits.ts';
import { type ManifestContext, placeOf, readNestedText, readTexts } from './context.ts';

/**
 * Newest major version of Node that is known to this release of the audit, and the next one after it, so that
 * a package that prepares for it is no fault. A range that begins above cannot be met by anybody.
 */
export const NEWEST_NODE_MAJOR = 27;

/** Where the package says it runs. */
export interface Engines {
  readonly engines: { readonly node: string | null; readonly npm: string | null };
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc: readonly string[];
}

/** Checks engines, os, cpu and libc; `nodeVersions` are the exact versions this run will use, or empty. */
export function checkEngines(context: ManifestContext, nodeVersions: readonly string[]): Engines {
  const node = readNestedText(context, 'engines', 'node');
  if (node !== null) checkNodeRange(context, node, nodeVersions);
  const facts: Engines = {
    engines: { node, npm: readNestedText(context, 'engines', 'npm') },
    os: readTexts(context, 'os'),
    cpu: readTexts(context, 'cpu'),
    libc: readTexts(context, 'libc'),
  };
  checkPlatform(context, 'os', { listed: facts.os, ours: ['linux'] });
  checkPlatform(context, 'cpu', { listed: facts.cpu, ours: ['x64', 'arm64'] });
  checkPlatform(context, 'libc', { listed: facts.libc, ours: ['glibc'] });
  return facts;
}

function checkNodeRange(context: ManifestContext, text: string, nodeVersions: readonly string[]): void {
  const { findings } = context;
  const place = placeOf('engines', 'node');
  const range = text.length > RANGE_LENGTH ? null : semver.validRange(text);
  if (range === null) {
    findings.add('ENGINES_INVALID', place, { expected: 'a version range', actual: text });
  } else if (!semver.intersects(range, '>=0.0.0')) {
    findings.add('ENGINES_UNSATISFIABLE', place, {
      expected: 'a range that some version meets',
      actual: text,
    });
  } else if (!semver.intersects(range, `<=${NEWEST_NODE_MAJOR}`)) {
    findings.add('ENGINES_TOO_NEW', place, {
      expected: `a version up to ${NEWEST_NODE_MAJOR}`,
      actual: text,
    });
  } else if (nodeVersions.length > 0 && !nodeVersions.some((version) => semver.satisfies(version, range))) {
    findings.add('ENGINES_NOT_RUNTIME', place, { expected: nodeVersions.join(' or '), actual: text });
  }
}

interface PlatformList {
  readonly listed: readonly string[];
  readonly ours: readonly string[];
}

/** npm's rule: a `!name` excludes, and when any plain name is listed, one of them must match. */
function checkPlatform(context: ManifestContext, field: string, { listed, ours }: PlatformList): void {
  const allowed = listed.filter((name) => !name.startsWith('!'));
  const isAllowed = (name: string): boolean =>
    !listed.includes(`!${name}`) &&
    (allowed.length === 0 || allowed.includes(name) || allowed.includes('any'));
  if (ours.some(isAllowed)) return;
  context.findings.add('PLATFORM_EXCLUDED', placeOf(field), {
    expected: ours.join(' or '),
    actual: listed.join(', '),
  });
}
