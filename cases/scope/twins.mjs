#!/usr/bin/env node
/**
 * Packs the broken twins and writes the suite that catches them, for a run in the boundary.
 *
 *   npm run build && node cases/scope/twins.mjs FOLDER
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packTwins } from '../../dist/harness/cli/testing/scope-cases/twin-package.js';
import { buildTwinSuite, readTwins } from '../../dist/harness/cli/testing/scope-cases/twins.js';
import { toCanonicalBytes } from '../../dist/harness/document/canonical.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: twins.mjs FOLDER');
const twins = readTwins();
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'twins.tgz'), await packTwins(twins));
await writeFile(join(folder, 'twins.json'), toCanonicalBytes(buildTwinSuite(twins)));
console.error(`${twins.length} twins`);
