import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { KeptSource } from '../verify/files/kept-source.ts';
import { type Change, OverlaySource, type Piece } from '../verify/files/overlay-source.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Verdict, verifyBundle, verifySource } from '../verify/verify.ts';
import { exportEvidence } from './export.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';

// A change that is laid over a bundle is judged as the same change made on disk: the same findings, in the same
// order. Each change is made both ways here.

const verifier = fileURLToPath(new URL('../verify/main.js', import.meta.url));
const STDOUT = 'cases/help@22.23.5/steps/1-main/stdout';
const RECEIPT = 'cases/help@22.23.5/receipt.json';
let folder = '';
let evidence = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-overlay-'));
  const cases = [
    await sampleCase(join(folder, 'spool'), 'help', 'pass'),
    await sampleCase(join(folder, 'spool'), 'version', 'pass'),
  ];
  const input = await sampleExport(folder, cases);
  await exportEvidence(input);
  evidence = input.target;
});

after(() => rm(folder, { recursive: true, force: true }));

const text = (content: string): Piece => ({ kind: 'bytes', bytes: Buffer.from(content) });
const file = (...pieces: readonly Piece[]): Change => ({ kind: 'file', pieces });
const base = (path: string, start: number, end: number): Piece => ({ kind: 'base', path, start, end });

const CHANGES: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  nothing: {},
  'a file replaced by its own bytes': { [STDOUT]: file(base(STDOUT, 0, 5)) },
  'other bytes of the same size': { [STDOUT]: file(text('halp\n')) },
  'a file cut': { [RECEIPT]: file(base(RECEIPT, 0, 40)) },
  'a file put together': { [RECEIPT]: file(base(RECEIPT, 0, 40), text('x'), base(RECEIPT, 41, 60)) },
  'a file of one byte, many times': { 'report.json': file({ kind: 'fill', byte: 0x20, sizeBytes: 300_000 }) },
  'an empty file': { 'statement.json': file() },
  'a file deleted': { [STDOUT]: { kind: 'deleted' } },
  'the index deleted': { 'bundle.json': { kind: 'deleted' } },
  'a folder deleted': { 'cases/version@22.23.5': { kind: 'deleted' } },
  'a folder emptied': { boundary: { kind: 'deleted' }, 'boundary/other': file(text('x')) },
  'a file added': { 'cases/note': file(text('x')) },
  'a file added in new folders': { 'a/b/c': file(text('x')) },
  'an envelope added': { 'statement.dsse.json': file(text('{}')) },
  'an empty folder added': { empty: { kind: 'folder' } },
  'a folder in the place of a file': { [STDOUT]: { kind: 'folder' } },
  'a file in the place of a folder': { image: file(text('x')) },
  'a link in the place of a file': { [STDOUT]: { kind: 'link', to: 'report.json' } },
  'a link in the place of a folder': {
    copy: { kind: 'folder' },
    'copy/stdout': file(base(STDOUT, 0, 5)),
    'copy/stderr': file(),
    [dirname(STDOUT)]: { kind: 'link', to: 'copy' },
  },
  'a FIFO in the place of a file': { [STDOUT]: { kind: 'special' } },
  'a link to outside': { 'cases/host': { kind: 'link', to: '/etc' } },
};

async function apply(root: string, changes: Readonly<Record<string, Change>>): Promise<void> {
  // Pieces are of the bundle as it was before the first change.
  const contents = new Map<string, Buffer>();
  for (const [path, change] of Object.entries(changes)) {
    if (change.kind === 'file')
      contents.set(path, Buffer.concat(await Promise.all(change.pieces.map(toBytes))));
  }
  for (const [path, change] of Object.entries(changes)) {
    const place = join(root, path);
    await rm(place, { recursive: true, force: true });
    if (change.kind === 'deleted') continue;
    await mkdir(dirname(place), { recursive: true });
    if (change.kind === 'folder') await mkdir(place);
    else if (change.kind === 'special') execFileSync('mkfifo', [place]);
    else if (change.kind === 'link') {
      await symlink(change.to.startsWith('/') ? change.to : join(root, change.to), place);
    } else await writeFile(place, contents.get(path) ?? '');
  }
}

