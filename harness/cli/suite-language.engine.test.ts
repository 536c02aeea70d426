import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import type { RunReport } from '../evidence/report.ts';
import { file } from '../suite/testing/fault-package.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { programPackage } from './testing/suites.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

/** Keeps notes, one JSON line each, and has a configuration with a secret that it must keep to itself. */
const GOOD = `
import { appendFileSync, readFileSync } from 'node:fs';
const config = JSON.parse(readFileSync('config.json', 'utf8'));
if (process.argv[2] === 'add') appendFileSync('notes.jsonl', JSON.stringify({ text: process.argv[3] }) + '\\n');
if (process.argv[2] === 'list') console.log(JSON.stringify({ user: config.user, notes: ['a'], extra: 1 }));
`;

/** The same with every mistake that a check of the suite names. */
const BAD = `
import { appendFileSync, chmodSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
const config = JSON.parse(readFileSync('config.json', 'utf8'));
if (process.argv[2] === 'add') {
  writeFileSync('../token-' + config.token, '');
  writeFileSync('marker', config.token);
  appendFileSync('notes.jsonl', 'not json\\n');
  utimesSync('config.json', 1, 1);
}
if (process.argv[2] === 'list') {
  console.log(JSON.stringify({ user: 1, notes: [] }) + '\\n' + JSON.stringify({ token: config.token }));
  chmodSync('config.json', 0o600);
}
`;

/** The cases for one of the two programs; their ids begin with its name. */
function suite(bin: string): string {
  return `
formatVersion: 1
id: ${bin}
title: what is stated of ${bin}
proves: that each kind of statement is judged on a real program
doesNotProve: anything about other programs
cases:
  - id: ${bin}.add
    why: a note is added and nothing else happens
    canaries: ["tok-1f0c9e", never-given]
    files:
      - { path: config.json, text: '{"user":"ann","token":"tok-1f0c9e"}' }
    steps:
      - argv: ["\${bin:${bin}}", add, first]
    checks:
      - { id: unchanged, files: { unchanged: { below: /work, except: notes.jsonl, compare: [bytes, times] } } }
      - { id: absent, files: { absent: marker } }
      - { id: note, file: { path: /work/elsewhere/notes.jsonl, equals: "{\\"text\\":\\"first\\"}\\n", mode: "0644" } }
      - { id: created, files: { created: notes.jsonl } }
      - { id: duration, duration: { min: 1ms, max: 10s } }
  - id: ${bin}.list
    why: scripts read the list
    files:
      - { path: config.json, text: '{"user":"ann","token":"tok-1f0c9e"}' }
    steps:
      - argv: ["\${bin:${bin}}", list]
    checks:
      - { id: subset, stdout: { json: { subset: { notes: [a] } } } }
      - { id: schema, stdout: { eachLine: { schema: { required: [user], properties: { user: { type: string } } } } } }
      - { id: line, stdout: { someLine: { equals: { user: ann, notes: [a], extra: 1 } } } }
      - { id: modes, files: { unchanged: { below: /work, compare: modes } } }
`;
}

type Line = Readonly<Record<string, unknown>>;

function readLines(evidence: string, caseId: string, name: string): readonly Line[] {
  const { node } = readReceipt(evidence, caseId);
  return linesOf(join(evidence, 'cases', `${caseId}@${node}`, name));
}

function linesOf(file: string): readonly Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}

/** A file of the image, as the record of a control's program has it. */
function inventoried(evidence: string, path: string): Line {
  const line = linesOf(join(evidence, 'image', 'inventory.ndjson')).find((one) => one['path'] === path);
  const { mode, sizeBytes, sha256 } = line ?? {};
  assert.match(String(sha256), /^[0-9a-f]{64}$/);
  return { path: `/${path}`, mode, sizeBytes, sha256 };
}

function laidFile(path: string, text: string): Line {
  const content = Buffer.from(text);
  return { path, mode: '0644', sizeBytes: content.length, sha256: sha256Hex(content) };
}

