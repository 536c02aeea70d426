import type { BrokenInput } from './broken-input.ts';
import { buildGoodPackage, GOOD_MANIFEST, type PackagePlan } from './package-builder.ts';

const ESM = '#!/usr/bin/env node\n';

/** The good package whose command is this ES module. */
function esm(body: string, changes: PackagePlan = {}): Buffer {
  return buildGoodPackage({ ...changes, files: { 'cli.js': ESM + body, ...changes.files } });
}

/** The good package as CommonJS, whose command is this script. */
function cjs(body: string, changes: PackagePlan = {}): Buffer {
  const manifest = { ...GOOD_MANIFEST, type: 'commonjs', exports: undefined };
  const files = { 'cli.js': ESM + body, 'lib.js': 'exports.a = 1;\n', ...changes.files };
  return buildGoodPackage({ manifest, ...changes, files });
}

const CLI = 'package/cli.js';
const HASHES = { ...GOOD_MANIFEST, imports: { '#known': './lib.js' } };

/** Faults of what commands load. */
export const BROKEN_IMPORTS: readonly BrokenInput[] = [
  {
    code: 'IMPORT_MISSING',
    path: CLI,
    defect: 'an import of nothing',
    bytes: esm("import './chunk-a.js';\n"),
  },
  {
    code: 'IMPORT_MISSING',
    path: CLI,
    defect: 'a re-export of nothing',
    bytes: esm("export * from './a.js';\n"),
  },
  {
    code: 'IMPORT_MISSING',
    path: CLI,
    defect: 'a require of nothing',
    bytes: cjs("const a = require('./dist/m');\n"),
  },
  {
    code: 'IMPORT_MISSING',
    path: CLI,
    defect: 'an awaited import of nothing',
    bytes: esm("await import('./a.js');\n"),
  },
  {
    code: 'IMPORT_MISSING',
    path: 'package/lib.js',
    defect: 'a missing file two steps away',
    bytes: esm("import './lib.js';\n", { files: { 'lib.js': "import './gone.js';\n" } }),
  },
  {
    code: 'IMPORT_MISSING',
    path: 'package/lib.js',
    defect: 'a missing file behind a name of imports',
    bytes: esm("import '#known';\n", { manifest: HASHES, files: { 'lib.js': "import './gone.js';\n" } }),
  },
  {
    code: 'IMPORT_MISSING_LAZY',
    path: CLI,
    defect: 'an import inside a branch',
    bytes: esm("if (process.argv[2]) { await import('./chunk.js'); }\n"),
  },
  {
    code: 'IMPORT_MISSING_LAZY',
    path: CLI,
    defect: 'a require inside a function',
    bytes: cjs("function a() { return require('./gone'); }\n"),
  },
  {
    code: 'IMPORT_MISSING_LAZY',
    path: CLI,
    defect: 'a require behind a condition',
    bytes: cjs("const a = process.argv[2] ? require('./gone') : null;\n"),
  },
  {
    code: 'IMPORT_MISSING_LAZY',
    path: CLI,
    defect: 'a require of a file that a loader would take',
    bytes: cjs("require('./source');\n", { files: { 'source.ts': 'export {};\n' } }),
  },
  {
    code: 'IMPORT_MISSING_GUARDED',
    path: CLI,
    defect: 'a require in a try block',
    bytes: cjs("try { require('./gone'); } catch {}\n"),
  },
  {
    code: 'IMPORT_MISSING_GUARDED',
    path: CLI,
    defect: 'an import with a catch',
    bytes: esm("import('./gone.js').catch(() => {});\n"),
  },
  {
    code: 'IMPORT_CASE',
    path: CLI,
    defect: 'Util.js for util.js',
    bytes: esm("import './Util.js';\n", { files: { 'util.js': '' } }),
  },
  {
    code: 'IMPORT_CASE',
    path: CLI,
    defect: 'a require of ./Util for util.js',
    bytes: cjs("require('./Util');\n", { files: { 'util.js': '' } }),
  },
  {
    code: 'IMPORT_CASE_LAZY',
    path: CLI,
    defect: 'Util.js for util.js in a function',
    bytes: esm("const a = () => import('./Util.js');\n", { files: { 'util.js': '' } }),
  },
  { code: 'IMPORT_NOT_EXACT', path: CLI, defect: 'no extension', bytes: esm("import './lib';\n") },
  {
    code: 'IMPORT_NOT_EXACT',
    path: CLI,
    defect: 'a folder',
    bytes: esm("import './parts';\n", { files: { 'parts/index.js': '' } }),
  },
  {
    code: 'IMPORT_NOT_EXACT_LAZY',
    path: CLI,
    defect: 'no extension in a function',
    bytes: esm("const a = () => import('./lib');\n"),
  },
  {
    code: 'IMPORT_OUTSIDE',
    path: CLI,
    defect: 'a sibling of the package',
    bytes: esm("import '../other/a.js';\n"),
  },
  {
    code: 'IMPORT_NOT_EXPORTED',
    path: CLI,
    defect: 'a path of its own that exports hides',
    bytes: esm("import 'good-cli/cli.js';\n"),
  },
  {
    code: 'IMPORT_HASH_UNKNOWN',
    path: CLI,
    defect: 'a name that imports does not know',
    bytes: esm("import '#other';\n", { manifest: HASHES }),
  },
  {
    code: 'IMPORT_UNDECLARED',
    path: CLI,
    defect: 'a package nobody declared',
    bytes: esm("import 'semver';\n"),
  },
  {
    code: 'IMPORT_UNDECLARED_LAZY',
    path: CLI,
    defect: 'a package nobody declared, in a branch',
    bytes: esm("if (process.argv[2]) await import('@scope/a/b');\n"),
  },
  {
    code: 'IMPORT_DEV_ONLY',
    path: CLI,
    defect: 'a development dependency',
    bytes: esm("import 'semver';\n", {
      manifest: { ...GOOD_MANIFEST, devDependencies: { semver: '^7.0.0' } },
    }),
  },
  {
    code: 'MODULE_ESM_IN_CJS',
    path: CLI,
    defect: 'an import statement in CommonJS',
    bytes: cjs("import fs from 'node:fs';\nfs.readFileSync('a');\n"),
  },
  {
    code: 'MODULE_CJS_IN_ESM',
    path: CLI,
    defect: 'a require in an ES module',
    bytes: esm("const fs = require('node:fs');\n"),
  },
  { code: 'MODULE_CJS_IN_ESM', path: CLI, defect: '__dirname', bytes: esm('console.log(__dirname);\n') },
  {
    code: 'MODULE_SYNTAX_DETECTED',
    path: CLI,
    defect: 'an import statement without type',
    bytes: esm("import fs from 'node:fs';\n", {
      manifest: { ...GOOD_MANIFEST, type: undefined, exports: undefined },
    }),
  },
  {
    code: 'MODULE_NOT_SCANNED',
    path: CLI,
    defect: 'a script above the limit',
    bytes: esm("import './gone.js';\n"),
    options: { limits: { scanFileBytes: 20 } },
  },
  {
    code: 'MODULE_NOT_SCANNED',
    path: 'package/lib.js',
    defect: 'a second script after too many loads',
    bytes: esm("import './lib.js';\nimport './lib.js';\n"),
    options: { limits: { scanLoads: 1 } },
  },
  {
    code: 'MODULE_NOT_SCANNED',
    path: CLI,
    defect: 'a bracket that does not close',
    bytes: esm("import './lib.js';\nfoo((1);\n"),
  },
];

