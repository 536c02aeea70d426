import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../document/assets.ts';
import { Installation, type Patch, runLocally } from './testing/scope-cases/local-run.ts';
import { buildScopeSuite } from './testing/scope-cases/suite.ts';

const FOLDER = join(packageRoot(), 'cases/scope/broken');

/** Long enough for any answer of a busy machine; a twin that hangs is known to. */
const HANG_MS = 5000;

interface Twin {
  readonly why: string;
  readonly case: string;
  readonly check: string;
  /** Other checks of the case that fail with it: all of them, so that a twin that only crashes is none. */
  readonly alsoFails: readonly string[];
  readonly hangs?: boolean;
  readonly patches: readonly Patch[];
}

function parseTwin(file: string): Twin {
  const value = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  assert.deepEqual(
    Object.keys(value).filter((key) => key !== 'hangs'),
    ['why', 'case', 'check', 'alsoFails', 'patches'],
  );
  return value as Twin;
}

function withInstallation<T>(patches: readonly Patch[], body: (installation: Installation) => T): T {
  const installation = new Installation(patches);
  try {
    return body(installation);
  } finally {
    installation.remove();
  }
}

describe('each broken twin is caught by the check that names it', () => {
  const cases = new Map(buildScopeSuite().cases.map((compiled) => [compiled.id, compiled]));
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

  it('there are at least fifty', () => assert.ok(files.length >= 50));

  for (const file of files) {
    const twin = parseTwin(file);
    it(`${file.replace('.json', '')} ${twin.why}`, () => {
      const compiled = cases.get(twin.case);
      assert.ok(compiled !== undefined, twin.case);
      const { checks, outcome } = withInstallation(twin.patches, (installation) =>
        runLocally(compiled, installation, twin.hangs === true ? HANG_MS : undefined),
      );
      assert.equal(outcome, 'fail');
      const failed = checks.filter(({ result }) => result !== 'pass').map(({ id }) => id);
      assert.deepEqual(failed.sort(), [twin.check, ...twin.alsoFails].sort());
    });
  }
});

describe('the twin that relates names in quadratic time', () => {
  const quadratic: Patch = {
    file: 'scope/relations.js',
    find: '(originsOfName.get(name) ?? [])',
    replace: 'declarations.filter((other) => other.name === name).map((other) => other.origin)',
  };

  async function readsOfNames(installation: Installation, count: number): Promise<number> {
    const { relateNames } = await import(
      pathToFileURL(join(installation.dir, 'dist/harness/scope/relations.js')).href
    );
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
    const product = new Installation();
    const twin = new Installation([quadratic]);
    try {
      assert.equal(await readsOfNames(product, 400), 2 * (await readsOfNames(product, 200)));
      assert.ok((await readsOfNames(twin, 400)) > 3 * (await readsOfNames(twin, 200)));
    } finally {
      product.remove();
      twin.remove();
    }
  });
});