/** A tool that the program under test must not start. What it shows is shown first, its absence, and again. */
const CONTROLS = `
formatVersion: 1
id: controls
title: what is shown of the cases themselves
proves: that controls are run, undone and checked
doesNotProve: anything about the program
cases:
  - id: controls.good
    why: the marker would be there if the tool had been started
    files:
      - { path: tool.js, text: "require('fs').writeFileSync('marker', '')\\n" }
      - { path: config.json, text: "{}", time: "2001-02-03T04:05:06Z" }
      - { path: odd/holes, sparse: 1MiB, mode: "0600" }
      - { path: odd/socket, socket: true }
      - { path: odd/denied, text: x, mode: "0000" }
      - { path: odd/nowhere, symlink: none }
    steps:
      - { name: works, control: positive, argv: [node, tool.js], undo: { remove: marker } }
      - { name: off, control: negative, argv: [node, tool.js], lay: [{ path: tool.js, text: "" }] }
      - { name: again, control: restored, argv: [node, tool.js], undo: { remove: marker } }
      - { name: run, argv: ["\${bin:notes}", list] }
    checks:
      - { step: works, files: { created: marker } }
      - { step: off, files: { absent: marker } }
      - { step: again, files: { created: marker } }
      - { files: { absent: marker, unchanged: { below: /work } } }
  - id: controls.not-undone
    why: the undo forgets the marker
    files:
      - { path: tool.js, text: "require('fs').writeFileSync('marker', '')\\n" }
      - { path: config.json, text: "{}" }
    steps:
      - { name: works, control: positive, argv: [node, tool.js] }
      - { name: run, argv: ["\${bin:notes}", list] }
    checks:
      - { step: works, files: { created: marker } }
  - id: controls.shows-nothing
    why: the control does not show its effect, so that nothing can be said of the program
    files:
      - { path: tool.js, text: "" }
      - { path: config.json, text: "{}" }
    steps:
      - { name: works, control: positive, argv: [node, tool.js] }
      - { name: run, argv: ["\${bin:notes}", none-such] }
    checks:
      - { step: works, files: { created: marker } }
      - { step: run, stdout: { equals: "never" } }
`;

/** One act a time, and in one word what came of it. */
const ACTS = `
import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
const MIB = 1024 * 1024;
const acts = {
  processes: () =>
    Promise.all(
      Array.from({ length: 40 }, () => {
        const child = spawn('/bin/sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'] });
        return new Promise((resolve, reject) => child.on('spawn', () => resolve(child)).on('error', reject));
      }),
    ).then((children) => Promise.all(children.map((child) => child.stdin.end() && new Promise((end) => child.on('close', end))))),
  memory: () => Buffer.alloc(128 * MIB, 1),
  file: () => writeFileSync('/tmp/large', Buffer.alloc(5 * MIB)),
  open: () => Array.from({ length: 100 }, () => openSync('/dev/null')),
  work: () => writeFileSync('/work/large', Buffer.alloc(2 * MIB)),
  home: () => writeFileSync('/home/node/large', Buffer.alloc(2 * MIB)),
  tmp: () => [1, 2, 3].map((part) => writeFileSync('/tmp/' + part, Buffer.alloc(3 * MIB))),
  output: () => console.log('x'.repeat(100_000)),
};
try {
  await acts[process.argv[2]]();
  console.log('done');
} catch ({ code }) {
  console.log(code);
  process.exit(0);
}
`;

const TIGHT =
  '{ pids: 40, memory: 96MiB, cpus: 1, openFiles: 64, fileSize: 4MiB, work: 1MiB, home: 1MiB, tmp: 8MiB, output: 64KiB }';

/** How each act is contained; without the limits every one of them is done. */
const CONTAINED: Readonly<Record<string, string>> = {
  processes: '- stdout: { equals: "EAGAIN\\n" }',
  memory: '- termination: { signaled: SIGKILL }\n      - oomKill: some',
  file: '- stdout: { equals: "EFBIG\\n" }',
  open: '- stdout: { equals: "EMFILE\\n" }',
  work: '- stdout: { equals: "ENOSPC\\n" }',
  home: '- stdout: { equals: "ENOSPC\\n" }',
  tmp: '- stdout: { equals: "ENOSPC\\n" }',
  output: '- termination: output-limit',
};

function limitsSuite(): string {
  const cases = Object.entries(CONTAINED).map(
    ([act, contained]) => `
  - id: limits.${act}.free
    why: the act is possible
    steps: [{ argv: ["\${bin:acts}", ${act}] }]
    checks:
      - stdout: { matches: "(?:^|\\n)done\\n$" }
  - id: limits.${act}.tight
    why: the limit of the case contains it
    limits: ${TIGHT}
    steps: [{ argv: ["\${bin:acts}", ${act}] }]
    checks:
      ${contained}
      - leftovers: any
        why: what the act leaves is not the question`,
  );
  return `
formatVersion: 1
id: limits
title: the limits of a single case
proves: that each contains what is possible without it
doesNotProve: anything about the program
cases:${cases.join('')}
  - id: limits.unlaid
    why: what does not fit is laid in part at most, and nothing of it is left
    limits: ${TIGHT}
    files: [{ path: large, from: large }]
    steps: [{ argv: ["\${bin:acts}", none] }]
`;
}

