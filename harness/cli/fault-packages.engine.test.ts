import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { satisfies } from 'semver';
import { auditCandidate } from '../audit/audit.ts';
import { FAULT_PACKAGES, type FaultPackage } from '../suite/testing/fault-packages.ts';
import type { Failure, ResultDocument } from './result-document.ts';
import { packFault } from './testing/candidates.ts';
import { parseAudit, parseResult } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { type Answer, requireDocker, Workbench } from './testing/workbench.ts';

/** Enough for every case of one package on a loaded machine. */
const BUDGET = ['--budget', '280s'];

/** Those that are also run on Docker: one each of what files, network and dialogues show. */
const ON_DOCKER = ['f-writes-own', 'f-network', 'f-mcp-twice'];

/**
 * Of the good ones one of each class runs here, the plain command in the tests of exit codes; the suite's own tests
 * run all of them.
 */
const GOOD = ['g-filter-flags', 'g-server', 'g-mcp'];

/** What gates by its bytes need not run to fail; of these a run shows that both ways agree. */
const BOTH_WAYS = ['f-no-shebang', 'f-chunk-absent'];

/** They fail a check that another one fails too, but only once they are installed or on one Node version, or as an attack. */
const ALL_THE_SAME = [
  ...['f-dev-dependency', 'f-platform-package', 'f-undeclared-lazy', 'f-engines-module'],
  'f-forger',
];

/** A third of these spend their time waiting for a limit, and cost nothing meanwhile. */
const WIDTH = 3;

/** A fault that shows in every case is looked for in the first few. */
const MOST_TOPICS = 3;

type Engine = 'runc' | 'docker';

interface Checked {
  readonly exitCode: number | null;
  readonly result: ResultDocument;
  readonly stderr: string;
}

const isFault = ({ name }: FaultPackage): boolean => name.startsWith('f-');
const STATIC = FAULT_PACKAGES.filter((fault) => isFault(fault) && fault.findings.length > 0);
const GATED = eachCheckOnce(
  FAULT_PACKAGES.filter(
    (fault) =>
      isFault(fault) && fault.gates.length > 0 && (!gatesByBytes(fault) || BOTH_WAYS.includes(fault.name)),
  ),
);
const UNINSTALLABLE = FAULT_PACKAGES.filter((fault) => isFault(fault) && fault.installFails);
const PASSING = FAULT_PACKAGES.filter(({ name }) => GOOD.includes(name));

/** The newest of the Node versions in use here on which the package behaves as its table says. */
function nodeFor(fault: FaultPackage): string {
  return satisfies('22.99.0', fault.node) ? '22' : '20';
}

function gatesByBytes(fault: FaultPackage): boolean {
  return auditCandidate(packFault(fault)).findings.some(({ severity }) => severity === 'gate');
}

/**
 * Without those whose checks all have failed for one before. That each of them fails its checks is shown by the
 * suite's own tests, on plain processes; what a box adds shows with one of them.
 */
function eachCheckOnce(faults: readonly FaultPackage[]): readonly FaultPackage[] {
  const shown = new Set<string>();
  return faults.filter((fault) => {
    const texts = fault.gates.map(({ topic, check }) => `${topic}/${check}`);
    const isNew = texts.some((text) => !shown.has(text)) || BOTH_WAYS.includes(fault.name);
    if (!isNew && !ALL_THE_SAME.includes(fault.name)) return false;
    for (const text of texts) shown.add(text);
    return true;
  });
}

/** The cases that are to fail; with those they need they are all that runs. A good package runs all it has. */
function topicsOf(fault: FaultPackage): readonly string[] {
  return [...new Set(fault.gates.map(({ topic }) => topic))].slice(0, MOST_TOPICS);
}

function onlyOf(fault: FaultPackage): readonly string[] {
  return topicsOf(fault).flatMap((topic) => ['--only', topic.includes('.') ? topic : `*.${topic}`]);
}

/** `topic/check` of a failure: the case without its bin and its Node version. */
function toText(failure: Failure): string {
  const id = failure.case.replace(/@[^@]*$/, '');
  const topic = id.startsWith('bin.') ? id.slice(id.lastIndexOf('.') + 1) : id;
  return `${topic}/${failure.check}`;
}

