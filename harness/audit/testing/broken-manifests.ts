import type { AuditOptions } from '../audit.ts';
import type { FindingCode } from '../catalogue/catalogue.ts';
import type { BrokenInput } from './broken-input.ts';
import { buildGoodPackage, GOOD_MANIFEST, type PackagePlan } from './package-builder.ts';

const GOOD_TEXT = JSON.stringify(GOOD_MANIFEST);

/** A good package with some fields of package.json changed; `undefined` removes one. */
function changed(
  fields: Readonly<Record<string, unknown>>,
  rest: Omit<PackagePlan, 'manifest'> = {},
): Buffer {
  return buildGoodPackage({ manifest: { ...GOOD_MANIFEST, ...fields }, ...rest });
}

function written(manifest: string | Buffer | null): Buffer {
  return buildGoodPackage({ manifest });
}

/** Puts members in front of the good ones. */
function withMembers(members: string): Buffer {
  return written(GOOD_TEXT.replace('{', `{${members},`));
}

function at(pointer: string): string {
  return `package.json#${pointer}`;
}

/** Faults of package.json as a document. */
export const BROKEN_DOCUMENTS: readonly BrokenInput[] = [
  {
    code: 'MANIFEST_MISSING',
    path: 'package/package.json',
    defect: 'no package.json',
    bytes: written(null),
  },
  {
    code: 'MANIFEST_TWICE',
    path: 'package.json',
    defect: 'a second package.json',
    bytes: buildGoodPackage({
      extra: [{ name: 'package/package.json', content: GOOD_TEXT.replace('good-cli', 'evil-cli') }],
    }),
    also: ['ENTRY_DUPLICATE'],
  },
  {
    code: 'MANIFEST_TOO_LARGE',
    path: 'package.json',
    defect: 'one byte above the limit',
    bytes: written(GOOD_TEXT),
    options: { limits: { manifestBytes: GOOD_TEXT.length - 1 } },
  },
  { code: 'MANIFEST_BOM', path: 'package.json', defect: 'a mark', bytes: written(`\ufeff${GOOD_TEXT}`) },
  {
    code: 'MANIFEST_NOT_UTF8',
    path: 'package.json',
    defect: 'latin1',
    bytes: written(Buffer.from(GOOD_TEXT.replace('good', 'g\xf6od'), 'latin1')),
  },
  {
    code: 'MANIFEST_NOT_JSON',
    path: 'package.json',
    defect: 'a comma before the end',
    bytes: written(GOOD_TEXT.replace(/\}$/, ',}')),
  },
  {
    code: 'MANIFEST_NOT_JSON',
    path: 'package.json',
    defect: 'cut off',
    bytes: written(GOOD_TEXT.slice(0, -1)),
  },
  { code: 'MANIFEST_NOT_JSON', path: 'package.json', defect: 'text behind', bytes: written(`${GOOD_TEXT}x`) },
  { code: 'MANIFEST_NOT_JSON', path: 'package.json', defect: 'empty', bytes: written('') },
  { code: 'MANIFEST_NOT_OBJECT', path: 'package.json', defect: 'a list', bytes: written('[]') },
  {
    code: 'MANIFEST_TOO_DEEP',
    path: 'package.json',
    defect: 'a hundred thousand lists',
    bytes: written('['.repeat(100_000)),
  },
  {
    code: 'MANIFEST_DUPLICATE_KEY',
    path: at('/name'),
    defect: 'two names',
    bytes: withMembers('"name":"evil-cli"'),
  },
  {
    code: 'MANIFEST_DUPLICATE_KEY',
    path: at('/scripts/postinstall'),
    defect: 'two install scripts',
    bytes: withMembers('"scripts":{"postinstall":"a","postinstall":"b"}'),
    also: ['INSTALL_SCRIPT'],
  },
  {
    code: 'MANIFEST_DUPLICATE_KEY_UNUSED',
    path: at('/keywords'),
    defect: 'two lists of keywords',
    bytes: withMembers('"keywords":[],"keywords":["a"]'),
  },
  {
    code: 'MANIFEST_DUPLICATE_KEY_UNUSED',
    path: at('/name'),
    defect: 'the same name twice',
    bytes: withMembers('"name":"good-cli"'),
  },
  {
    code: 'MANIFEST_PROTO_KEY',
    path: at('/config/__proto__'),
    defect: 'a key that reaches the prototype',
    bytes: withMembers('"config":{"__proto__":{"polluted":true}}'),
  },
  {
    code: 'MANIFEST_CONSTRUCTOR_KEY',
    path: at('/constructor'),
    defect: 'a key that reaches the constructor',
    bytes: withMembers('"constructor":{}'),
  },
  {
    code: 'MANIFEST_LONE_SURROGATE',
    path: at('/description'),
    defect: 'half a character',
    bytes: withMembers('"description":"\\ud83d"'),
  },
  {
    code: 'MANIFEST_LIST_TOO_LONG',
    path: at('/dependencies'),
    defect: 'three dependencies',
    bytes: changed({ dependencies: { a: '^1.0.0', b: '^1.0.0', c: '^1.0.0' } }),
    options: { limits: { manifestListLength: 2 } },
  },
  {
    code: 'MANIFEST_FIELD_INVALID',
    path: at('/dependencies'),
    defect: 'dependencies as a list',
    bytes: changed({ dependencies: ['a'] }),
  },
];

