import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanModule } from './module-scan.ts';

/** Each load as `via reach specifier`. */
function list(source: string): readonly string[] {
  return scanModule(source).uses.map(({ via, reach, specifier }) => `${via} ${reach} ${specifier}`);
}

const READ: readonly (readonly [string, string, readonly string[]])[] = [
  ['a default import', "import a from './a';", ['import always ./a']],
  ['a minified import', 'import{a as b}from"./a";import"./b"', ['import always ./a', 'import always ./b']],
  ['an import with attributes', "import a from './a' with { type: 'json' };", ['import always ./a']],
  [
    'a re-export',
    "export { a } from './a'; export * as b from './b';",
    ['import always ./a', 'import always ./b'],
  ],
  ['an export of a text', "export const from = './a'; export default './b';", []],
  [
    'a require',
    "const a = require('./a'), b = require('./b').c;",
    ['require always ./a', 'require always ./b'],
  ],
  ['a require in an argument', "run(require('./a'))", ['require always ./a']],
  ['a require in an object', "module.exports = { a: require('./a') };", ['require always ./a']],
  ['a getter', "module.exports = { get a() { return require('./a') } };", ['require sometimes ./a']],
  [
    'a branch',
    "if (a) require('./a'); else require('./b'); require('./c')",
    ['require sometimes ./a', 'require sometimes ./b', 'require always ./c'],
  ],
  [
    'a branch without semicolons',
    "if (a) b()\nvar c = require('./c')\nconst d = require('./d')",
    ['require sometimes ./c', 'require always ./d'],
  ],
  ['a branch that declares', "if (a) var b = require('./b');", ['require sometimes ./b']],
  [
    'a condition',
    "const a = b && require('./a'); const c = b ?? require('./c')",
    ['require sometimes ./a', 'require sometimes ./c'],
  ],
  [
    'an optional chain, which is no condition',
    "const a = require('./a')?.b, c = require('./c')",
    ['require always ./a', 'require always ./c'],
  ],
  [
    'a try block',
    "try { require('./a') } catch { require('./b') }",
    ['require guarded ./a', 'require sometimes ./b'],
  ],
  ['an arrow function', "const a = () => require('./a')", ['require sometimes ./a']],
  ['an import call', "import('./a'); await import(`./b`)", ['import always ./a', 'import always ./b']],
  ['an import call in a branch', "if (a) await import('./a')", ['import sometimes ./a']],
  ['an import call with a catch', "import('./a').catch(() => {})", ['import guarded ./a']],
  ['an import call with a chain', "import('./a').then((a) => a.run())", ['import sometimes ./a']],
  ['a property called import', "a.import('./a'); b.require('./b'); ({ import: './c' })", []],
  ['a computed name', "require('./a' + b); import(`./a/$" + '{b}`); require(c)', []],
  ['a quotient that looks like a pattern', "a = b / c; d = '/'; require('./a') / 2", ['require always ./a']],
  ['a pattern with a quote', "a = /['\"/]/.test(b); require('./a')", ['require always ./a']],
  ['a pattern after a condition', "if (a) /'/.test(b); require('./a')", ['require always ./a']],
  ['a pattern after a block', "{ a } /'/.test(b); require('./a')", ['require always ./a']],
  [
    'a quotient after brackets',
    "a = (b) / c; d = e[0] / f; g = {} / 1; require('./a')",
    ['require always ./a'],
  ],
  ['a postfix before a slash', "a++ / b; c = '/'; require('./a')", ['require always ./a']],
  [
    'nested templates',
    "`a #{b ? `c #{'}'} ` : {d: 1}.d} e`; require('./a')".replaceAll('#', '$'),
    ['require always ./a'],
  ],
  ['a require that is a parameter', "(function (require) { require('./a') })()", []],
  [
    'a default of a parameter',
    "function a(b = require('./a')) {}\nrequire('./b')",
    ['require sometimes ./a', 'require always ./b'],
  ],
  ['comments between', "require /* a */ ( /* b */ './a' /* c */ )", ['require always ./a']],
  ['an interpreter line', "#!/usr/bin/env node 'it`s\nrequire('./a')", ['require always ./a']],
];

describe('the scan of a script', () => {
  for (const [title, source, expected] of READ) {
    it(`reads ${title}`, () => {
      assert.equal(scanModule(source).complete, true);
      assert.deepEqual(list(source), expected);
    });
  }

  it('tells an ES module by its statements, not by its words', () => {
    for (const source of ["import './a'", 'export {}', 'export default 1', 'import.meta.url']) {
      assert.equal(scanModule(source).isEsModule, true, source);
    }
    for (const source of ["import('./a')", 'a.export = 1', '({ export: 1, import: 2 })', '// import "a"']) {
      assert.equal(scanModule(source).isEsModule, false, source);
    }
  });

  it('tells CommonJS by names that the script does not define', () => {
    for (const source of ["require('a')", 'module.exports = 1', 'exports.a = 1', 'console.log(__dirname)']) {
      assert.equal(scanModule(source).usesCommonJs, true, source);
    }
    const defined = [
      "const require = createRequire(import.meta.url); require('a')",
      'const __dirname = 1; console.log(__dirname)',
      'function f() { return __dirname }',
      "if (typeof require === 'function') a()",
    ];
    for (const source of defined) assert.equal(scanModule(source).usesCommonJs, false, source);
  });

  it('says when it lost the thread', () => {
    for (const source of ['(', ')', '{]', "'a", '`a', '`${a', "'a\nb'", '(['.repeat(20_000)]) {
      assert.equal(scanModule(source).complete, false, source.slice(0, 10));
    }
  });

  it('never throws, whatever the text', () => {
    const piece = fc.constantFrom(
      ...'(){}[]`\'"/\\*.;,=>?:&|+-$ \n#'.split(''),
      ...['import', 'export', 'from', 'require', 'if', 'try', 'function', '${', '=>', './a', 'é', '\u2028'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const source = pieces.join('');
        const { uses } = scanModule(source);
        for (const use of uses) assert.equal(source.includes(use.specifier), true);
      }),
      { numRuns: 2000 },
    );
  });

  /** Each of these takes hours when any part of the text is read again for each of its pieces. */
  const LARGE: readonly (readonly [string, string])[] = [
    ['patterns that never end', '/['.repeat(500_000)],
    ['slashes', '/ '.repeat(500_000)],
    ['import calls', 'import('.repeat(150_000)],
    ['requires of templates', 'require(`'.repeat(100_000)],
    ['open comments', '/*'.repeat(500_000)],
    ['words', 'import '.repeat(200_000)],
    ['dots', '.'.repeat(1_000_000)],
    ['templates', '`${'.repeat(300_000)],
    ['backslashes', '\\'.repeat(1_000_000)],
    ['comments after calls', `require('a')${'/**/'.repeat(10)}`.repeat(20_000)],
  ];
  for (const [title, source] of LARGE) {
    it(`reads a megabyte of ${title} in one pass`, { timeout: 60_000 }, () => {
      assert.equal(typeof scanModule(source).complete, 'boolean');
    });
  }
});
