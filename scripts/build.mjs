#!/usr/bin/env node
// Bundles the compiled code into bin/: the packed product has no dependencies of its own, so that it
// installs offline into an empty folder and its supply chain is what was reviewed at build time.
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
await rm('bin', { recursive: true, force: true });

// dockerode can also speak ssh and BuildKit's gRPC. We speak sockets only, and neither transport may travel
// in a package whose whole code is meant to be reviewed.
const UNUSED = /^(ssh2|@grpc\/grpc-js|@grpc\/proto-loader|protobufjs)(\/|$)/;
const leaveOutUnused = {
  name: 'leave-out-unused-transports',
  setup(builder) {
    builder.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    builder.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: 'module.exports = {};',
      loader: 'js',
    }));
  },
};

// The xz reader asks for streams by a module's name; they are global. One import fewer for the file that
// strangers read.
const globalStreams = {
  name: 'global-streams',
  setup(builder) {
    builder.onResolve({ filter: /^stream\/web$/ }, ({ path }) => ({ path, namespace: 'global' }));
    builder.onLoad({ filter: /.*/, namespace: 'global' }, () => ({
      contents: 'module.exports = globalThis;',
    }));
  },
};

const shared = {
  bundle: true,
  // Its main file is UMD, whose inner requires a bundler cannot see; the same code is there as a module.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [leaveOutUnused],
  banner: {
    js: "import { createRequire as packproofCreateRequire } from 'node:module'; import { fileURLToPath as packproofFileUrl } from 'node:url'; import { dirname as packproofDirname } from 'node:path'; const require = packproofCreateRequire(import.meta.url); const __filename = packproofFileUrl(import.meta.url); const __dirname = packproofDirname(__filename);",
  },
};

const product = await build({
  ...shared,
  entryPoints: {
    'lib/main': 'harness/cli/main.ts',
    'lib/watchdog-main': 'harness/run/watchdog-main.ts',
    'lib/evaluator-main': 'harness/suite/evaluator-main.ts',
  },
  outdir: 'bin',
  splitting: true,
  chunkNames: 'lib/[name]-[hash]',
});
const verifier = await build({
  ...shared,
  banner: { js: '#!/usr/bin/env node' },
  plugins: [globalStreams],
  define: { PACKPROOF_VERSION: JSON.stringify(await ownVersion()) },
  entryPoints: { 'packproof-verify': 'harness/verify/main.ts' },
  outdir: 'bin',
});
await writeFile(
  'bin/packproof.js',
  `#!/usr/bin/env node\nif (process.argv.length === 3 && process.argv[2] === '--version') process.stdout.write('${await ownVersion()}\\n');\nelse await import('./lib/main.js');\n`,
);
for (const name of ['packproof.js', 'packproof-verify.js']) await chmod(join('bin', name), 0o755);
await writeFile('THIRD-PARTY-NOTICES.txt', await notices([product.metafile, verifier.metafile]));
await writeFile('bin/SHA256SUMS', await sums('bin'));

async function ownVersion() {
  return JSON.parse(await readFile('package.json', 'utf8')).version;
}

/** The licence text of every package whose code ended up in the bundles. */
async function notices(metafiles) {
  const folders = new Set();
  for (const metafile of metafiles) {
    for (const input of Object.keys(metafile.inputs)) {
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (match) folders.add(match[1]);
    }
  }
  const parts = [];
  for (const folder of [...folders].sort()) {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const names = (await readdir(folder)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
    const texts = await Promise.all(
      names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
    );
    parts.push(
      `${manifest.name}@${manifest.version} (${manifest.license ?? 'see below'})\n\n${texts.join('\n')}`,
    );
  }
  return `${parts.join(`\n${'-'.repeat(78)}\n\n`)}\n`;
}

async function sums(folder) {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const lines = await Promise.all(
    names.map(
      async (name) =>
        `${createHash('sha256')
          .update(await readFile(name))
          .digest('hex')}  ${name.slice(folder.length + 1)}`,
    ),
  );
  return `${lines.join('\n')}\n`;
}
