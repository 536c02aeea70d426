#!/usr/bin/env node
/**
 * Writes the suite of `packproof scope` in the form that run and verify read.
 *
 *   npm run build && node cases/scope/generate.mjs FILE [--native claude-code=PROGRAM] [--native vscode=PROGRAM]
 *
 * PROGRAM is where the client is in the base that the suite will run in; without it its case is excluded.
 *
 * The cases are written in harness/cli/testing/scope-cases; two of them hold a file of a mebibyte, so the
 * result is made on demand instead of kept.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildScopeSuite } from '../../dist/harness/cli/testing/scope-cases/suite.js';
import { toCanonicalBytes } from '../../dist/harness/document/canonical.js';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { native: { type: 'string', multiple: true, default: [] } },
});
const [file] = positionals;
if (file === undefined) throw new Error('usage: generate.mjs FILE [--native CLIENT=PROGRAM]');
const suite = buildScopeSuite(Object.fromEntries(values.native.map((text) => text.split('='))));
await writeFile(file, toCanonicalBytes(suite));
console.error(`${suite.cases.length} cases, ${suite.cases.flatMap(({ checks }) => checks).length} checks`);