/** Faults of what package.json says. */
export const BROKEN_MANIFESTS: readonly BrokenInput[] = [
  { code: 'MANIFEST_PRIVATE', path: at('/private'), defect: 'private', bytes: changed({ private: true }) },
  { code: 'NAME_INVALID', path: at('/name'), defect: 'no name', bytes: changed({ name: undefined }) },
  ...['../evil', '.hidden', '@scope', '@a/b/c', 'node_modules', 'a b', ''].map(
    (name): BrokenInput => ({
      code: 'NAME_INVALID',
      path: at('/name'),
      defect: `the name ${JSON.stringify(name)}`,
      bytes: changed({ name }),
    }),
  ),
  { code: 'NAME_LEGACY', path: at('/name'), defect: 'capitals', bytes: changed({ name: 'JSONThing' }) },
  {
    code: 'VERSION_INVALID',
    path: at('/version'),
    defect: 'two numbers',
    bytes: changed({ version: '1.2' }),
  },
  { code: 'VERSION_INVALID', path: at('/version'), defect: 'none', bytes: changed({ version: undefined }) },
  {
    code: 'VERSION_LOOSE',
    path: at('/version'),
    defect: 'a v in front',
    bytes: changed({ version: 'v1.2.3' }),
  },
  {
    code: 'IDENTITY_NAME',
    path: at('/name'),
    defect: 'another name than expected',
    bytes: changed({}),
    options: { expected: { name: 'other-cli', version: '1.2.3' } },
  },
  {
    code: 'IDENTITY_VERSION',
    path: at('/version'),
    defect: 'another version than expected',
    bytes: changed({}),
    options: { expected: { name: 'good-cli', version: '1.2.4' } },
  },
  {
    code: 'REPOSITORY_MISSING',
    path: at('/repository'),
    defect: 'no repository',
    bytes: changed({ repository: undefined }),
  },
  {
    code: 'REPOSITORY_OTHER',
    path: at('/repository'),
    defect: 'another repository than expected',
    bytes: changed({}),
    options: { expected: { repository: 'https://github.com/example/other.git' } },
  },
  {
    code: 'ENGINES_INVALID',
    path: at('/engines/node'),
    defect: 'a range that is text',
    bytes: changed({ engines: { node: 'lts or newer' } }),
  },
  {
    code: 'ENGINES_UNSATISFIABLE',
    path: at('/engines/node'),
    defect: 'a range without versions',
    bytes: changed({ engines: { node: '>=20 <18' } }),
  },
  {
    code: 'ENGINES_TOO_NEW',
    path: at('/engines/node'),
    defect: 'version 99',
    bytes: changed({ engines: { node: '>=99' } }),
  },
  {
    code: 'ENGINES_NOT_RUNTIME',
    path: at('/engines/node'),
    defect: 'a runtime below the range',
    bytes: changed({ engines: { node: '>=22' } }),
    options: { nodeVersions: ['18.20.0', '20.19.0'] },
  },
  { code: 'PLATFORM_EXCLUDED', path: at('/os'), defect: 'only Windows', bytes: changed({ os: ['win32'] }) },
  { code: 'PLATFORM_EXCLUDED', path: at('/os'), defect: 'not Linux', bytes: changed({ os: ['!linux'] }) },
  { code: 'PLATFORM_EXCLUDED', path: at('/cpu'), defect: 'only s390x', bytes: changed({ cpu: ['s390x'] }) },
  { code: 'PLATFORM_EXCLUDED', path: at('/libc'), defect: 'only musl', bytes: changed({ libc: ['musl'] }) },
  ...(['preinstall', 'install', 'postinstall'] as const).map(
    (name): BrokenInput => ({
      code: 'INSTALL_SCRIPT',
      path: at(`/scripts/${name}`),
      defect: `a ${name} script`,
      bytes: changed({ scripts: { [name]: 'node build.js', test: 'node test.js' } }),
    }),
  ),
  {
    code: 'INSTALL_SCRIPT_IMPLICIT',
    path: 'package/binding.gyp',
    defect: 'a binding.gyp',
    bytes: changed({ scripts: { postinstall: '' } }, { files: { 'binding.gyp': '{}' } }),
  },
  {
    code: 'SHRINKWRAP_PRESENT',
    path: 'package/npm-shrinkwrap.json',
    defect: 'a shrinkwrap',
    bytes: changed({}, { files: { 'npm-shrinkwrap.json': '{"name":"good-cli","version":"1.2.3"}' } }),
  },
  {
    code: 'SHRINKWRAP_OTHER',
    path: 'npm-shrinkwrap.json#/version',
    defect: 'a shrinkwrap of another version',
    bytes: changed({}, { files: { 'npm-shrinkwrap.json': '{"name":"good-cli","version":"1.2.2"}' } }),
    also: ['SHRINKWRAP_PRESENT'],
  },
  {
    code: 'SHRINKWRAP_SOURCE',
    path: 'npm-shrinkwrap.json#/packages/node_modules~1a/resolved',
    defect: 'a shrinkwrap with another source',
    bytes: changed(
      {},
      {
        files: {
          'npm-shrinkwrap.json': '{"packages":{"node_modules/a":{"resolved":"http://evil.example/a.tgz"}}}',
        },
      },
    ),
    also: ['SHRINKWRAP_PRESENT'],
  },
  {
    code: 'SHRINKWRAP_SOURCE',
    path: 'npm-shrinkwrap.json#/packages/node_modules~1a/resolved',
    defect: 'a shrinkwrap made against a private registry',
    bytes: changed(
      {},
      {
        files: {
          'npm-shrinkwrap.json':
            '{"packages":{"node_modules/a":{"resolved":"https://npm.corp.example/a/-/a-1.0.0.tgz"}}}',
        },
      },
    ),
    options: { publicRegistry: 'registry.example' },
    also: ['SHRINKWRAP_PRESENT'],
  },
];

