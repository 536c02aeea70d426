import assert from 'node:assert/strict';
import { appendFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { sha256Hex } from '../document/digest.ts';
import { reseal } from '../evidence/testing/forge.ts';
import type { ReplayDocument } from '../replay/replay-document.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { packFault } from './testing/candidates.ts';
import { writeComparedSuite } from './testing/compared-suite.ts';
import { parseStdout, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { requireDocker, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];

describe('replay of real evidence', () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.open();
    const programs = {
      same: "console.log('same');",
      random: "import { randomUUID } from 'node:crypto'; console.log('id', randomUUID());",
      caches:
        "import { mkdtempSync } from 'node:fs'; mkdtempSync('/tmp/cache-'); mkdtempSync('/tmp/other-');",
    };
    await bench.writeFile('candidate.tgz', packFault(programPackage('candidate', programs)));
    const random = binCase('random', 'random');
    const of = { caseId: null, step: 'run', stream: 'stdout' } as const;
    const [check] = random.checks;
    assert.ok(check !== undefined);
    const stated = {
      ...check,
      id: 'stated',
      expect: { kind: 'stream-equals', of, contentBase64: '' },
    } as const;
    assert.equal((await bench.run(['keygen', '--out', 'key'])).exitCode, 0);
    const stdout = { kind: 'stream', step: 'run', stream: 'stdout' } as const;
    const volatile = (id: string, pattern: string, checks = [stated]): CompiledCase => ({
      ...random,
      id,
      checks,
      volatile: [{ ...stdout, pattern, why: 'an id of its own' }],
    });
    const files = { kind: 'files', path: '/tmp', why: 'a cache' } as const;
    const suites = {
      drift: [binCase('same', 'same'), random],
      stated: [
        { ...random, checks: [stated] },
        volatile('cut', '[0-9a-f-]{36}'),
        volatile('cut-elsewhere', '^id '),
        volatile('cut-whole', '(?s).+'),
        { ...random, id: 'all', volatile: [{ ...stdout, pattern: null, why: 'an id of its own' }] },
        { ...binCase('cache', 'caches'), volatile: [files] },
        binCase('cache-unsaid', 'caches'),
      ],
      exec: [{ ...binCase('same', 'same'), exec: true }],
    };
    await writeComparedSuite(bench, 'same');
    for (const [name, cases] of Object.entries(suites)) {
      await bench.writeFile(`${name}.json`, suiteBytes(cases));
      const suite = ['--suite', `${name}.json`, ...(name === 'exec' ? [] : ['compared.yaml'])];
      const args = ['check', 'candidate.tgz', ...suite, '--out', name, '--node', '22', ...RUNC];
      const answer = await bench.run(name === 'drift' ? [...args, '--sign', 'key'] : args);
      assert.equal(answer.exitCode, name === 'stated' ? 1 : 0, answer.stderr);
      assert.match(answer.stdout, name === 'drift' ? /signed by [0-9a-f]{64}\)/ : /, unsigned\)/);
    }
  });

  after(() => bench.close());

  it('is equivalent when bytes differ that no check states, and says where', async () => {
    const kept = ['--document', 'replay.json', '--sign', 'key'];
    const answer = await bench.run(['replay', 'drift', '--json', '--out', 'again', ...kept, ...RUNC]);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const document = parseStdout<ReplayDocument>(answer);
    assert.deepEqual(
      [document.result, document.counts],
      ['equivalent', { identical: 2, equivalent: 1, different: 0 }],
    );
    const [first] = document.cases.flatMap(({ differences }) => differences);
    assert.deepEqual(
      [first?.kind, first?.where, first?.bytes?.offset],
      ['stream', 'run stdout', 'id '.length],
    );
    assert.equal((await bench.run(['verify', 'again'])).exitCode, 0);
  });

  it('gives a document that an auditor signs and a verifier asks for', async () => {
    const require = ['--require', 'replayed-by=key.pub'];
    const good = await bench.run(['verify', 'drift', '--replay', 'replay.json', ...require]);
    assert.equal(good.exitCode, 0, good.stdout);
    assert.equal((await bench.run(['keygen', '--out', 'other'])).exitCode, 0);
    const codes = async (...args: readonly string[]): Promise<readonly string[]> => {
      const answer = await bench.run(['verify', '--json', ...args]);
      assert.equal(answer.exitCode, 4, answer.stderr);
      const { findings } = parseStdout<{ readonly findings: readonly { readonly code: string }[] }>(answer);
      return findings.map(({ code }) => code);
    };
    assert.deepEqual(await codes('drift', ...require), ['REPLAY_MISSING']);
    const other = ['--replay', 'replay.json', '--require', 'replayed-by=other.pub'];
    assert.deepEqual(await codes('drift', ...other), ['REPLAY_SIGNATURE']);
    assert.deepEqual(await codes('stated', '--replay', 'replay.json', ...require), ['REPLAY_OTHER_BUNDLE']);
    const again = await bench.run(['replay', 'drift', '--document', 'replay.json', ...RUNC]);
    assert.deepEqual([again.exitCode, /DOCUMENT_EXISTS/.test(again.stderr)], [2, true]);
    const nowhere = await bench.run(['replay', 'drift', '--sign', 'key', ...RUNC]);
    assert.deepEqual([nowhere.exitCode, /FLAG_MISSING/.test(nowhere.stderr)], [2, true]);
  });

  it('is different, exit code 1, when they are stated and no statement says that they may differ', async () => {
    // On the other engine, where references must have come to the same: the excluded one too.
    const env = { DOCKER_HOST: requireDocker() };
    const answer = await bench.run(['replay', 'stated', '--json', '--engine', 'docker'], { env });
    assert.equal(answer.exitCode, 1, answer.stderr);
    const { references } = readReport(join(bench.work, 'stated'));
    assert.equal(references.observed, 1);
    assert.deepEqual(
      references.excluded.map(({ step, termination }) => [step, termination]),
      [['foreign', { kind: 'not-started', errno: 'ENOEXEC' }]],
    );
    const document = parseStdout<ReplayDocument>(answer);
    assert.equal(document.result, 'different');
    const told = document.cases.map(({ id, result, differences }) => {
      const seen = differences.map(({ kind, decisive, volatile }) => [kind, decisive, volatile]);
      return [id.replace(/@.*/, ''), result, ...seen];
    });
    const own = 'an id of its own';
    // What is volatile is equivalent at best; what a statement leaves uncut, or cuts wholly, is what it was without.
    assert.deepEqual(told.sort(), [
      ['all', 'equivalent', ['stream', false, own]],
      ['cache', 'equivalent', ['files', false, 'a cache']],
      ['cache-unsaid', 'equivalent', ['files', false, null]],
      ['compared', 'identical'],
      ['cut', 'equivalent', ['stream', false, own]],
      ['cut-elsewhere', 'different', ['stream', true, null]],
      ['cut-whole', 'different', ['stream', true, null]],
      ['random', 'different', ['stream', true, null]],
    ]);
    assert.deepEqual(document.counts, { identical: 1, equivalent: 4, different: 3 });
  });

  it('lets a case execute what it wrote only when asked to', async () => {
    const refused = await bench.run(['replay', 'exec', ...RUNC]);
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /--allow-exec/);
    assert.equal((await bench.run(['replay', 'exec', '--allow-exec', '--quiet', ...RUNC])).exitCode, 0);
  });

  it('was given evidence that check signed', async () => {
    assert.ok((await readdir(join(bench.work, 'drift'))).includes('statement.dsse.json'));
    assert.ok(!(await readdir(join(bench.work, 'again'))).includes('statement.dsse.json'));
  });

  it('starts nothing for evidence that the verifier rejects', async () => {
    await cp(join(bench.work, 'drift'), join(bench.work, 'broken'), { recursive: true });
    const report = join(bench.work, 'broken', 'report.json');
    await writeFile(report, (await readFile(report, 'utf8')).replace('"runc"', '"rund"'));
    const answer = await bench.run(['replay', 'broken', '--out', 'never', ...RUNC]);
    assert.equal(answer.exitCode, 4, answer.stderr);
    assert.ok(!(await readdir(bench.work)).includes('never'));
  });

  it('can be built again, layer by layer, by the verifier from the archives alone', async () => {
    const given = await giveArchives(bench, 'drift', 'given');
    const whole = await verifyWith(bench, 'drift', given);
    assert.deepEqual([whole.findings, whole.unchecked.filter(isOfLayers)], [[], []]);
    await rm(join(given, 'base-0'));
    await rm(join(given, 'holder.pl'));
    // Bytes that are not the pinned ones are no archive of this evidence, whatever their size.
    await truncate(join(given, 'suite-1'), 100);
    await appendFile(join(given, 'suite-0'), 'x');
    const lacking = await verifyWith(bench, 'drift', given);
    assert.deepEqual(lacking.findings, []);
    assert.match(lacking.unchecked.join('\n'), /could not be read: .*, foreign, tool\n/);
    assert.match(lacking.unchecked.join('\n'), /archives layer .* no bytes of opt\/archives\/foreign, /);
    assert.match(
      lacking.unchecked.filter(isOfLayers).join('\n'),
      /could not be read: .+\n.*base layer.*holder\.pl/,
    );
    const none = await verifyWith(bench, 'drift', await bench.makeFolder('none-given'));
    assert.deepEqual(none.findings, ['ARCHIVES_NONE --archives']);
  });

  it('is rejected when a file or a layer is not what the archives give, all digests recomputed', async () => {
    const given = await giveArchives(bench, 'drift', 'given-again');
    const root = join(bench.work, 'relaid');
    await cp(join(bench.work, 'drift'), root, { recursive: true });
    await rm(join(root, 'statement.dsse.json'));
    await rm(join(root, 'statement-boundary.dsse.json'));
    await rm(join(root, 'statement-image.dsse.json'));
    const inventory = join(root, 'image', 'inventory.ndjson');
    const forgeLine = async (path: string): Promise<void> => {
      const line = new RegExp(`("path":"${path}","sha256":")[0-9a-f]{64}`);
      const text = await readFile(inventory, 'utf8');
      assert.match(text, line);
      await writeFile(inventory, text.replace(line, `$1${'0'.repeat(64)}`));
    };
    await forgeLine('usr/bin/env');
    await replaceEverywhere(root, await diffIdOf(root, 1), 'f'.repeat(64));
    await replaceEverywhere(root, await diffIdOf(root, 2), 'e'.repeat(64));
    await reseal(root);
    assert.deepEqual((await verifyWith(bench, 'relaid', given)).findings, [
      'ARCHIVE_FILE image/inventory.ndjson usr/bin/env',
      'LAYER_DIGEST image/config.json diff_ids[1]',
      'LAYER_DIGEST image/config.json diff_ids[2]',
    ]);
    // Of the program that ran its record would tell.
    await forgeLine('opt/archives/tool/package.json');
    await reseal(root);
    // Of bytes that no archive has no layer can be built.
    assert.deepEqual((await verifyWith(bench, 'relaid', given)).findings, [
      'ARCHIVE_FILE image/inventory.ndjson usr/bin/env',
      'ARCHIVE_FILE image/inventory.ndjson opt/archives/tool/package.json',
      'LAYER_DIGEST image/config.json diff_ids[1]',
    ]);
    // Without the archives it contradicts nothing; a replay demands the identity all the same.
    const replay = await bench.run(['replay', 'relaid', '--out', 'unlike', ...RUNC]);
    assert.deepEqual([replay.exitCode, /IDENTITY_DIFFERS/.test(replay.stderr)], [3, true], replay.stderr);
    assert.ok(!(await readdir(bench.work)).includes('unlike'));
  });

  it('leaves nothing behind', async () => {
    assert.deepEqual(await findLeftovers(bench), []);
  });
});

