import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byAbsolutePath, type ListedFile } from '../run/box-files.ts';
import { findNamedFiles } from '../run/named-files.ts';
import { plainCase, plainStep } from '../run/testing/plain-case.ts';
import type { NamedFile } from '../suite/observation.ts';
import { imageByPath } from '../verify/cases/box-places.ts';
import { checkPrograms, type JudgedAttempt } from '../verify/cases/control-programs.ts';
import { Findings } from '../verify/finding.ts';
import type { InventoryLine } from '../verify/shape/inputs.ts';
import type { Entry } from '../verify/shape/receipt.ts';

// Runner and verifier find the program of a control each by its own code: on whatever boxes, they must agree.

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

const NAMES = ['a', 'b', '100%'] as const;
const name = fc.constantFrom(...NAMES);
const target = fc.constantFrom('a', '../b', '/bin', '/work/a', '/proc/x', 'a/', '.', '/bin/100%', './b/.');
const mode = fc.constantFrom('0755', '0755', '0755', '0644', '0700', '0010', '0001');
const id = fc.constantFrom(0, 1000);
const digest = fc.constantFrom('0', 'f').map((digit) => digit.repeat(64));

const node = fc.record({
  kind: fc.constantFrom(...(['file', 'file', 'directory', 'directory', 'symlink'] as const)),
  mode,
  uid: id,
  gid: id,
  sha256: digest,
  target,
});

/** Two levels below each root: enough for links through folders that are none, or closed. */
function tree(roots: readonly string[]): fc.Arbitrary<ReadonlyMap<string, Drawn<typeof node>>> {
  const paths = roots.flatMap((root) =>
    NAMES.flatMap((one) => [`${root}/${one}`, ...NAMES.map((two) => `${root}/${one}/${two}`)]),
  );
  return fc
    .array(fc.tuple(fc.constantFrom(...paths), node), { minLength: 8, maxLength: 20 })
    .map((entries) => new Map(entries));
}

const word = fc.oneof(
  name,
  fc.constantFrom(
    '',
    './a',
    '/work/a',
    '/bin/b',
    '/bin/../work/b/a',
    '/work/a/',
    '/dev/a',
    '../bin/a',
    '/tmp/100%',
    'b/.',
    '/bin',
  ),
  fc.tuple(name, name).map((parts) => parts.join('/')),
);
const PATHS = ['/bin:/work', ':/bin', '/work/a:/bin:/opt', '/proc:/bin', '', '/opt/b::'];

const drawing = fc.record({
  image: tree(['/bin', '/opt']),
  laid: tree(['/work', '/tmp']),
  argv: fc.array(word, { minLength: 1, maxLength: 4 }),
  env: fc.oneof(
    fc.constant({}),
    fc.constantFrom(...PATHS).map((path) => ({ PATH: path })),
  ),
  cwd: fc.constantFrom('/work', '/bin', '/work/a', '/tmp/100%25'),
  exec: fc.boolean(),
});

type Drawing = Drawn<typeof drawing>;

function inventoryOf({ image }: Drawing): readonly InventoryLine[] {
  const lines: InventoryLine[] = ['bin', 'opt', 'work', 'tmp'].map((path) => folder(path));
  for (const [path, one] of image) {
    const at = path.slice(1);
    if (one.kind === 'directory') lines.push({ ...folder(at), mode: one.mode });
    else if (one.kind === 'symlink') {
      lines.push({ kind: 'symlink', path: at, mode: '0777', sizeBytes: 0, sha256: null, target: one.target });
    } else {
      lines.push({ kind: 'file', path: at, mode: one.mode, sizeBytes: 1, sha256: one.sha256, target: null });
    }
  }
  return lines;
}

function folder(path: string): Extract<InventoryLine, { kind: 'directory' }> {
  return { kind: 'directory', path, mode: '0755', sizeBytes: 0, sha256: null, target: null };
}

function entriesOf({ laid }: Drawing): readonly Entry[] {
  return [...laid].map(([path, one]) => ({
    path: path.replaceAll('%', '%25'),
    kind: one.kind,
    mode: one.mode,
    uid: one.uid,
    gid: one.gid,
    mtimeMs: 0,
    sizeBytes: 1,
    sha256: one.kind === 'file' ? one.sha256 : null,
    target: one.kind === 'symlink' ? one.target.replaceAll('%', '%25') : null,
  }));
}

function toldByRunner(drawn: Drawing): readonly NamedFile[] {
  const image: readonly ListedFile[] = inventoryOf(drawn);
  const laid = { way: 'host', entries: entriesOf(drawn), truncated: [] } as const;
  return findNamedFiles(drawn, { image: byAbsolutePath(image), laid, exec: drawn.exec });
}

/** Codes that the verifier has for what the runner told of the control `works`. */
function judged(drawn: Drawing, told: readonly NamedFile[]): readonly string[] {
  const { argv, env, cwd, exec } = drawn;
  const control = { step: 'works', phase: 'positive', files: [], remove: [], restore: [] } as const;
  const declared = JSON.parse(
    JSON.stringify(
      plainCase({ exec, controls: [control], steps: [plainStep({ name: 'works', argv, env, cwd })] }),
    ),
  );
  const looks = { laid: entriesOf(drawn), ran: null, undone: null };
  const attempt: JudgedAttempt = {
    base: 'cases/x/',
    programLines: told.map((one) => ({ step: 'works', when: 'program', ...one })),
    seen: { controls: new Map([['works', looks]]) },
    attempt: { steps: [] },
  };
  const findings = new Findings();
  checkPrograms(declared, attempt, { image: imageByPath(inventoryOf(drawn)), findings });
  return findings.list().map(({ code }) => code);
}

test('runner and verifier find the same program of 4000 generated commands', () => {
  const seen = { none: 0, image: 0, laid: 0, words: 0 };
  fc.assert(
    fc.property(drawing, (drawn) => {
      const told = toldByRunner(drawn);
      assert.deepEqual(judged(drawn, told), []);
      const path = told[0]?.file?.path;
      seen[path === undefined ? 'none' : /^\/(?:work|tmp)\//.test(path) ? 'laid' : 'image'] += 1;
      seen.words += told.length - 1;
    }),
    { numRuns: 4000, seed: 20_260_102 },
  );
  // A comparison of nothing would agree as well.
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 20, `${what}: ${count}`);
});

test('a program told otherwise is found whatever it is', () => {
  fc.assert(
    fc.property(drawing, (drawn) => {
      const [program, ...words] = toldByRunner(drawn);
      assert.ok(program !== undefined);
      const file = { path: '/bin/other', mode: '0755', sizeBytes: 1, sha256: '1'.repeat(64) };
      assert.deepEqual(judged(drawn, [{ word: 0, file }, ...words]), ['CONTROL_PROGRAM']);
      assert.deepEqual(judged(drawn, words), ['CONTROL_PROGRAM']);
      assert.deepEqual(judged(drawn, [program, ...words, { word: 9, file }]), ['CONTROL_PROGRAM']);
    }),
    { numRuns: 300, seed: 20_260_102 },
  );
});
