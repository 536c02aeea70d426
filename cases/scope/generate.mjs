#!/usr/bin/env node
/**
 * Writes the suite of `packproof scope` in the form that run and verify read.
 *
 *   npm run build && node cases/scope/generate.mjs FILE [--native CLIENT=ARCHIVE[:PROGRAM] …] [--managed ROOT]
 *
 * CLIENT is claude-code or vscode. ARCHIVE is the file of its program or a tar (.tar, .tar.gz, .tgz, .tar.xz) that
 * has it at PROGRAM; it lies in the folder of FILE or below, and is pinned as it is now. Without it the client's case
 * is excluded. ROOT is a folder that becomes a base: the managed files are written below it, and their case is not
 * excluded.
 *
 * The cases are written in harness/cli/testing/scope-cases; some of them hold a file of a mebibyte, so the
 * result is made on demand instead of kept.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
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
  throw new Error('usage: generate.mjs FILE [--native CLIENT=ARCHIVE[:PROGRAM]] [--managed ROOT]');

/** An archive as it is now: gigabytes are read as a stream. */
async function pin(text) {
  const [client, place = ''] = text.split('=');
  const [archive, program = ''] = place.split(':');
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(archive)) hash.update(chunk);
  const unpack = /\.(?:tgz|tar\.gz)$/.test(archive)
    ? 'tar.gz'
    : (/\.(tar(?:\.xz)?)$/.exec(archive)?.[1] ?? 'none');
  const source = { kind: 'file', path: relative(dirname(resolve(file)), resolve(archive)) };
  const { size: sizeBytes } = await stat(archive);
  return [client, { sha256: hash.digest('hex'), sizeBytes, unpack, strip: 0, source, program }];
}

const suite = buildScopeSuite({
  natives: Object.fromEntries(await Promise.all(values.native.map(pin))),
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