/** Commands that load what is there, or nothing that counts. */
export const GOOD_IMPORTS: readonly { readonly title: string; readonly bytes: Buffer }[] = [
  {
    title: 'names in comments, strings, templates and patterns',
    bytes: esm(
      "// import './a.js'\n/* require('./b') */\nconst a = \"import './c.js'\";\n" +
        "const b = `import './d.js' $" +
        "{`require('./e')`}`;\nconst c = /import '.\\/f.js'/;\n",
    ),
  },
  {
    title: 'builtins, with and without prefix',
    bytes: esm("import 'fs/promises';\nimport 'node:sqlite';\n"),
  },
  {
    title: 'its own name',
    bytes: esm("import 'good-cli';\nimport 'good-cli/package.json' with { type: 'json' };\n"),
  },
  { title: 'a name of imports', bytes: esm("import '#known';\n", { manifest: HASHES }) },
  {
    title: 'a declared package, an optional peer and a bundled one',
    bytes: esm("import 'a';\nimport 'b/c';\nimport '@d/e/f';\n", {
      manifest: {
        ...GOOD_MANIFEST,
        dependencies: { a: '^1.0.0', '@d/e': '^1.0.0' },
        peerDependencies: { b: '*' },
        bundleDependencies: ['@d/e'],
      },
      files: { 'node_modules/@d/e/package.json': '{}' },
    }),
  },
  {
    title: 'CommonJS ways to name a file',
    bytes: cjs(
      "require('./lib');\nrequire('./folder');\nrequire('./with-main');\nrequire('./');\nrequire('./data');\n",
      {
        files: {
          'index.js': '',
          'folder/index.js': '',
          'with-main/package.json': '{"main":"lib/start"}',
          'with-main/lib/start.js': '',
          'data.json': '{}',
        },
      },
    ),
  },
  {
    title: 'a pattern of imports, the longest one',
    bytes: esm("import '#a/b.js';\n", {
      manifest: { ...GOOD_MANIFEST, imports: { '#*': './gone/*', '#a/*': ['./parts/*'] } },
      files: { 'parts/b.js': "import '../lib.js';\n" },
    }),
  },
  {
    title: 'createRequire',
    bytes: esm(
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nrequire('./lib.js');\n",
    ),
  },
  {
    title: 'a query and an escaped space',
    bytes: esm("import './lib.js?a';\nimport './a%20b.js';\n", { files: { 'a b.js': '' } }),
  },
  {
    title: 'a require that is a parameter',
    bytes: cjs("(function (require, module) { require('./gone'); })(function () {});\n"),
  },
  {
    title: 'an ES module loaded from CommonJS',
    bytes: cjs("import('./lib.mjs');\n", { files: { 'lib.mjs': 'export {};\n' } }),
  },
];
