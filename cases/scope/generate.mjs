#!/usr/bin/env node
/**
 * Writes the suite of `packproof scope` in the form that run and verify read.
 *
 *   npm run build && node cases/scope/generate.mjs FILE
 *
 * The cases are written in harness/cli/testing/scope-cases; two of them hold a file of a mebibyte, so the
 * result is made on demand instead of kept.
 */
import { writeFile } from 'node:fs/promises';
import { buildScopeSuite } from '../../dist/harness/cli/testing/scope-cases/suite.js';
import { toCanonicalBytes } from '../../dist/harness/document/canonical.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: generate.mjs FILE');
const suite = buildScopeSuite();
await writeFile(file, toCanonicalBytes(suite));
console.error(`${suite.cases.length} cases, ${suite.cases.flatMap(({ checks }) => checks).length} checks`);