function withSpec(field: string, spec: unknown): Buffer {
  return changed({ [field]: { other: spec } });
}

const DEPENDENCY_SPECS: readonly (readonly [FindingCode, string, unknown])[] = [
  ['DEP_WORKSPACE', 'dependencies', 'workspace:*'],
  ['DEP_WORKSPACE', 'peerDependencies', 'workspace:^'],
  ['DEP_CATALOG', 'dependencies', 'catalog:'],
  ['DEP_CATALOG', 'optionalDependencies', 'catalog:default'],
  ['DEP_FILE', 'dependencies', 'file:../other'],
  ['DEP_FILE', 'dependencies', '../other'],
  ['DEP_FILE', 'dependencies', '~/other'],
  ['DEP_FILE', 'dependencies', 'other.tgz'],
  ['DEP_LINK', 'dependencies', 'link:../other'],
  ['DEP_LINK', 'dependencies', 'portal:../other'],
  ['DEP_PROTOCOL_UNKNOWN', 'dependencies', 'jsr:^1.0.0'],
  ['DEP_SPEC_INVALID', 'dependencies', 7],
  ['DEP_SPEC_INVALID', 'dependencies', '>>1'],
  ['DEP_SPEC_INVALID', 'dependencies', '1'.repeat(2000)],
  ['DEP_GIT', 'dependencies', 'git+https://host.example/a/b.git'],
  ['DEP_GIT', 'dependencies', 'owner/name#main'],
  ['DEP_GIT', 'dependencies', 'github:owner/name'],
  ['DEP_URL', 'dependencies', 'https://host.example/a.tgz'],
  ['DEP_RANGE_OPEN', 'dependencies', '*'],
  ['DEP_RANGE_OPEN', 'dependencies', '>=1.0.0'],
  ['DEP_RANGE_OPEN', 'dependencies', 'latest'],
  ['DEP_RANGE_OPEN', 'dependencies', 'npm:other-name'],
];

