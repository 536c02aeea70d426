import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import { changeDocument, editAt, reseal } from '../evidence/testing/forge.ts';
import type { ReplayDocument } from '../replay/replay-document.ts';
import { packFault } from './testing/candidates.ts';
import { writeComparedSuite } from './testing/compared-suite.ts';
import { assertAccepted, parseStdout, readReport, readStatement, type Verdict } from './testing/documents.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

const SHARDS = [1, 2, 3];
/** Cases of mixed kinds: what passes, fails, writes, waits, never says the same, and requires a classification. */
const KINDS = ['says', 'throws', 'reads', 'waits', 'random'];

describe('shards of one run, merged through the real program', () => {
  let bench: Workbench;
  let context = '';
  /** Folders of the shards on runc. */
  const shards = SHARDS.map((index) => `runc-${index}`);

  before(async () => {
    bench = await Workbench.open();
    const programs = {
      says: "console.log('a line');",
      throws: "throw new Error('always');",
      reads: "process.stdin.on('data', (text) => process.stdout.write(text));",
      waits: 'setTimeout(() => {}, 100);',
      random: "import { randomUUID } from 'node:crypto'; console.log(randomUUID());",
    };
    await bench.writeFile('many.tgz', packFault(programPackage('many', programs)));
    await writeComparedSuite(bench, 'says');
    context = await prepare('context', '1.0');
    for (const index of SHARDS) {
      const answer = await shard(`runc-${index}`, index, ['--engine', 'runc', '--shuffle', `seed-${index}`]);
      assert.ok(answer.exitCode === 0 || answer.exitCode === 1, answer.stderr);
    }
  });
  after(() => bench.close());

  async function prepare(name: string, why: string): Promise<string> {
    const classification = binCase('class', 'says');
    const cases = [
      { ...classification, node: [{ from: '22.0.0', below: '23.0.0' }] },
      // Opens no box anywhere, and stands in the shard that is its home.
      { ...binCase('of-later-node', 'says'), node: [{ from: '9999.0.0', below: null }] },
      ...[0, 1, 2].flatMap((turn) => KINDS.map((bin) => ({ ...binCase(`${bin}.${turn}`, bin), why }))),
      ...[0, 1, 2, 3].map((turn) => ({
        ...binCase(`needs.${turn}`, 'says'),
        requires: { classification: 'class', classes: [turn === 3 ? ('server' as const) : ('cli' as const)] },
      })),
    ];
    await bench.writeFile(`${name}.json`, suiteBytes(cases, 'many'));
    const args = [
      '--suite',
      `${name}.json`,
      'compared.yaml',
      '--out',
      name,
      '--engine',
      'runc',
      '--node',
      '22',
    ];
    const prepared = await bench.run(['prepare', 'many.tgz', ...args]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
    return name;
  }

  function shard(out: string, index: number, flags: readonly string[], from = context): Promise<Answer> {
    return bench.run(['run', from, '--out', out, '--shard', `${index}/${SHARDS.length}`, ...flags]);
  }

  /** Outcome of every execution, by the statement's lists and the counts. */
  function outcomesOf(evidence: string): unknown {
    const { predicate } = readStatement(join(bench.work, evidence));
    return JSON.parse(JSON.stringify({ ...predicate, configuration: [] }));
  }

  it('makes one bundle that says what a run of all cases says, on both engines', async () => {
    const whole = await bench.run(['run', context, '--out', 'whole', '--engine', 'runc']);
    assert.equal(whole.exitCode, 1, whole.stderr);
    const flags = ['--engine', 'docker', '--durations', 'whole'];
    const env = { DOCKER_HOST: requireDocker() };
    const balanced = SHARDS.map((index) => `docker-${index}`);
    for (const index of SHARDS) {
      const args = ['run', context, '--out', `docker-${index}`, '--shard', `${index}/3`, ...flags];
      const answer = await bench.run(args, { env });
      assert.ok(answer.exitCode === 0 || answer.exitCode === 1, answer.stderr);
    }
    for (const [name, folders] of Object.entries({ runc: shards, docker: balanced })) {
      const answer = await bench.run(['merge', ...folders, '--out', `${name}-merged`, '--json']);
      assert.equal(answer.exitCode, 0, answer.stderr);
      const verdict = await assertAccepted(bench, `${name}-merged`, 1);
      assert.deepEqual(parseStdout<Verdict>(answer).counts, verdict.counts);
      assert.deepEqual(verdict.counts, readReport(join(bench.work, 'whole')).counts);
      assert.deepEqual(outcomesOf(`${name}-merged`), outcomesOf('whole'));
      const { references } = readReport(join(bench.work, `${name}-merged`));
      assert.deepEqual(references, readReport(join(bench.work, 'whole')).references);
      assert.deepEqual([references.observed, references.excluded.length], [1, 1]);
      const report = readReport(join(bench.work, `${name}-merged/shards/2`));
      assert.equal(report.engine?.name, name);
      assert.deepEqual(
        (await readdir(join(bench.work, `${name}-merged/shards/2/boundary`))).includes('measured.json'),
        true,
      );
    }
    const splits = balanced.map(
      (folder) => readReport(join(bench.work, folder)).selection.shard?.durationsSha256,
    );
    assert.equal(new Set(splits).size, 1);
    assert.match(splits[0] ?? '', /^[0-9a-f]{64}$/);
  });

  it('replays merged evidence as the one run that it is, and opens the box of any of its cases', async () => {
    // Balanced shards of another engine: each case has to be found in its home.
    const kept = ['--document', 'replay.json', '--json', '--engine', 'runc'];
    const answer = await bench.run(['replay', 'docker-merged', ...kept]);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const document = parseStdout<ReplayDocument>(answer);
    const drifted = document.cases.filter(({ result }) => result !== 'identical').map(({ id }) => id);
    assert.deepEqual(
      drifted.map((id) => id.replace(/@.*/, '')),
      ['random.0', 'random.1', 'random.2'],
    );
    assert.equal(document.sameBoundary, true);
    assert.equal(document.cases.length, readReport(join(bench.work, 'whole')).declared);
    const verify = (evidence: string): Promise<Answer> =>
      bench.run(['verify', evidence, '--json', '--replay', 'replay.json']);
    assert.deepEqual(parseStdout<Verdict>(await verify('docker-merged')).findings, []);
    const [other] = parseStdout<Verdict>(await verify('runc-merged')).findings;
    assert.deepEqual(other?.code, 'REPLAY_OTHER_BUNDLE');
    const argv = ['/bin/sh', '-c', 'pwd; exit 7'];
    const shell = await bench.run(['shell', 'docker-merged', 'reads.2', '--engine', 'runc', '--', ...argv]);
    assert.deepEqual([shell.exitCode, shell.stdout], [1, '/work\n'], shell.stderr);
    assert.match(shell.stderr, /reads\.2 on node [0-9.]+: pass, attempt 1/);
    const unknown = await bench.run(['shell', 'docker-merged', 'reads.9', '--engine', 'runc', '--', ...argv]);
    assert.deepEqual([unknown.exitCode, /\[CASE_UNKNOWN\]/.test(unknown.stderr)], [2, true]);
  });

  it('keeps who signed each shard, and a key can be asked of all of them', async () => {
    for (const key of ['key', 'other']) await bench.run(['keygen', '--out', key]);
    const signed: string[] = [];
    for (const folder of shards) {
      signed.push(`${folder}-signed`);
      await cp(join(bench.work, folder), join(bench.work, `${folder}-signed`), { recursive: true });
      const answer = await bench.run(['sign', `${folder}-signed`, '--key', 'key']);
      assert.equal(answer.exitCode, 0, answer.stderr);
    }
    const [one = '', two = '', three = ''] = signed;
    await cp(join(bench.work, shards[2] ?? ''), join(bench.work, 'foreign'), { recursive: true });
    assert.equal((await bench.run(['sign', 'foreign', '--key', 'other'])).exitCode, 0);
    const refused = await bench.run(['merge', one, two, 'foreign', '--key', 'key.pub', '--out', 'refused']);
    assert.deepEqual([refused.exitCode, /\[SHARD_REJECTED\]/.test(refused.stderr)], [4, true]);
    assert.match(refused.stderr, /SIGNATURE_INVALID/);
    const unsigned = await bench.run(['merge', one, two, shards[2] ?? '', '--key', 'key.pub', '--out', 'no']);
    assert.deepEqual([unsigned.exitCode, /SIGNATURE_MISSING/.test(unsigned.stderr)], [4, true]);
    const all = await bench.run(['merge', one, two, three, '--key', 'key.pub', '--out', 'all-signed']);
    assert.equal(all.exitCode, 0, all.stderr);
    const mixed = await bench.run(['merge', one, two, 'foreign', '--out', 'mixed']);
    assert.equal(mixed.exitCode, 0, mixed.stderr);
    const asked = async (root: string): Promise<Verdict & { readonly unchecked: readonly string[] }> => {
      const args = ['--key', 'key.pub', '--require', 'signed', '--json'];
      return parseStdout(await bench.run(['verify', root, ...args]));
    };
    // The merged statement needs a signature of its own.
    const [bare] = (await asked('all-signed')).findings;
    assert.deepEqual([bare?.code, bare?.path], ['SIGNATURE_MISSING', 'statement.dsse.json']);
    for (const root of ['all-signed', 'mixed']) {
      assert.equal((await bench.run(['sign', root, '--key', 'key'])).exitCode, 0);
    }
    const good = await asked('all-signed');
    assert.deepEqual([good.findings, good.unchecked.filter((words) => /shards/.test(words))], [[], []]);
    const partly = await asked('mixed');
    assert.deepEqual(partly.findings, []);
    assert.match(partly.unchecked.join('\n'), /who made 1 of 3 shards/);
    const demand = ['--key', 'key.pub', '--require', 'shards-signed', '--json'];
    assert.equal((await bench.run(['verify', 'all-signed', ...demand])).exitCode, 1);
    for (const root of ['mixed', one]) {
      const { findings } = parseStdout<Verdict>(await bench.run(['verify', root, ...demand]));
      assert.deepEqual([...new Set(findings.map(({ code }) => code))], ['REQUIREMENT_UNMET']);
    }
    await rm(join(bench.work, 'mixed', 'shards/3/statement.dsse.json'));
    const codes = (await asked('mixed')).findings.map(({ code, path }) => `${code} ${path}`);
    assert.ok(codes.includes('FILE_MISSING shards/3/statement.dsse.json'), codes.join('\n'));
  });

  it('refuses what is not all the shards of one run, each with its code', async () => {
    const [one = '', two = '', three = ''] = shards;
    const other = await prepare('other-suite', 'another reason');
    for (const [out, flags, from] of [
      ['of-two', ['--shard', '1/2'], context],
      ['elsewhere', ['--shard', '3/3'], other],
      [
        'fewer',
        ['--shard', '3/3', '--only', 'says.*', 'throws.*', 'reads.*', 'waits.*', 'random.*'],
        context,
      ],
      ['patient', ['--shard', '3/3', '--case-timeout', '19s'], context],
    ] as const) {
      const answer = await bench.run(['run', from, '--out', out, '--engine', 'runc', ...flags]);
      assert.ok(answer.exitCode === 0 || answer.exitCode === 1, answer.stderr);
    }
    await cp(join(bench.work, three), join(bench.work, 'broken'), { recursive: true });
    await writeFile(join(bench.work, 'broken', 'report.json'), '{}');
    const refusals: readonly (readonly [code: string, shards: readonly string[]])[] = [
      ['SHARD_MISSING', [one, two]],
      ['SHARD_TWICE', [one, two, two]],
      ['SHARD_COUNT', [one, two, 'of-two']],
      ['NOT_A_SHARD', [one, two, 'whole']],
      ['SHARD_SUITES', [one, two, 'elsewhere']],
      ['SHARD_SELECTION', [one, two, 'fewer']],
      ['SHARD_SETTINGS', [one, two, 'patient']],
      ['SHARD_REJECTED', [one, two, 'broken']],
    ];
    for (const [code, folders] of refusals) {
      const answer = await bench.run(['merge', ...folders, '--out', 'refused']);
      assert.equal(answer.exitCode, 4, answer.stderr);
      assert.match(answer.stderr, new RegExp(`\\[${code}\\]`));
      assert.equal((await readdir(bench.work)).includes('refused'), false);
    }
    const usage = await bench.run(['merge', one, two, three, '--out', one]);
    assert.equal(usage.exitCode, 2);
    assert.match(usage.stderr, /\[OUT_NOT_EMPTY\]/);
    const nothing = await bench.run(['merge', '--out', 'refused']);
    assert.equal(nothing.exitCode, 2);
    const alone = await bench.run([
      'run',
      context,
      '--out',
      'refused',
      '--durations',
      'whole',
      '--engine',
      'runc',
    ]);
    assert.equal(alone.exitCode, 2);
    assert.match(alone.stderr, /\[FLAG_MISSING\]/);
  });

  it('is refused by the verifier when a merged bundle says what its shards do not', async () => {
    const forgeries: readonly (readonly [
      code: string,
      path: string,
      forge: (root: string) => Promise<void>,
    ])[] = [
      ['MERGE_FACT', 'report.json.exitCode', (root) => set(root, 'report.json', 'exitCode', 0)],
      ['MERGE_FACT', 'report.json.executed', (root) => set(root, 'report.json', 'executed', 99)],
      [
        'STATEMENT_RESULT',
        'statement.json.predicate.result',
        (root) => set(root, 'statement.json', 'predicate.result', 'PASSED'),
      ],
      [
        'SHARD_IDENTITY',
        'shards.json 2.runId',
        (root) => set(root, 'shards.json', 'shards[1].runId', 'another'),
      ],
      ['SHARD_NUMBER', 'shards/3/report.json.selection.shard', swap],
      ['SHARD_CONTEXT', 'shards/3/inputs', (root) => take(root, 'elsewhere')],
      ['SHARD_CONTEXT', 'shards/3/report.json.limits', (root) => take(root, 'patient')],
      ['SHARD_CONTEXT', 'shards/3/report.json.selection', (root) => take(root, 'fewer')],
    ];
    for (const [code, path, forge] of forgeries) {
      const root = join(bench.work, `forged-${code}-${path.replaceAll(/[^a-z]/g, '')}`);
      await cp(join(bench.work, 'runc-merged'), root, { recursive: true });
      await forge(root);
      await reseal(root);
      const verdict = parseStdout<Verdict>(await bench.run(['verify', root, '--json']));
      const found = verdict.findings.map((finding) => `${finding.code} ${finding.path}`);
      assert.ok(found.includes(`${code} ${path}`), found.join('\n'));
    }
  });

  function set(root: string, path: string, place: string, value: unknown): Promise<void> {
    return changeDocument(root, path, (document) => editAt(document, place, () => value));
  }

  /** Two shards under each other's number. */
  async function swap(root: string): Promise<void> {
    await cp(join(bench.work, shards[1] ?? ''), join(root, 'shards/3'), { recursive: true, force: true });
    await take(root, shards[1] ?? '');
  }

  /** Evidence of another run in the place of the third shard, with the list made to fit. */
  async function take(root: string, evidence: string): Promise<void> {
    const place = join(root, 'shards/3');
    await rm(place, { recursive: true });
    await cp(join(bench.work, evidence), place, { recursive: true });
    const bundleSha256 = sha256Hex(await readFile(join(place, 'bundle.json')));
    await changeDocument(root, 'shards.json', (document) =>
      editAt(
        editAt(document, 'shards[2].bundleSha256', () => bundleSha256),
        'shards[2].runId',
        () => readReport(place).runId,
      ),
    );
  }
});
