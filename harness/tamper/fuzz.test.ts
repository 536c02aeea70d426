import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { publicPem } from '../../evidence-schema/testkit/builder/signing.ts';
import { Kit, writeVector } from '../../evidence-schema/testkit/builder/vector.ts';
import { packageRoot } from '../document/assets.ts';
import { KeptSource } from '../verify/files/kept-source.ts';
import { type Change as Overlay, OverlaySource } from '../verify/files/overlay-source.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Expectations, type Verdict, verifySource } from '../verify/verify.ts';
import { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';
import { contentOf } from './change-content.ts';
import { forge } from './forgery.ts';

// Bytes that no forger would choose, on bundles that have all that a bundle can have: controls, kept files, shards,
// envelopes, and the statement of a replay. Whatever they are, the verifier ends with a verdict.

/** Changes of each sort; more are asked for by hand. */
const RUNS = Number(process.argv[2] ?? 60);
/** Milliseconds for one change; a verdict takes some ten of them, on a starved machine a hundred times as long. */
const RUN_LIMIT_MS = 2000;
/** Fixed, so that a red run can be repeated. */
const SEED = 20_261_130;
/** What the verifier keeps of findings, and one that counts the rest. */
const MOST_FINDINGS = 2001;

let folder = '';
let replay: Buffer = Buffer.alloc(0);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-tamper-fuzz-'));
  const kit = new Kit(join(packageRoot(), 'evidence-schema', 'testkit'));
  for (const name of ['accept-bundle-signed', 'accept-bundle-merged-signed']) {
    writeVector(join(folder, name), kit.build(kit.vector(name)));
  }
  replay = kit.build(kit.vector('accept-replay-signed')).replay ?? replay;
});

after(() => rm(folder, { recursive: true, force: true }));

interface Rich {
  readonly bundle: BaseBundle;
  readonly kept: KeptSource;
  readonly asked: Expectations;
}

function open(name: string): Rich {
  const root = join(folder, name);
  const kept = new KeptSource(root);
  return { bundle: BaseBundle.open(root), kept, asked: { ...NOTHING_ASKED, keyPem: publicPem('vector') } };
}

async function judge({ bundle, kept, asked }: Rich, changes: readonly Change[]): Promise<Verdict> {
  const overlays = changes.map((change): [string, Overlay] => {
    if (change.kind !== 'file') return [change.path, change];
    const bytes = contentOf(bundle, change);
    return [change.path, { kind: 'file', pieces: [{ kind: 'bytes', bytes }] }];
  });
  const verdict = await verifySource(new OverlaySource(kept, new Map(overlays)), 'fuzz', asked);
  assert.ok(verdict.findings.length <= MOST_FINDINGS);
  assert.equal(verdict.findings.length > 0, verdict.verdict === 'rejected');
  assert.equal(verdict.runExitCode === null, verdict.verdict === 'rejected');
  return verdict;
}

/** What bytes become; `at` and `value` are any whole numbers. */
type Spoil = (bytes: Buffer, at: number, value: number) => Buffer;

const place = (bytes: Buffer, at: number): number => (bytes.length === 0 ? 0 : at % bytes.length);
const insert = (bytes: Buffer, at: number, put: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, place(bytes, at)), put, bytes.subarray(place(bytes, at))]);