/** What a fixture's folder cannot hold, and a program that meets it and makes such names itself. */
const ODD_FIXTURE = String.raw`
formatVersion: 1
entries:
  - { path: ., mode: "0777", owner: other }
  - { path: denied.txt, mode: "0600", owner: root }
  - { path: plain.txt, owner: root, time: "2001-02-03T04:05:06Z" }
  - { path: locked/in, text: x }
  - { path: locked, directory: true, mode: "0000" }
  - { path: "caf%E9", text: Latin-1 }
  - { path: "caf%25E9", text: looks like it }
  - { path: "caf\u00e9", text: composed }
  - { path: "cafe\u0301", text: decomposed }
  - { path: "line\nbreak\ttab\\", text: x }
  - { path: ${'n'.repeat(255)}, text: x }
  - { path: nowhere, symlink: "%FF", owner: other }
  - { path: to-locked, symlink: locked }
  - { path: pipe, fifo: true }
  - { path: holes, sparse: 1MiB }
`;
const ODD_PROGRAM = String.raw`
const fs = require('fs');
const raw = (text) => Buffer.from(text, 'latin1');
for (const path of ['denied.txt', 'plain.txt', 'locked/in', 'to-locked/in', raw('caf\xe9'), 'caf%E9']) {
  let answer;
  try { answer = fs.readFileSync(path, 'utf8'); } catch (error) { answer = error.code; }
  console.log(answer);
}
fs.writeFileSync(raw('\xff\n'), '');
fs.unlinkSync(raw('caf\xe9'));
fs.mkdirSync(raw('sekrit\xfe'));
`;
const FIXTURES = String.raw`
formatVersion: 1
id: fixtures
title: what a fixture lays
proves: that it is laid as declared
doesNotProve: anything about the program
fixture: fixtures/odd
cases:
  - id: fixtures.odd
    why: each entry is what it is declared to be
    steps:
      - { argv: [node, probe.js] }
    checks:
      - { stdout: { equals: "EACCES\nplain\nEACCES\nEACCES\nLatin-1\nlooks like it\n" } }
      - { files: { created: "%FF\n", removed: "caf%E9" } }
      - files: { unchanged: { below: /work, except: ["%FF\n", "caf%E9", "sekrit%FE"] } }
      - { file: { path: /work/elsewhere/nowhere, target: "%FF" } }
      - { file: { path: /work/elsewhere, is: directory, mode: "0777" } }
  - id: fixtures.seen
    why: what the program made is seen under its own name and no other
    canaries: [sekrit]
    steps:
      - { argv: [node, probe.js] }
    checks:
      - { stdout: { size: { min: 1 } } }
      - { id: twin, files: { created: "%25FF\n" } }
      - { id: fresh, noFilesCreated: { below: /work, except: ["%FF\n"] } }
`;

/**
 * Programs to compare with: one that leaves a mess, one that reads its configuration, one that comes in a tar, one
 * for another machine, and one that only a shell would run.
 */
const REFERENCES: Readonly<Record<string, Buffer>> = {
  messy: Buffer.from('#!/bin/sh\nsleep 300 &\necho tok-1f0c9e | tee left notes.jsonl\nrm config.json\n'),
  inert: Buffer.from('#!/bin/sh\ncat /home/node/.inert.json\necho spoiled >/home/node/.inert.json\n'),
  // The header of an ELF program of no machine that there is.
  foreign: Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(57, 0xff)]),
  text: Buffer.from('echo never\n'),
  tool: packFault({ manifest: {}, files: [file('bin/tool', '#!/bin/sh\necho packed\n', 0o755)] }),
};
/** How the kernel refuses the two that are excluded. */
const UNSTARTED = { kind: 'not-started', errno: 'ENOEXEC' };

function formOf(name: string): string {
  return name === 'tool' ? 'unpack: tar.gz, strip: 1' : 'unpack: none';
}