async function toBytes(piece: Piece): Promise<Buffer> {
  if (piece.kind === 'bytes') return piece.bytes;
  if (piece.kind === 'fill') return Buffer.alloc(piece.sizeBytes, piece.byte);
  return (await readFile(join(evidence, piece.path))).subarray(piece.start, piece.end);
}

function summary({ verdict, findings }: Verdict): unknown {
  return [verdict, findings.map((finding) => JSON.stringify(finding)).sort()];
}

for (const [name, changes] of Object.entries(CHANGES)) {
  test(`${name}: laid over it is the same as on disk`, async () => {
    const root = join(folder, 'changed');
    await cp(evidence, root, { recursive: true });
    try {
      await apply(root, changes);
      const onDisk = await verifyBundle(root, NOTHING_ASKED);
      const source = new OverlaySource(new KeptSource(evidence), new Map(Object.entries(changes)));
      const laidOver = await verifySource(source, evidence, NOTHING_ASKED);
      assert.deepEqual(summary(laidOver), summary(onDisk));
      const harmless = ['nothing', 'a file replaced by its own bytes'].includes(name);
      assert.equal(laidOver.verdict, harmless ? 'accepted' : 'rejected');
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
}

test('one change leaves nothing behind for the next, in any order', async () => {
  const kept = new KeptSource(evidence);
  const verdicts = async (): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (const changes of Object.values(CHANGES)) {
      const source = new OverlaySource(kept, new Map(Object.entries(changes)));
      answers.push(JSON.stringify(await verifySource(source, evidence, NOTHING_ASKED)));
    }
    return answers;
  };
  assert.deepEqual(await verdicts(), await verdicts());
});

interface Program {
  readonly exitCode: number | null;
  readonly lines: readonly { readonly id: number; readonly verdict: Verdict }[];
  readonly stderr: string;
}

/** The verifier as a program of its own, asked over its stdin. */
async function ask(requests: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [verifier, '--overlays', '--', evidence], { env: {} });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  for (const request of requests) child.stdin.write(request);
  child.stdin.end();
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const text = Buffer.concat(out).toString('utf8');
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { exitCode, lines, stderr: Buffer.concat(err).toString('utf8') };
}

async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    hash.update(path);
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  }
  return hash.digest('hex');
}

test('the program answers each line with a verdict and writes nothing into the evidence', async () => {
  const digest = await digestOf(evidence);
  const base64 = Buffer.from('other').toString('base64');
  const changes = [
    [],
    [{ path: STDOUT, kind: 'file', pieces: [{ kind: 'bytes', base64 }] }],
    [{ path: STDOUT, kind: 'file', pieces: [{ kind: 'base', path: STDOUT, start: 0, end: 5 }] }],
    [{ path: RECEIPT, kind: 'deleted' }],
    [],
  ];
  const requests = changes.map((list, id) => `${JSON.stringify({ id, changes: list })}\n`);
  const whole = requests.join('');
  for (const pieces of [requests, [whole], [...whole].map((character) => character)]) {
    const { exitCode, lines, stderr } = await ask(pieces);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(
      lines.map(({ id, verdict }) => [id, verdict.verdict, verdict.findings[0]?.code]),
      [
        [0, 'accepted', undefined],
        [1, 'rejected', 'FILE_DIGEST'],
        [2, 'accepted', undefined],
        [3, 'rejected', 'FILE_MISSING'],
        [4, 'accepted', undefined],
      ],
    );
  }
  assert.equal(await digestOf(evidence), digest);
});

test('what is no request ends the program with the code of wrong usage', async () => {
  const wrong = [
    'x\n',
    '[]\n',
    '{"id":1}\n',
    '{"id":1,"changes":[1]}\n',
    '{"id":1,"changes":[{"path":"","kind":"deleted"}]}\n',
    '{"id":1,"changes":[{"path":"a","kind":"other"}]}\n',
    '{"id":1,"changes":[{"path":"a","kind":"file","pieces":[{"kind":"base","path":"b","start":2,"end":1}]}]}\n',
    '{"id":1,"changes":[]}',
  ];
  for (const line of wrong) {
    const { exitCode, lines, stderr } = await ask([line]);
    assert.deepEqual([exitCode, lines.length], [2, 0], `${line} ${stderr}`);
    assert.match(stderr, /^packproof-verify: request: --overlays: .*\[REQUEST_INVALID\]\n$/);
  }
});
