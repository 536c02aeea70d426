import { answering, answeringCommonJs, type FaultPackage, faultPackage, file } from './fault-package.ts';
import { serving } from './mcp-faults.ts';

function good(
  name: string,
  what: string,
  parts: Omit<Parameters<typeof faultPackage>[1], 'fault' | 'oracles'>,
) {
  return faultPackage(name, { fault: `none: ${what}`, oracles: [], ...parts });
}

/** Packages without a fault, of every kind and habit that must not be blamed. */
export const GOOD_PACKAGES: readonly FaultPackage[] = [
  good('g-cli', 'a command with help and version', { binClass: 'cli' }),
  good('g-cli-commonjs', 'the same in CommonJS', {
    manifest: { type: 'commonjs' },
    body: answeringCommonJs(''),
    binClass: 'cli',
  }),
  good('g-version-text', 'a version with a prefix and among other text', {
    body: answering({
      onVersion: "console.log('g-version-text/v' + own.version + ' linux-x64 node-' + process.version);",
    }),
    binClass: 'cli',
  }),
  good('g-usage-fails', 'shows usage on stderr and fails when called without arguments', {
    body: answering({ onBare: 'console.error(usage); process.exitCode = 1;' }),
    binClass: 'cli',
  }),
  good('g-crude', 'takes a file name and nothing else', {
    body: "import { readFileSync } from 'node:fs';\nprocess.stdout.write(readFileSync(process.argv[2]));\n",
    warns: ['arguments/version.available', 'arguments/answers.no-crash'],
    binClass: 'cli',
  }),
  good('g-predicate', 'says nothing and answers by its exit code', {
    body: 'process.exitCode = process.env.CI ? 0 : 1;\n',
    warns: ['arguments/version.available'],
    binClass: 'cli',
  }),
  good('g-filter', 'copies standard input and ignores its arguments', {
    body: 'process.stdin.pipe(process.stdout);\n',
    warns: ['arguments/version.available', 'arguments/help.not-empty'],
    binClass: 'reads-stdin',
  }),
  good('g-filter-json', 'parses standard input, and dies of an empty one', {
    body: "let text = '';\nfor await (const part of process.stdin) text += part;\nconsole.log(JSON.stringify(JSON.parse(text)));\n",
    warns: ['arguments/version.available'],
    binClass: 'reads-stdin',
  }),
  good('g-filter-flags', 'reads standard input unless asked for help or version', {
    body: answering({ onBare: 'process.stdin.pipe(process.stdout);' }),
    binClass: 'reads-stdin',
  }),
  good('g-missing-config', 'a configuration of the user is not there', {
    body: answering({
      onBare:
        "const { join } = await import('node:path'); await import(join(process.cwd(), 'g.config.mjs'));",
    }),
    binClass: 'cli',
  }),
  good('g-terminal', 'needs a terminal for its one use and says so', {
    body: answering({ onBare: "console.error('error: stdin is not a TTY'); process.exitCode = 1;" }),
    binClass: 'needs-terminal',
  }),
  good('g-talks-of-errors', 'its help mentions errors that others die of', {
    body: answering({
      onHelp:
        "console.log(usage); console.error('explains ERR_MODULE_NOT_FOUND, EAI_AGAIN, EROFS /opt/candidate/x, uv_os_get_passwd');",
    }),
    binClass: 'cli',
  }),
  good('g-server', 'listens until it is told to stop, whatever its arguments', {
    body: `import { createServer } from 'node:http';
const server = createServer((_, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => console.log('listening, options: none'));
process.on('SIGTERM', () => server.close());
`,
    binClass: 'server',
  }),
  good('g-mcp', 'an MCP server', {
    manifest: { keywords: ['mcp'] },
    body: serving(),
    binClass: 'mcp-server',
  }),
  good('g-mcp-directory', 'an MCP server that needs a directory', {
    manifest: { keywords: ['mcp'] },
    body: `if (process.argv[2] === undefined) { console.error('Usage: g-mcp-directory DIR'); process.exit(1); }
${serving()}`.replace(/^(if .*\n)(import .*\n)/, '$2$1'),
    warns: ['arguments/version.available'],
    binClass: 'cli',
  }),
  good('g-exports', 'entry points for import and require, types, data and a pattern', {
    manifest: {
      exports: {
        '.': { types: './index.d.ts', import: './index.js', require: './index.cjs' },
        './types': { types: './index.d.ts' },
        './data.json': './data.json',
        './features/*': './features/*.js',
        './package.json': './package.json',
      },
    },
    files: [
      file('index.js', 'export const one = 1;\n'),
      file('index.cjs', 'exports.one = 1;\n'),
      file('index.d.ts', 'export declare const one: number;\n'),
      file('data.json', '{}\n'),
      file('features/a.js', 'export const a = 1;\n'),
    ],
    binClass: 'cli',
  }),
  good('g-exports-optional', 'an entry point for an optional peer', {
    manifest: {
      exports: { '.': './index.js', './peer': './peer.js' },
      peerDependencies: { 'left-out': '*' },
      peerDependenciesMeta: { 'left-out': { optional: true } },
    },
    files: [file('index.js', 'export {};\n'), file('peer.js', "export * from 'left-out';\n")],
    warns: ['exports.1/import.runs.peer'],
    binClass: 'cli',
  }),
];