/** Faults of what the package asks to be installed with it. */
export const BROKEN_DEPENDENCIES: readonly BrokenInput[] = [
  ...DEPENDENCY_SPECS.map(
    ([code, field, spec]): BrokenInput => ({
      code,
      path: at(`/${field}/other`),
      defect: `${field}: ${JSON.stringify(spec).slice(0, 40)}`,
      bytes: withSpec(field, spec),
    }),
  ),
  {
    code: 'DEP_NAME_INVALID',
    path: at('/dependencies/..~1evil'),
    defect: 'a dependency called ../evil',
    bytes: changed({ dependencies: { '../evil': '^1.0.0' } }),
  },
  {
    code: 'DEP_BUNDLED_MISSING',
    path: at('/bundleDependencies/zz'),
    defect: 'a bundled dependency without its folder',
    bytes: changed({ dependencies: { zz: '^1.0.0' }, bundledDependencies: ['zz'] }),
  },
  {
    code: 'DEP_BUNDLED_MISSING',
    path: at('/bundleDependencies/zz'),
    defect: 'everything bundled, nothing there',
    bytes: changed({ dependencies: { zz: '^1.0.0' }, bundleDependencies: true }),
  },
  {
    code: 'DEP_BUNDLED_UNKNOWN',
    path: at('/bundleDependencies/zz'),
    defect: 'a bundled package that is no dependency',
    bytes: changed({ bundleDependencies: ['zz'] }),
  },
  {
    code: 'BUNDLED_UNDECLARED',
    path: 'package/node_modules',
    defect: 'a folder of dependencies without a list',
    bytes: changed({}, { files: { 'node_modules/zz/package.json': '{}' } }),
  },
];

const EXPORT_FAULTS: readonly (readonly [FindingCode, string, unknown])[] = [
  ['EXPORTS_INVALID', '', { '.': './lib.js', import: './lib.js' }],
  ['EXPORTS_INVALID', '', 7],
  ['EXPORTS_INVALID', '/.', 'lib.js'],
  ['EXPORTS_INVALID', '/.', './../lib.js'],
  ['EXPORTS_TARGET_MISSING', '/.', './dist/index.js'],
  [
    'EXPORTS_SUBPATH_MISSING',
    '/.~1sub/import',
    { '.': './lib.js', './sub': { import: './a.js', require: './b.js' } },
  ],
  ['EXPORTS_CONDITION_MISSING', '/./types', { types: './lib.d.ts', default: './lib.js' }],
  ['EXPORTS_CUSTOM_CONDITION', '/./@good~1source', { '@good/source': './src/lib.ts', default: './lib.js' }],
  ['EXPORTS_PATTERN_EMPTY', '/.~1*', { '.': './lib.js', './*': './dist/*.js' }],
  ['EXPORTS_FOLDER', '/.~1lib~1', { '.': './lib.js', './lib/': './lib/' }],
];

/** Faults of entry points. */
export const BROKEN_EXPORTS: readonly BrokenInput[] = [
  ...EXPORT_FAULTS.map(
    ([code, pointer, exports]): BrokenInput => ({
      code,
      path: at(`/exports${pointer}`),
      defect: `exports ${JSON.stringify(exports)}`,
      bytes: changed({ exports }),
    }),
  ),
  {
    code: 'MAIN_MISSING',
    path: at('/main'),
    defect: 'a main that is not there',
    bytes: changed({ exports: undefined, main: 'dist/index' }),
  },
  {
    code: 'MODULE_FIELD_MISSING',
    path: at('/module'),
    defect: 'a module that is not there',
    bytes: changed({ module: 'dist/index.mjs' }),
  },
  {
    code: 'TYPES_MISSING',
    path: at('/types'),
    defect: 'types that are not there',
    bytes: changed({ types: 'index.d.ts' }),
  },
];

