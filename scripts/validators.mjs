// Compiles every schema of evidence-schema/ to one module of plain functions, so that whoever validates needs
// no schema compiler at run time. Skipped while the schemas are the same.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const FOLDER = 'evidence-schema';
const TARGET = 'dist/evidence-schema/validators.js';

const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.schema.json')).sort();
const schemas = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name)))));
const stamp = `// schemas ${createHash('sha256').update(JSON.stringify(schemas)).digest('hex')}\n`;
const before = await readFile(TARGET, 'utf8').catch(() => '');
if (!before.startsWith(stamp)) await compile();

async function compile() {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  });
  for (const [index, schema] of schemas.entries()) ajv.addSchema(schema, names[index]);
  const refs = Object.fromEntries(names.map((name) => [toName(name), name]));
  await mkdir(dirname(TARGET), { recursive: true });
  const { outputFiles } = await build({
    stdin: { contents: standaloneCode.default(ajv, refs), resolveDir: '.', loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    legalComments: 'none',
    write: false,
  });
  await writeFile(TARGET, stamp + (outputFiles[0]?.text ?? ''));
}

/** `files-line.schema.json` → `files_line`: the name of an export. */
function toName(file) {
  return file.replace('.schema.json', '').replaceAll('-', '_');
}
