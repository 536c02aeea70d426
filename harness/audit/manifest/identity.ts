import semver from 'semver';
import { type ManifestContext, placeOf, readText } from './context.ts';
import { classifyName } from './package-name.ts';
import { isJsonObject } from './strict-json.ts';

/** What the caller knows about the package from elsewhere: a tag, a registry entry, its own repository. */
export interface ExpectedIdentity {
  readonly name?: string;
  readonly version?: string;
  /** Compared without protocol, `.git` and case of the host. */
  readonly repository?: string;
}

export interface Identity {
  readonly name: string | null;
  readonly version: string | null;
}

/** Checks who the package says it is, alone and against what was expected. */
export function checkIdentity(context: ManifestContext, expected: ExpectedIdentity): Identity {
  const name = checkName(context);
  const version = checkVersion(context);
  const { findings } = context;
  if (expected.name !== undefined && name !== expected.name) {
    findings.add('IDENTITY_NAME', placeOf('name'), { expected: expected.name, actual: name ?? 'nothing' });
  }
  if (expected.version !== undefined && version !== expected.version) {
    findings.add('IDENTITY_VERSION', placeOf('version'), {
      expected: expected.version,
      actual: version ?? 'nothing',
    });
  }
  checkRepository(context, expected.repository);
  if (context.manifest.get('private') === true) {
    findings.add('MANIFEST_PRIVATE', placeOf('private'), { expected: 'nothing or false', actual: 'true' });
  }
  return { name, version };
}

function checkName(context: ManifestContext): string | null {
  const name = readText(context, 'name');
  const kind = name === null ? 'invalid' : classifyName(name);
  if (kind === 'invalid') {
    context.findings.add('NAME_INVALID', placeOf('name'), {
      expected: 'a package name',
      actual: name ?? 'nothing',
    });
  } else if (kind === 'legacy') {
    context.findings.add('NAME_LEGACY', placeOf('name'), {
      expected: 'lower case',
      actual: name ?? 'nothing',
    });
  }
  return name;
}

function checkVersion(context: ManifestContext): string | null {
  const version = readText(context, 'version');
  const plain = version === null ? null : semver.valid(version, { loose: true });
  if (plain === null) {
    context.findings.add('VERSION_INVALID', placeOf('version'), {
      expected: 'a semantic version',
      actual: version ?? 'nothing',
    });
  } else if (plain !== version && semver.valid(version)?.concat(buildOf(version ?? '')) !== version) {
    context.findings.add('VERSION_LOOSE', placeOf('version'), { expected: plain, actual: version ?? '' });
  }
  return version;
}

/** semver drops build metadata when it normalises; having it is no fault. */
function buildOf(version: string): string {
  const at = version.indexOf('+');
  return at < 0 ? '' : version.slice(at);
}

function checkRepository(context: ManifestContext, expected: string | undefined): void {
  const value = context.manifest.get('repository');
  const url = isJsonObject(value) ? value.get('url') : value;
  const text = typeof url === 'string' ? url : null;
  if (text === null || text === '') {
    context.findings.add('REPOSITORY_MISSING', placeOf('repository'), {
      expected: 'an address',
      actual: 'nothing',
    });
  }
  if (expected === undefined || toRepositoryKey(text ?? '') === toRepositoryKey(expected)) return;
  context.findings.add('REPOSITORY_OTHER', placeOf('repository'), {
    expected,
    actual: text ?? 'nothing',
  });
}

/** Reduces the many ways to write one repository to `host/owner/name`. A bare `owner/name` means GitHub. */
function toRepositoryKey(url: string): string {
  const bare = url
    .trim()
    .toLowerCase()
    .replace(/^git\+/, '')
    .replace(/^github:/, 'github.com/')
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[#?].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/^([^/:]+):/, '$1/');
  return /^[^/.]+\/[^/]+$/.test(bare) ? `github.com/${bare}` : bare;
}
