#!/usr/bin/env node
/**
 * Writes the suite of `packproof scope` in the form that run and verify read.
 *
 *   npm run build && node cases/scope/generate.mjs FILE [--native CLIENT=PROGRAM …] [--managed ROOT]
 *
 * CLIENT is claude-code or vscode, and PROGRAM where it is in the base that the suite will run in; without it its
 * case is excluded. ROOT is a folder that becomes such a base: the managed files are written below it, and their
 * case is not excluded.
 *
 * The cases are written in harness/cli/testing/scope-cases; some of them hold a file of a mebibyte, so the
 * result is made on demand instead of kept.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { MANAGED_FILES } from '../../dist/harness/cli/testing/scope-cases/managed-case.js';
import { buildScopeSuite } from '../../dist/harness/cli/testing/scope-cases/suite.js';
import { toCanonicalBytes } from '../../dist/harness/document/canonical.js';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { native: { type: 'string', multiple: true, default: [] }, managed: { type: 'string' } },
});
const [file] = positionals;
if (file === undefined)
  throw new Error('usage: generate.mjs FILE [--native CLIENT=PROGRAM] [--managed ROOT]');
const suite = buildScopeSuite({
  natives: Object.fromEntries(values.native.map((text) => text.split('='))),
  managedFiles: values.managed !== undefined,
});
if (values.managed !== undefined) {
  for (const [path, text] of Object.entries(MANAGED_FILES)) {
    await mkdir(dirname(join(values.managed, path)), { recursive: true });
    await writeFile(join(values.managed, path), text);
  }
}
await writeFile(file, toCanonicalBytes(suite));
console.error(`${suite.cases.length} cases, ${suite.cases.flatMap(({ checks }) => checks).length} checks`);