const CLI = 'package/cli.js';
const BODY = 'console.log(1);\n';

/** The good package with another file behind its command. */
function withCli(
  content: string | Buffer,
  options: { mode?: number; fields?: Record<string, unknown> } = {},
): Buffer {
  return changed(options.fields ?? {}, {
    files: { 'cli.js': content },
    modes: { 'cli.js': options.mode ?? 0o755 },
  });
}

function withBin(bin: unknown, rest: Omit<PackagePlan, 'manifest'> = {}): Buffer {
  return changed({ bin }, rest);
}

const BIN_FIELDS: readonly (readonly [FindingCode, string, unknown])[] = [
  ['BIN_NONE', '/bin', undefined],
  ['BIN_NONE', '/bin', {}],
  ['BIN_NAME_ODD', '/bin/a b', { 'a b': 'cli.js' }],
  ['BIN_NAME_ODD', '/bin/-rf', { '-rf': 'cli.js' }],
  ['BIN_NAME_CLASH', '/bin/npm', { npm: 'cli.js' }],
  ['BIN_NAME_CLASH', '/bin/sh', { sh: 'cli.js' }],
  ['BIN_TARGET_MISSING', '/bin/good-cli', 'dist/cli.js'],
  ['BIN_TARGET_CASE', '/bin/good-cli', 'Cli.js'],
  ['BIN_PATH_PREFIX', '/bin/good-cli', './cli.js'],
];

const ESCAPES: readonly (readonly [FindingCode, string, unknown])[] = [
  ['BIN_INVALID', '/bin/good-cli', { 'good-cli': '' }],
  ['BIN_INVALID', '/bin/good-cli', { 'good-cli': ['cli.js'] }],
  ['BIN_NAME_ESCAPES', '/bin/..~1evil', { '../evil': 'cli.js' }],
  ['BIN_NAME_ESCAPES', '/bin/..', { '..': 'cli.js' }],
  ['BIN_NAME_ESCAPES', '/bin/a\\b', { 'a\\b': 'cli.js' }],
  ['BIN_TARGET_OUTSIDE', '/bin/good-cli', { 'good-cli': '../../evil' }],
  ['BIN_TARGET_OUTSIDE', '/bin/good-cli', { 'good-cli': 'a/..\\..\\evil' }],
];

const STARTS: readonly (readonly [FindingCode, string, string])[] = [
  ['BIN_EMPTY', 'no bytes', ''],
  ['BIN_SHEBANG_MISSING', 'no interpreter line', BODY],
  ['BIN_SHEBANG_LATE', 'a licence above', `/* licence */\n#!/usr/bin/env node\n${BODY}`],
  ['BIN_SHEBANG_BOM', 'a mark in front', `\ufeff#!/usr/bin/env node\n${BODY}`],
  ['BIN_SHEBANG_CRLF', 'Windows line ends', `#!/usr/bin/env node\r\n${BODY}`],
  [
    'BIN_SHEBANG_CRLF',
    'one line ended as on Windows, with an option',
    `#!/usr/bin/env -S node --no-warnings\r\n${BODY}`,
  ],
  ['BIN_SHEBANG_ARGUMENTS', 'an option', `#!/usr/bin/env node --no-warnings\n${BODY}`],
  ['BIN_SHEBANG_PATH', 'a fixed path', `#!/usr/local/bin/node\n${BODY}`],
  ['BIN_SHEBANG_OTHER', 'bash', '#!/bin/bash\necho 1\n'],
  ['BIN_NATIVE', 'an ELF file', '\x7fELF\x02\x01\x01'],
];