function referencesSuite(): string {
  const archives = Object.entries(REFERENCES).map(
    ([name, bytes]) => `
  - { name: ${name}, sha256: "${sha256Hex(bytes)}", sizeBytes: ${bytes.length}, ${formOf(name)}, file: bin/${name} }`,
  );
  return `
formatVersion: 1
id: references
title: what is shown of programs to compare with
proves: that they are observed, undone and gate nothing
doesNotProve: anything about the program
archives:${archives.join('')}
cases:
  - id: references.all
    why: the program finds its files as they were laid, whatever ran before
    canaries: [tok-1f0c9e]
    files:
      - { path: config.json, text: '{"user":"ann"}' }
      - { path: /home/node/.inert.json, text: active }
      - { path: shut, directory: true, mode: "0700", owner: root }
      - { path: shut/in, text: x }
    steps:
      - { name: messy, kind: reference, archive: messy, argv: ["\${archive:messy}"] }
      - name: inert
        kind: reference
        archive: inert
        reset: [{ path: /home/node/.inert.json, text: inert }]
        argv: ["\${archive:inert}"]
      - { name: foreign, kind: reference, archive: foreign, argv: ["\${archive:foreign}"] }
      - { name: text, kind: reference, archive: text, argv: ["\${archive:text}"] }
      - { name: tool, kind: reference, archive: tool, argv: ["\${archive:tool}/bin/tool"] }
      - { name: run, argv: ["\${bin:notes}", list] }
    checks:
      - { step: run, stdout: { includes: ann } }
      - { id: same, step: run, severity: info, stdout: { sameAs: { step: messy } } }
      - { id: reset, step: inert, severity: info, stdout: { equals: inert } }
      - { id: foreign, step: foreign, severity: info, stdout: { equals: "never" } }
      - { id: packed, step: tool, severity: info, stdout: { equals: "packed\\n" } }
      - { files: { unchanged: { below: [/work, /home/node] } } }
  - id: references.wrong
    why: a reference that does not start lets nothing of the program pass
    files: [{ path: config.json, text: "{}" }]
    steps:
      - { name: foreign, kind: reference, archive: foreign, argv: ["\${archive:foreign}"] }
      - { name: run, argv: ["\${bin:notes}", list] }
    checks:
      - { id: wrong, step: run, stdout: { equals: "never" } }
`;
}

/** What of the bad program fails, each check for a mistake of its own. */
const CAUGHT = [
  'notes-bad.add absent',
  'notes-bad.add canaries',
  'notes-bad.add note',
  'notes-bad.add unchanged',
  'notes-bad.list line',
  'notes-bad.list modes',
  'notes-bad.list schema',
  'notes-bad.list subset',
];

