import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { packageRoot } from '../document/assets.ts';

/** All that the verifier may ask of Node: no process, no network, no clock, no writing beyond its two streams. */
const BUILT_IN = ['node:crypto', 'node:fs', 'node:path', 'node:util', 'node:zlib'];
/** What the xz reader asks for by this name is global; the build puts the global in its place. */
const GLOBAL = 'stream/web';
const PACKAGES = /^node_modules\/(re2js|xz-decompress)\//;

test('the closure of the verifier is its own folder, a pattern engine, an xz reader and five modules of Node', async (context) => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: packageRoot(),
    entryPoints: ['harness/verify/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  const foreign = inputs.filter((path) => !path.startsWith('harness/verify/') && !PACKAGES.test(path));
  assert.deepEqual(foreign, []);
  const asked = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  assert.deepEqual([...new Set(asked)].sort(), [...BUILT_IN, GLOBAL]);
  const built = await readFile(join(packageRoot(), 'bin', 'packproof-verify.js'), 'utf8');
  const named = [...built.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, path]) => path);
  assert.deepEqual([...new Set(named)].sort(), BUILT_IN);
  assert.doesNotMatch(built, /\brequire\("(?!\.)/);
  for (const path of inputs) context.diagnostic(path);
  const text = outputFiles[0]?.text ?? '';
  const words = [
    'writeFileSync',
    'appendFileSync',
    'mkdirSync',
    'rmSync',
    'unlinkSync',
    'fetch(',
    'Date.now',
    'new Date(',
  ];
  assert.deepEqual(
    words.filter((word) => text.includes(word)),
    [],
  );
});