function isOfLayers(words: string): boolean {
  return /layer|archives/.test(words);
}

async function verifyWith(
  bench: Workbench,
  evidence: string,
  archives: string,
): Promise<{ readonly findings: readonly string[]; readonly unchecked: readonly string[] }> {
  const answer = await bench.run(['verify', evidence, '--json', '--archives', archives]);
  const verdict = parseStdout<{
    readonly findings: readonly { readonly code: string; readonly path: string }[];
    readonly unchecked: readonly string[];
  }>(answer);
  return { ...verdict, findings: verdict.findings.map(({ code, path }) => `${code} ${path}`) };
}

/** The archives of evidence under names that mean nothing, and packproof's own programs, in a folder. */
async function giveArchives(bench: Workbench, evidence: string, name: string): Promise<string> {
  const given = await bench.makeFolder(name);
  const manifest: { readonly archives: readonly { readonly role: string; readonly sha256: string }[] } =
    JSON.parse(await readFile(join(bench.work, evidence, 'inputs', 'manifest.json'), 'utf8'));
  const counts = new Map<string, number>();
  for (const { role, sha256 } of manifest.archives) {
    const index = counts.get(role) ?? 0;
    counts.set(role, index + 1);
    const stored = join(bench.cacheHome, 'packproof', 'archives', 'sha256', sha256);
    if (role !== 'candidate') await cp(stored, join(given, `${role}-${index}`));
  }
  for (const program of ['harness/engine/holder/holder.pl', 'harness/boundary/probe.pl']) {
    await cp(join(packageRoot(), program), join(given, basename(program)));
  }
  return given;
}

async function diffIdOf(root: string, layer: number): Promise<string> {
  const readback: { readonly diffIds: readonly string[] } = JSON.parse(
    await readFile(join(root, 'image', 'readback.json'), 'utf8'),
  );
  return readback.diffIds[layer] ?? '';
}

/** One digest for another in every document that names an image, and then the config's own in turn. */
async function replaceEverywhere(root: string, before: string, after: string): Promise<void> {
  const config = join(root, 'image', 'config.json');
  const documents = [join('image', 'readback.json'), 'statement-image.json', 'statement-boundary.json'];
  const old = sha256Hex(await readFile(config));
  await writeFile(config, (await readFile(config, 'utf8')).replace(before, after));
  const fresh = sha256Hex(await readFile(config));
  for (const path of documents.map((document) => join(root, document))) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(before, after).replaceAll(old, fresh));
  }
}