describe('the suite language on a packed candidate', () => {
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open();
    await bench.writeFile(
      'notes.tgz',
      packFault(programPackage('notes', { notes: GOOD, 'notes-bad': BAD, acts: ACTS })),
    );
    await bench.writeFile('good.yaml', suite('notes'));
    await bench.writeFile('bad.yaml', suite('notes-bad'));
    await bench.writeFile('controls.yaml', CONTROLS);
    await bench.writeFile('fixtures.yaml', FIXTURES);
    await mkdir(join(bench.work, 'fixtures', 'odd'), { recursive: true });
    await bench.writeFile('fixtures/odd/fixture.yaml', ODD_FIXTURE);
    await bench.writeFile('fixtures/odd/probe.js', ODD_PROGRAM);
    await bench.writeFile('fixtures/odd/denied.txt', 'denied');
    await bench.writeFile('fixtures/odd/plain.txt', 'plain');
    await bench.writeFile('limits.yaml', limitsSuite());
    await bench.writeFile('large', Buffer.alloc(2 * 1024 * 1024));
    await bench.writeFile('references.yaml', referencesSuite());
    await mkdir(join(bench.work, 'bin'));
    for (const [name, bytes] of Object.entries(REFERENCES)) await bench.writeFile(`bin/${name}`, bytes);
  });
  after(async () => {
    assert.deepEqual(await findLeftovers(bench), []);
    await bench.close();
  });

  function check(engine: string, ...files: readonly string[]): Promise<Answer> {
    if (engine === 'docker') requireDocker();
    const suites = files.flatMap((file) => ['--suite', file]);
    return bench.run([
      'check',
      'notes.tgz',
      ...suites,
      '--engine',
      engine,
      '--out',
      `${engine}-${files[0]}`,
      '--json',
      '--node',
      '22',
    ]);
  }

  for (const engine of ['runc', 'docker']) {
    it(`names the mistakes of the twin alone, undoes controls, keeps the limits of single cases and lays fixtures, on ${engine}`, async () => {
      const answer = await check(
        engine,
        'good.yaml',
        'bad.yaml',
        'controls.yaml',
        'limits.yaml',
        'fixtures.yaml',
        'references.yaml',
      );
      const result = parseResult(answer);
      const failures = result.failures.map((one) => `${one.case.split('@')[0]} ${one.check}`).sort();
      assert.deepEqual(
        failures.filter((text) => text.startsWith('notes')),
        CAUGHT,
        answer.stderr,
      );
      // A control that shows nothing outweighs what fails.
      assert.equal(answer.exitCode, 3, answer.stderr);
      assert.deepEqual([result.counts['fail'], result.counts['error']], [4, 3]);
      const evidence = join(bench.work, `${engine}-good.yaml`);
      await assertAccepted(bench, evidence, 3);
      const { node } = readReceipt(evidence, 'notes.add');
      // What the check of canaries looked into can be looked into again.
      assert.equal(readdirSync(join(evidence, 'cases', `notes.add@${node}`, 'files')).length, 1);
      assert.equal(existsSync(join(evidence, 'cases', `notes.list@${node}`, 'files')), false);
      const outcomes = ['good', 'not-undone', 'shows-nothing'].map((name) => {
        const { outcome, reason, checks } = readReceipt(evidence, `controls.${name}`);
        const odd = checks
          .filter(({ result: seen }) => seen !== 'pass')
          .map(({ id, result: seen }) => `${id} ${seen}`);
        return [outcome, reason, ...odd];
      });
      assert.deepEqual(outcomes, [
        ['pass', null],
        ['error', 'control-failed', 'works.undone error'],
        ['error', 'control-failed', 'works.files.created error', 'run.stdout.equals fail'],
      ]);
      assert.deepEqual(
        readLines(evidence, 'controls.good', 'controls.ndjson').filter(({ when }) => when === 'program'),
        ['works', 'off', 'again'].flatMap((step) => {
          const script = step === 'off' ? '' : "require('fs').writeFileSync('marker', '')\n";
          return [
            { step, when: 'program', word: 0, file: inventoried(evidence, 'usr/local/bin/node') },
            { step, when: 'program', word: 1, file: laidFile('/work/elsewhere/tool.js', script) },
          ];
        }),
      );
      for (const act of Object.keys(CONTAINED)) {
        for (const form of ['free', 'tight']) {
          assert.equal(readReceipt(evidence, `limits.${act}.${form}`).outcome, 'pass', `${act} ${form}`);
        }
      }
      const { outcome, reason, detail, attempts } = readReceipt(evidence, 'limits.unlaid');
      assert.deepEqual([outcome, reason, attempts], ['error', 'box-not-opened', []]);
      assert.match(detail, /could not be laid .*: \/work\/elsewhere\/large: .* ENOSPC/);
      const failed = ['odd', 'seen'].map((name) =>
        readReceipt(evidence, `fixtures.${name}`)
          .checks.filter(({ result }) => result !== 'pass')
          .map(({ id, result }) => `${id} ${result}`),
      );
      assert.deepEqual(failed, [[], ['twin fail', 'fresh fail', 'canaries fail']]);
      const referred = readReceipt(evidence, 'references.all');
      assert.deepEqual(
        [
          referred.outcome,
          ...referred.checks
            .filter(({ result: seen }) => seen !== 'pass')
            .map(({ id, result: seen }) => `${id} ${seen}`),
        ],
        [
          'pass',
          'same fail',
          'foreign not-exercised',
          'foreign.termination not-exercised',
          'foreign.stderr not-exercised',
          'text.termination not-exercised',
          'text.stderr not-exercised',
        ],
      );
      assert.equal(readReceipt(evidence, 'references.wrong').outcome, 'fail');
      const { references }: RunReport = JSON.parse(readFileSync(join(evidence, 'report.json'), 'utf8'));
      const excluded = references.excluded.map(({ caseId, step, termination }) => [
        caseId,
        step,
        termination,
      ]);
      assert.deepEqual(excluded, [
        ['references.all', 'foreign', UNSTARTED],
        ['references.all', 'text', UNSTARTED],
        ['references.wrong', 'foreign', UNSTARTED],
      ]);
      assert.equal(references.observed, 3);
      const sources = join(evidence, 'inputs', 'suites', 'fixtures', 'fixtures', 'odd');
      assert.deepEqual(readdirSync(sources), ['denied.txt', 'fixture.yaml', 'plain.txt', 'probe.js']);
    });
  }
});
