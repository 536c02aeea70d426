import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { toCanonicalBytes } from '../document/canonical.ts';
import { neededArchives } from '../suite/archives.ts';
import { evaluateCase } from '../suite/evaluate/evaluator.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { informingChecks } from '../suite/references.ts';
import { bytesOf, observe, type StepParts } from '../suite/testing/observations.ts';
import { JSONC_ARCHIVE } from './testing/scope-cases/jsonc-case.ts';
import { type BaseContent, buildScopeSuite } from './testing/scope-cases/suite.ts';
import { buildTwinSuite, readTwins } from './testing/scope-cases/twins.ts';

const suite = buildScopeSuite();

/** As somebody has it who has it. */
const CODE = {
  sha256: 'c'.repeat(64),
  sizeBytes: 7,
  unpack: 'tar.gz',
  strip: 0,
  source: { kind: 'file', path: 'code.tar.gz' },
  program: 'bin/code',
} as const;

/** What the first harness of this command was known by; each has to be here by name. */
const NAMED: readonly string[] = [
  'vscode-all-origins',
  'claude-all-origins',
  'claude-default-client',
  'claude-explicit-client',
  'state-syntax',
  'state-duplicate-server',
  'vscode-strict-user-json-comma',
  'state-link',
  'state-denied',
  'root-missing',
  'root-empty',
  'vscode-bare-map-malformed-neighbour',
];

