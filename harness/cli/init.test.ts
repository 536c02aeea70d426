import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../document/fault.ts';
import { compileSuite } from '../suite/language/compile-suite.ts';
import { FACTS_OF_TOOL } from '../suite/language/testing/facts-of-tool.ts';
import { UsageError, type UsageErrorCode } from './errors.ts';
import { initCommand } from './init.ts';
import { openSession } from './session.ts';
import { packFault } from './testing/candidates.ts';
import { programPackage } from './testing/suites.ts';

describe('init', () => {
  let folder = '';
  let archive = '';
  const session = openSession({ quiet: true, json: true });
  const refuses = (code: UsageErrorCode, where: string) => (error: unknown) =>
    error instanceof UsageError && error.code === code && error.where === where;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-init-'));
    archive = join(folder, 'tool.tgz');
    await writeFile(archive, packFault(programPackage('tool', { tool: '' })));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('writes a suite that compiles for the archive, once', async () => {
    const out = join(folder, 'own.yaml');
    assert.equal(await initCommand(archive, { out }, session), 0);
    const bytes = await readFile(out);
    assert.match(
      bytes.toString('utf8'),
      /^\$schema: \.\/node_modules\/packproof\/evidence-schema\/suite\.schema\.json\nformatVersion: 1\n/m,
    );
    const suite = compileSuite(bytes, { file: out, candidateFacts: FACTS_OF_TOOL });
    assert.deepEqual(
      suite.cases.map(({ id }) => id),
      ['own.tool.version', 'own.tool.unknown-option'],
    );
    await assert.rejects(initCommand(archive, { out }, session), refuses('SUITE_EXISTS', out));
    assert.deepEqual(await readFile(out), bytes);
  });

  it('says what it cannot read, and that nothing can be started', async () => {
    const out = join(folder, 'other.yaml');
    const none = join(folder, 'none.tgz');
    await assert.rejects(
      initCommand(none, { out }, session),
      (error) => error instanceof Fault && error.code === 'CANDIDATE_MISSING' && error.where === none,
    );
    const noise = join(folder, 'noise.tgz');
    await writeFile(noise, 'no archive');
    await assert.rejects(initCommand(noise, { out }, session), refuses('CANDIDATE_UNREADABLE', noise));
    const library = join(folder, 'library.tgz');
    await writeFile(library, packFault(programPackage('library', {})));
    await assert.rejects(initCommand(library, { out }, session), refuses('CANDIDATE_HAS_NO_BIN', library));
  });
});