describe('packages with one fault each, through the real program', () => {
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open();
    for (const fault of FAULT_PACKAGES) await bench.writeFile(`${fault.name}.tgz`, packFault(fault));
  });
  after(async () => {
    assert.deepEqual(await findLeftovers(bench), []);
    await bench.close();
  });

  /** Checks one package; its evidence and context are removed again, because there are many of them. */
  async function check(fault: FaultPackage, engine: Engine): Promise<Checked> {
    const out = `${fault.name}-${engine}`;
    const args = ['check', `${fault.name}.tgz`, '--out', out, '--engine', engine, '--node', nodeFor(fault)];
    return read(out, await bench.run([...args, ...onlyOf(fault), ...BUDGET, '--json']));
  }

  /** The same in its two steps, which leave out the self-check of each evidence. */
  async function prepareAndRun(fault: FaultPackage, engine: Engine): Promise<Checked> {
    const out = `${fault.name}-${engine}`;
    const [context, on] = [`${out}.context`, ['--engine', engine]];
    const prepare = ['prepare', `${fault.name}.tgz`, '--out', context, ...on, '--node', nodeFor(fault)];
    const prepared = await bench.run(prepare);
    assert.ok(prepared.exitCode === 0 || prepared.exitCode === 1, prepared.stderr);
    const run = ['run', context, '--out', out, ...on, ...onlyOf(fault), ...BUDGET, '--json'];
    return read(out, await bench.run(run));
  }

  async function read(out: string, answer: Answer): Promise<Checked> {
    const result = parseResult(answer);
    for (const name of [out, `${out}.context`]) await rm(join(bench.work, name), { recursive: true });
    return { exitCode: answer.exitCode, result, stderr: answer.stderr };
  }

  async function assertChecked(
    fault: FaultPackage,
    engine: Engine,
    way: (fault: FaultPackage, engine: Engine) => Promise<Checked> = check,
  ): Promise<void> {
    const { exitCode, result, stderr } = await way(fault, engine);
    const seen = result.failures.filter(({ severity }) => severity === 'gate').map(toText);
    const topics = topicsOf(fault);
    const expected = fault.gates
      .filter(({ topic }) => topics.includes(topic))
      .map(({ topic, check: id }) => `${topic}/${id}`);
    const surplus = fault.spreads ? seen.filter((text) => !expected.includes(text)) : [];
    assert.deepEqual([...seen].sort(), [...expected, ...surplus].sort(), stderr);
    const openGates = result.audit.filter(({ severity }) => severity === 'gate');
    assert.equal(exitCode, expected.length + openGates.length > 0 ? 1 : 0, stderr);
    assert.equal(result.verdict, 'accepted');
    assert.equal(result.engine?.name, engine);
    for (const code of fault.findings)
      assert.ok(
        result.audit.some((finding) => finding.code === code),
        code,
      );
  }

  it('the tables are as large as promised', () => {
    const seen = new Set([...STATIC, ...GATED, ...UNINSTALLABLE].map(({ name }) => name));
    assert.ok(seen.size >= 45, `${seen.size} classes of fault`);
    assert.equal(PASSING.length, GOOD.length);
    for (const name of ON_DOCKER)
      assert.ok(
        FAULT_PACKAGES.some((fault) => fault.name === name),
        name,
      );
  });

  describe('by their bytes', { concurrency: 2 }, () => {
    for (const fault of STATIC) {
      it(`${fault.name}: ${fault.fault}: ${fault.findings.join(', ')}`, async () => {
        const answer = await bench.run(['audit', `${fault.name}.tgz`, '--json']);
        const { findings, result } = parseAudit(answer);
        for (const code of fault.findings)
          assert.ok(
            findings.some((finding) => finding.code === code),
            code,
          );
        const gates = findings.filter(({ severity }) => severity === 'gate').map(({ code }) => code);
        assert.deepEqual([answer.exitCode, result], gates.length > 0 ? [1, 'failed'] : [0, 'passed']);
      });
    }
  });

  describe('by what they do on runc', { concurrency: WIDTH }, () => {
    for (const fault of GATED) {
      const ids = fault.gates.map(({ topic, check: id }) => `${topic}/${id}`).slice(0, 2);
      it(`${fault.name}: ${fault.fault}: ${ids.join(', ')}`, () =>
        assertChecked(fault, 'runc', prepareAndRun));
    }
    for (const fault of PASSING) {
      it(`${fault.name}: ${fault.fault}: passes`, () => assertChecked(fault, 'runc'));
    }
  });

  describe('by an install that fails', { concurrency: 2 }, () => {
    for (const fault of UNINSTALLABLE) {
      it(`${fault.name}: ${fault.fault}`, async () => {
        const { exitCode, result } = await check(fault, 'runc');
        assert.equal(exitCode, 1);
        assert.deepEqual([result.result, result.engine, result.verdict], ['failed', null, 'accepted']);
        assert.equal(result.failures.length, 1);
        assert.match(result.failures[0]?.check ?? '', /^DEPENDENCY_[A-Z_]+$/);
        assert.equal(
          result.counts['unrun'],
          Object.values(result.counts).reduce((sum, count) => sum + count, 0),
        );
      });
    }
  });

  describe('on Docker as on runc', { concurrency: 2 }, () => {
    before(() => requireDocker());
    for (const fault of FAULT_PACKAGES.filter(({ name }) => ON_DOCKER.includes(name))) {
      it(`${fault.name}: ${fault.fault}`, () => assertChecked(fault, 'docker'));
    }
  });

  it('no evidence was left lying about', async () => {
    const names = await readdir(bench.work);
    assert.deepEqual(
      names.filter((name) => !name.endsWith('.tgz')),
      [],
    );
  });
});
