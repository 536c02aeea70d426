import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packageRoot } from '../../../document/assets.ts';
import { file } from '../../../suite/testing/fault-package.ts';
import { packFault } from '../candidates.ts';
import { type Patch, type Twin, UNBROKEN } from './twins.ts';

/** The archive of a package with one bin for each twin, and one that is built alike with nothing broken. */
export async function packTwins(twins: readonly Twin[]): Promise<Buffer> {
  const bins = [{ rule: UNBROKEN, patches: [] }, ...twins];
  const programs = await Promise.all(
    bins.map(async ({ rule, patches }) => file(`bin/${rule}.js`, await bundleTwin(patches), 0o755)),
  );
  return packFault({
    manifest: {
      name: 'packproof-scope-twins',
      version: '1.0.0',
      type: 'module',
      license: 'Apache-2.0',
      bin: Object.fromEntries(bins.map(({ rule }) => [rule, `bin/${rule}.js`])),
    },
    // The command knows the top of its package by these two files.
    files: [...programs, file('docker/seccomp.json', '{}\n')],
  });
}

const BANNER =
  "#!/usr/bin/env node\nimport { createRequire as twinRequire } from 'node:module'; const require = twinRequire(import.meta.url);";

async function bundleTwin(patches: readonly Patch[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot(), 'dist/harness/cli/main.js')],
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'silent',
    absWorkingDir: packageRoot(),
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: BANNER },
    plugins: [onlyScope, applying(patches)],
  });
  const [program] = outputFiles;
  if (program === undefined) throw new Error('twin: expected a program');
  return program.text;
}

/** The other commands would be most of the program, and no twin uses them. */
const onlyScope: Plugin = {
  name: 'only-scope',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\// }, ({ kind, importer, path }) =>
      kind === 'dynamic-import' && importer.endsWith('/program.js') && path !== './scope.js'
        ? { path, namespace: 'left-out' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export {};' }));
  },
};

function applying(patches: readonly Patch[]): Plugin {
  return {
    name: 'applying',
    setup({ onLoad }) {
      onLoad({ filter: /\/dist\/harness\/.*\.js$/ }, ({ path }) => {
        const own = patches.filter((patch) => path.endsWith(`/dist/harness/${patch.file}`));
        return own.length === 0 ? undefined : { contents: own.reduce(apply, readFileSync(path, 'utf8')) };
      });
    },
  };
}

function apply(text: string, { file: name, find, replace }: Patch): string {
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${name}: expected the text once, found it ${places} times: ${find}`);
  return text.replace(find, () => replace);
}
