import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parse, parseDocument } from 'yaml';
import { packageRoot } from '../../document/assets.ts';
import { UsageError, type UsageErrorCode } from '../errors.ts';
import { runProgram } from '../program.ts';
import { toGithubWorkflow } from './github-workflow.ts';
import { toKubernetesJob } from './kubernetes-job.ts';
import { checkJob, checkWorkflow } from './testing/validators.ts';

const refuses = (code: UsageErrorCode, where: string) => (error: unknown) =>
  error instanceof UsageError && error.code === code && error.where === where;

/** One value at a path replaced; the rest as it was. */
function changed(text: string, path: readonly (string | number)[], value: unknown): string {
  const document = parseDocument(text);
  if (value === undefined) assert.equal(document.deleteIn(path), true, path.join('.'));
  else document.setIn(path, value);
  return String(document);
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>
  >;
}

describe('init --ci github', () => {
  const text = toGithubWorkflow(3, '1.2.3');
  const workflow: Workflow = parse(text, { strict: true });

  it('is a workflow to GitHub’s own parser, and what is broken is none', async () => {
    assert.deepEqual(await checkWorkflow(text), []);
    const broken: readonly (readonly [readonly (string | number)[], unknown, RegExp])[] = [
      [['jobs', 'shard', 'runs-on'], undefined, /runs-on/],
      [['jobs', 'shard', 'stepz'], [], /Unexpected value 'stepz'/],
      [['jobs', 'merge', 'needs'], ['prepare', 'shards'], /depends on unknown job 'shards'/],
      [['permissions', 'contents'], 'all', /Unexpected value 'all'/],
    ];
    for (const [path, value, message] of broken) {
      assert.match((await checkWorkflow(changed(text, path, value))).join('\n'), message);
    }
  });

  it('reads the repository only, pins every action by commit and names its release', () => {
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    assert.equal(actions.length, 10);
    assert.deepEqual(
      actions.filter((uses) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(uses)),
      [],
    );
    assert.equal(text.match(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)?.length, actions.length);
  });

  it('puts no value of GitHub’s into a script, and merges as many shards as it runs', () => {
    const scripts = Object.values(workflow.jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []));
    assert.equal(scripts.length, 6);
    assert.deepEqual(
      scripts.filter((script) => script.includes('${{')),
      [],
    );
    assert.match(scripts.join('\n'), /run context --shard "\$SHARD\/3" --out "shard-\$SHARD"/);
    assert.match(scripts.join('\n'), /merge \$\(seq -f 'shard-%\.0f' 1 3\) --out evidence/);
    assert.deepEqual(
      parseDocument(text).getIn(['jobs', 'shard', 'strategy', 'matrix', 'shard'])?.toString(),
      '[1,2,3]',
    );
  });
});

describe('init --ci kubernetes', () => {
  const text = toKubernetesJob(3);

  it('is an Indexed Job to the schema of the API, and what is broken is none', () => {
    assert.equal(checkJob(text), null);
    const container = ['spec', 'template', 'spec', 'containers'];
    assert.match(checkJob(changed(text, ['spec', 'completions'], '3')) ?? '', /completions must be integer/);
    assert.match(checkJob(changed(text, container, undefined)) ?? '', /required property containers/);
    assert.match(
      checkJob(changed(text, [...container, 0, 'securityContext', 'privileged'], 'yes')) ?? '',
      /privileged must be boolean/,
    );
    const { spec } = parse(text);
    assert.deepEqual([spec.completionMode, spec.completions, spec.parallelism], ['Indexed', 3, 3]);
  });

  it('runs shard 1 in the first pod and shard 3 in the third', async () => {
    const [program, flags, script] = parse(text).spec.template.spec.containers[0].command;
    // Kubernetes makes $ of $$ in a command, and takes $(NAME) for a variable.
    assert.doesNotMatch(script, /\$\$|\$\([A-Za-z_]/);
    const asked = ['0', '2'].map(async (index) => {
      const own = script.slice(script.indexOf('shard=')).replace('exec packproof', 'exec printf "%s "');
      const env = { JOB_COMPLETION_INDEX: index };
      return (await execa(program, [flags, own], { env, extendEnv: false })).stdout.trim();
    });
    assert.deepEqual(await Promise.all(asked), [
      'run context --engine runc --shard 1/3 --out shard-1',
      'run context --engine runc --shard 3/3 --out shard-3',
    ]);
  });
});

describe('init --ci', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-ci-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('writes a file once, and never over another', async () => {
    const out = join(folder, '.github', 'workflows', 'packproof.yml');
    const argv = ['init', '--ci', 'kubernetes', '--shards', '2', '--quiet', '--out', out];
    assert.equal(await runProgram(argv), 0);
    assert.equal(await readFile(out, 'utf8'), toKubernetesJob(2));
    await writeFile(out, 'mine');
    await assert.rejects(runProgram(argv), refuses('CI_FILE_EXISTS', out));
    assert.equal(await readFile(out, 'utf8'), 'mine');
  });

  it('refuses numbers that make no split, and flags that do not belong together', async () => {
    for (const shards of ['0', '1', '257', 'x']) {
      const argv = ['init', '--ci', 'github', '--shards', shards];
      await assert.rejects(runProgram(argv), refuses('FLAG_VALUE', '--shards'));
    }
    await assert.rejects(runProgram(['init', '--ci', 'github', '--json']), refuses('FLAG_VALUE', '--json'));
    await assert.rejects(runProgram(['init', '--shards', '2']), refuses('FLAG_MISSING', '--shards'));
    await assert.rejects(runProgram(['init', '--ci', 'github', 'a.tgz']), refuses('ARGUMENT_EXTRA', 'a.tgz'));
    await assert.rejects(
      runProgram(['init', '--ci', 'jenkins']),
      (error) => error instanceof UsageError && error.code === 'FLAG_VALUE',
    );
  });

  it('is what docs/many-machines.md shows', async () => {
    const page = await readFile(join(packageRoot(), 'docs', 'many-machines.md'), 'utf8');
    const manifest: { readonly version: string } = JSON.parse(
      await readFile(join(packageRoot(), 'package.json'), 'utf8'),
    );
    const shown = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => yaml);
    assert.deepEqual(shown, [toGithubWorkflow(4, manifest.version), toKubernetesJob(4)]);
  });
});