const SPOILERS: Readonly<Record<string, Spoil>> = {
  flipped: (bytes, at, value) => {
    const copy = Buffer.from(bytes);
    const index = place(bytes, at);
    if (copy.length > 0) copy[index] = (copy[index] ?? 0) ^ (1 << (value % 8));
    return copy;
  },
  cut: (bytes, at) => bytes.subarray(0, place(bytes, at)),
  grown: (bytes, at, value) => insert(bytes, at, Buffer.of(value % 256)),
  doubled: (bytes) => Buffer.concat([bytes, bytes]),
  shifted: (bytes, at, value) =>
    Buffer.concat([bytes.subarray(place(bytes, at)), bytes.subarray(0, place(bytes, value))]),
  'with a digit more': (bytes, at, value) =>
    insert(bytes, bytes.indexOf(0x3a, place(bytes, at)) + 1, Buffer.from(String(value))),
  'with a key twice': (bytes) =>
    Buffer.from(bytes.toString('latin1').replace(/\{("[^"]*":)/, '{$1null,$1'), 'latin1'),
  'nested deep': (bytes, at) => insert(bytes, at, Buffer.from('[{"a":'.repeat(20_000))),
  'of line feeds': (_bytes, at) => Buffer.alloc((at % 3000) + 1, '\n'),
  'of empty objects': (_bytes, at) => Buffer.from('{}\n'.repeat((at % 3000) + 1)),
  'of a lone surrogate': (bytes, at) => insert(bytes, at, Buffer.from('\\ud800')),
};

const spoiler = fc.constantFrom(...Object.keys(SPOILERS));

function spoil(how: string, bytes: Buffer, [at, value]: readonly [number, number]): Buffer {
  const made = SPOILERS[how]?.(bytes, at, value) ?? bytes;
  return made.equals(bytes) ? Buffer.concat([bytes, Buffer.from('x')]) : made;
}

/** The file with other bytes; in a shard as well as around it every digest is recomputed. */
function forgeBytes({ bundle }: Rich, path: string, bytes: Buffer): readonly Change[] {
  const home = bundle.shards().find((one) => path.startsWith(`${one.folder}/`));
  const own = home === undefined ? path : path.slice(home.folder.length + 1);
  if (home === undefined || !home.shard.files.has(own))
    return forge(bundle, { files: new Map([[path, bytes]]) });
  const inner = forge(home.shard, { files: new Map([[own, bytes]]) });
  const files = inner.map((change): [string, Uint8Array | null] => [
    `${home.folder}/${change.path}`,
    change.kind === 'deleted' ? null : contentOf(home.shard, change),
  ]);
  return forge(bundle, { files: new Map(files) });
}

for (const name of ['accept-bundle-signed', 'accept-bundle-merged-signed']) {
  test(`${RUNS} times any bytes in any file of ${name} end in a rejection`, {
    timeout: 120_000,
  }, async () => {
    const rich = open(name);
    assert.equal((await judge(rich, [])).verdict, 'accepted');
    const paths = rich.bundle.paths();
    await fc.assert(
      fc.asyncProperty(fc.nat(), spoiler, fc.tuple(fc.nat(), fc.nat(99_999)), async (which, how, where) => {
        const path = paths[which % paths.length] ?? '';
        const bytes = spoil(how, rich.bundle.read(path), where);
        const change: Change = {
          path,
          kind: 'file',
          pieces: [{ kind: 'bytes', base64: bytes.toString('base64') }],
        };
        assert.equal((await judge(rich, [change])).verdict, 'rejected', `${path} ${how}`);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test(`${RUNS} times the same, all digests recomputed, end in a verdict`, {
    timeout: RUNS * RUN_LIMIT_MS,
  }, async () => {
    const signed = open(name);
    const rich = { ...signed, asked: NOTHING_ASKED };
    const paths = [...rich.bundle.files.keys()];
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), spoiler, fc.tuple(fc.nat(), fc.nat(99_999)), async (which, how, where) => {
        const path = paths[which % paths.length] ?? '';
        const changes = forgeBytes(rich, path, spoil(how, rich.bundle.read(path), where));
        if ((await judge(rich, changes)).verdict === 'rejected') rejected += 1;
        assert.equal((await judge(signed, changes)).verdict, 'rejected', `${path} ${how}`);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // Nothing contradicts other words in a source of a suite, or a stream that no check looks at.
    assert.ok(rejected > RUNS * 0.8, `${rejected} of ${RUNS} rejected`);
  });
}

test(`${RUNS} times any bytes in the statement of a replay end in a rejection`, {
  timeout: 120_000,
}, async () => {
  const rich = open('accept-bundle-signed');
  const told = replay;
  const asked: Expectations = {
    ...NOTHING_ASKED,
    replay: told,
    requirements: [{ kind: 'replayed-by', value: publicPem('vector') }],
  };
  const [, payload = ''] = /"payload":"([^"]*)"/.exec(told.toString('utf8')) ?? [];
  const statement = Buffer.from(payload, 'base64');
  assert.equal((await judge({ ...rich, asked }, [])).verdict, 'accepted');
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      spoiler,
      fc.tuple(fc.nat(), fc.nat(99_999)),
      async (inside, how, where) => {
        const spoilt = inside
          ? Buffer.from(
              told.toString('utf8').replace(payload, spoil(how, statement, where).toString('base64')),
            )
          : spoil(how, told, where);
        assert.equal(
          (await judge({ ...rich, asked: { ...asked, replay: spoilt } }, [])).verdict,
          'rejected',
          how,
        );
        // As an unsigned statement it may say what fits, and must end in a verdict all the same.
        await judge({ ...rich, asked: { ...NOTHING_ASKED, replay: spoil(how, statement, where) } }, []);
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
});