describe('the suites of packproof scope', () => {
  it('are suites that run and verify accept', () => {
    const twins = buildTwinSuite(readTwins());
    for (const one of [suite, twins]) {
      assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(one)), one);
    }
  });

  it('have at least sixty cases, the named ones among them, and fifty twins', () => {
    const ids = suite.cases.map(({ id }) => id);
    assert.ok(ids.length >= 60, String(ids.length));
    assert.deepEqual(
      NAMED.filter((id) => !ids.includes(id)),
      [],
    );
    assert.ok(readTwins().length >= 50);
  });

  it('leave out the clients themselves, but for those that somebody has', () => {
    const excluded = (base: BaseContent): readonly string[] =>
      buildScopeSuite(base).exclusions.map(({ cases }) => cases);
    assert.deepEqual(excluded({}), ['native-claude-code', 'native-vscode', 'managed-files']);
    const natives = { vscode: CODE };
    assert.deepEqual(excluded({ natives }), ['native-claude-code', 'managed-files']);
    assert.deepEqual(excluded({ managedFiles: true }), ['native-claude-code', 'native-vscode']);
    const native = buildScopeSuite({ natives }).cases.find(({ id }) => id === 'native-vscode');
    assert.deepEqual(native?.steps[0]?.argv, ['/opt/archives/vscode/bin/code', '--version']);
    assert.deepEqual(native?.references, [{ step: 'reference', archive: 'vscode', files: [] }]);
    const had = buildScopeSuite({ natives });
    assert.deepEqual(
      neededArchives(had).map(({ name, sha256 }) => [name, sha256]),
      [
        ['jsonc-parser', JSONC_ARCHIVE.sha256],
        ['vscode', CODE.sha256],
      ],
    );
    assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(had)), had);
    assert.deepEqual(neededArchives(suite), [JSONC_ARCHIVE]);
  });

  it('hold the inventory to what is expected of each document, whatever the reference answers', () => {
    const whole = suite.cases.find(({ id }) => id === 'jsonc-reference');
    assert.ok(whole !== undefined);
    const [ids, informing] = [['acceptance', 'reference', 'same-acceptance'], informingChecks(whole)];
    const one = { ...whole, checks: whole.checks.filter(({ id }) => ids.includes(id)) };
    assert.deepEqual(
      one.checks.map(({ id, severity }) => [id, severity, informing.has(id)]),
      [
        ['acceptance', 'gate', false],
        ['reference', 'info', true],
        ['same-acceptance', 'info', true],
      ],
    );
    const equals = one.checks.flatMap(({ expect }) => (expect.kind === 'all' ? expect.of : []));
    const [stated] = equals.flatMap((expect) =>
      expect.kind === 'stream-equals' ? [expect.contentBase64] : [],
    );
    const right = Buffer.from(stated ?? '', 'base64').toString();
    assert.ok(right.split('\n').length > 200, right);
    const wrong = right.replace('accepted', 'refused');
    const judge = (reference: StepParts, candidate: string): readonly unknown[] => {
      const steps = [
        { name: 'reference', ...reference },
        { name: 'candidate', stdout: candidate },
      ];
      const seen = observe({ caseId: one.id, steps });
      const { outcome, checks } = evaluateCase(one, [seen.observation], bytesOf(seen));
      return [outcome, ...checks.map(({ result }) => result)];
    };
    assert.deepEqual(judge({ stdout: right }, right), ['pass', 'pass', 'pass', 'pass']);
    assert.deepEqual(judge({ stdout: right }, wrong), ['fail', 'fail', 'pass', 'fail']);
    // That both say the same is no excuse, and what the reference alone says is no fault of the inventory.
    assert.deepEqual(judge({ stdout: wrong }, wrong), ['fail', 'fail', 'fail', 'pass']);
    assert.deepEqual(judge({ stdout: wrong }, right), ['pass', 'pass', 'fail', 'fail']);
    const broken = { termination: { kind: 'not-started', errno: 'ENOEXEC' } } as const;
    const none = ['not-exercised', 'not-exercised'];
    assert.deepEqual(judge(broken, right), ['pass', 'pass', ...none]);
    assert.deepEqual(judge(broken, wrong), ['fail', 'fail', ...none]);
  });

  it('have no twin whose patch has gone stale', () => {
    const stale = readTwins().flatMap(({ rule, patches }) =>
      patches
        .filter(({ file, find }) => {
          const text = readFileSync(join(packageRoot(), 'dist/harness', file), 'utf8');
          return text.split(find).length !== 2;
        })
        .map(({ file }) => `${rule}: ${file}`),
    );
    assert.deepEqual(stale, []);
  });

  it('let the configured program work first and look for its marker, changes and canaries in every case', () => {
    // The corpus of documents has no values that could leave, and no output but a verdict for each; clients
    // themselves may start what is configured.
    const others = suite.cases.filter(({ id }) => id !== 'jsonc-reference' && !id.startsWith('native-'));
    for (const { id, checks } of others) {
      const common = ['control', 'not-started', 'untouched', 'no-arg-canary', 'no-env-canary'];
      const values = ['header', 'url', 'instruction', 'root-field', 'expanded'];
      const ids = checks.filter(({ severity }) => severity === 'gate').map((check) => check.id);
      const expected = [...common, ...values.map((name) => `no-${name}-canary`)];
      assert.deepEqual(
        expected.filter((name) => !ids.includes(name)),
        [],
        id,
      );
    }
  });
});

describe('the twin that relates names in quadratic time', () => {
  // Node reads source maps while coverage is taken, and a data address has no neighbour to read.
  const source = readFileSync(join(packageRoot(), 'dist/harness/scope/relations.js'), 'utf8').replace(
    /^\/\/# sourceMappingURL=.*$/m,
    '',
  );
  const find = '(originsOfName.get(name) ?? [])';
  const replace = 'declarations.filter((other) => other.name === name).map((other) => other.origin)';

  async function readsOfNames(text: string, count: number): Promise<number> {
    const { relateNames } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    let reads = 0;
    const declarations = Array.from({ length: count }, (_, index) => ({
      origin: 'project',
      get name(): string {
        reads += 1;
        return `server-${index}`;
      },
    }));
    const relationsOf = relateNames({ id: 'x', precedence: [['project']] }, declarations);
    for (const declaration of declarations) relationsOf(declaration);
    return reads;
  }

  it('reads every name for every name, where the product reads each a fixed number of times', async () => {
    assert.equal(source.split(find).length, 2);
    const twin = source.replace(find, replace);
    assert.equal(await readsOfNames(source, 400), 2 * (await readsOfNames(source, 200)));
    assert.ok((await readsOfNames(twin, 400)) > 3 * (await readsOfNames(twin, 200)));
  });
});