/** Faults of commands. */
export const BROKEN_BINS: readonly BrokenInput[] = [
  ...BIN_FIELDS.map(
    ([code, pointer, bin]): BrokenInput => ({
      code,
      path: at(pointer),
      defect: `bin ${JSON.stringify(bin)}`,
      bytes: withBin(bin),
    }),
  ),
  ...ESCAPES.map(
    ([code, pointer, bin]): BrokenInput => ({
      code,
      path: at(pointer),
      defect: `bin ${JSON.stringify(bin)}`,
      bytes: withBin(bin),
      also: ['BIN_NONE'],
    }),
  ),
  {
    code: 'BIN_TARGET_FOLDER',
    path: at('/bin/good-cli'),
    defect: 'a folder',
    bytes: withBin('bin', { files: { 'bin/a.js': BODY } }),
  },
  {
    code: 'BIN_TARGET_LINK',
    path: at('/bin/good-cli'),
    defect: 'a link',
    bytes: withBin('run.js', { extra: [{ name: 'package/run.js', type: '2', linkName: 'cli.js' }] }),
    also: ['LINK_SYMBOLIC'],
  },
  {
    code: 'BIN_PLACEHOLDER',
    path: CLI,
    defect: 'a text that a script replaces',
    bytes: withCli('echo "not installed" >&2\nexit 1\n', {
      fields: { scripts: { postinstall: 'node lib.js' } },
    }),
    also: ['INSTALL_SCRIPT'],
  },
  ...STARTS.map(
    ([code, defect, content]): BrokenInput => ({
      code,
      path: CLI,
      defect,
      bytes: withCli(Buffer.from(content, 'utf8')),
    }),
  ),
  {
    code: 'BIN_NOT_EXECUTABLE',
    path: CLI,
    defect: 'mode 0644',
    bytes: withCli(`#!/usr/bin/env node\n${BODY}`, { mode: 0o644 }),
  },
  {
    code: 'BIN_READ_ONLY',
    path: CLI,
    defect: 'mode 0555',
    bytes: withCli(`#!/usr/bin/env node\n${BODY}`, { mode: 0o555 }),
  },
];

/** Packages that look odd and are good: they must give nothing. */
export const GOOD_MANIFESTS: readonly {
  readonly title: string;
  readonly bytes: Buffer;
  readonly options?: AuditOptions;
}[] = [
  { title: 'bin as text', bytes: withBin('cli.js') },
  {
    title: 'a scoped name with bin as text',
    bytes: changed({ name: '@scope/good-cli', bin: 'cli.js', exports: undefined }),
  },
  {
    title: 'the folder of commands',
    bytes: changed(
      { bin: undefined, directories: { bin: 'bin' } },
      { files: { 'bin/run': `#!/usr/bin/env node\n${BODY}` } },
    ),
  },
  { title: 'env -S with an option', bytes: withCli(`#!/usr/bin/env -S node --no-warnings\n${BODY}`) },
  {
    title: 'usual dependencies',
    bytes: changed({
      dependencies: {
        a: '^1.0.0',
        b: '~2.1',
        c: '1.x || >=2.5.0 <4',
        d: 'npm:@scope/other@^3.0.0',
        e: '1.2.3',
      },
      peerDependencies: { f: '*', g: '>=1' },
      devDependencies: { h: 'workspace:*' },
    }),
  },
  {
    title: 'a bundled dependency that is there',
    bytes: changed(
      { dependencies: { zz: '^1.0.0' }, bundleDependencies: ['zz'] },
      { files: { 'node_modules/zz/package.json': '{}' } },
    ),
  },
  {
    title: 'patterns, fallbacks and blocked subpaths of exports',
    bytes: changed(
      {
        exports: {
          '.': { types: './lib.d.ts', default: './lib.js' },
          './parts/*': './parts/*.js',
          './private/*': null,
          './list': ['./lib.js'],
        },
      },
      { files: { 'lib.d.ts': 'export {};\n', 'parts/a/b.js': BODY } },
    ),
  },
  {
    title: 'the expected identity, with another spelling of the repository',
    bytes: changed({}),
    options: {
      expected: {
        name: 'good-cli',
        version: '1.2.3',
        repository: 'git+ssh://git@github.com/example/good-cli.git',
      },
      nodeVersions: ['18.20.0', '22.14.0'],
    },
  },
  {
    title: 'binding.gyp switched off',
    bytes: changed({ gypfile: false }, { files: { 'binding.gyp': '{}' } }),
  },
  { title: 'a main without extension', bytes: changed({ exports: undefined, main: './lib' }) },
  { title: 'a build in the version', bytes: changed({ version: '1.2.3+build.7' }) },
];
