import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import type { FileTreeEntry, Snapshot, SnapshotEntry } from '../engine/engine.ts';
import type { CompiledFile, CompiledReference } from '../suite/compiled.ts';
import { findUnlaid, undoReference } from './reference-undo.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const OLD = 1_000_000;
const NEW = 2_000_000;

function entry(
  path: string,
  kind: SnapshotEntry['kind'],
  change: Partial<SnapshotEntry> = {},
): SnapshotEntry {
  const plain = { uid: 1000, gid: 1000, mtimeMs: OLD, sizeBytes: 0, sha256: null, target: null };
  return { path, kind, mode: kind === 'directory' ? '0755' : '0644', ...plain, ...change };
}

const file = (path: string, text: string, change: Partial<SnapshotEntry> = {}): SnapshotEntry =>
  entry(path, 'file', { sizeBytes: text.length, sha256: sha256Hex(Buffer.from(text)), ...change });

const see = (entries: readonly SnapshotEntry[], truncated: readonly string[] = []): Snapshot => ({
  way: 'host',
  entries,
  truncated,
});

/** What a case lays, and what is there before its first step. */
const FILES: readonly CompiledFile[] = [
  { kind: 'directory', path: '/work/elsewhere', mode: '0755' },
  { kind: 'file', path: '/work/elsewhere/config.json', mode: '0600', contentBase64: base64('{}') },
  { kind: 'symlink', path: '/work/elsewhere/link', target: 'config.json' },
  { kind: 'times', path: '/work/elsewhere/config.json', mtimeSeconds: 1000 },
  { kind: 'owner', path: '/work/elsewhere/config.json', uid: 0, gid: 0 },
  { kind: 'file', path: '/home/node/.tool', mode: '0644', contentBase64: base64('active') },
  { kind: 'fifo', path: '/tmp/pipe', mode: '0644' },
];
const BEFORE = [
  entry('/home/node', 'directory'),
  file('/home/node/.tool', 'active'),
  entry('/tmp', 'directory'),
  entry('/tmp/pipe', 'fifo'),
  entry('/work', 'directory'),
  entry('/work/elsewhere', 'directory'),
  file('/work/elsewhere/config.json', '{}', { mode: '0600', uid: 0, gid: 0 }),
  entry('/work/elsewhere/link', 'symlink', { mode: '0777', target: 'config.json' }),
];

const describeEntry = (one: FileTreeEntry): string => {
  if (one.kind === 'times') return `times ${one.path} ${one.mtimeMs}`;
  return one.kind === 'owner' ? `owner ${one.path} ${one.uid}:${one.gid}` : `${one.kind} ${one.path}`;
};

/** What is laid when a reference left these entries in place of what was at their paths. */
function undone(changed: readonly SnapshotEntry[], gone: readonly string[] = []): readonly string[] {
  const paths = new Set([...changed.map(({ path }) => path), ...gone]);
  const ran = see([...BEFORE.filter(({ path }) => !paths.has(path)), ...changed]);
  return undoReference(FILES, see(BEFORE), ran).map(describeEntry);
}

/** Everything below one top entry: taken away, laid again in its order, as old as it was, its owner last. */
const ELSEWHERE = [
  'remove /work/elsewhere',
  'directory /work/elsewhere',
  'file /work/elsewhere/config.json',
  'symlink /work/elsewhere/link',
  'times /work/elsewhere/config.json 1000000',
  'times /work/elsewhere/config.json 1000000',
  'times /work/elsewhere/link 1000000',
  'times /work/elsewhere 1000000',
  'owner /work/elsewhere/config.json 0:0',
];
const TOOL = ['remove /home/node/.tool', 'file /home/node/.tool', 'times /home/node/.tool 1000000'];
const PIPE = ['remove /tmp/pipe', 'fifo /tmp/pipe', 'times /tmp/pipe 1000000'];

describe('the undo of a reference', () => {
  test('does nothing where nothing differs', () => {
    assert.deepEqual(undone([]), []);
  });

  test('takes no notice of the time of a folder, which moves with what is laid in it', () => {
    assert.deepEqual(undone([entry('/work/elsewhere', 'directory', { mtimeMs: NEW })]), []);
  });

  const changes: Readonly<Record<string, SnapshotEntry>> = {
    'other bytes': file('/work/elsewhere/config.json', '[]', { mode: '0600', uid: 0, gid: 0 }),
    'another mode': file('/work/elsewhere/config.json', '{}', { mode: '0644', uid: 0, gid: 0 }),
    'another owner': file('/work/elsewhere/config.json', '{}', { mode: '0600' }),
    'another time': file('/work/elsewhere/config.json', '{}', {
      mode: '0600',
      uid: 0,
      gid: 0,
      mtimeMs: NEW,
    }),
    'another kind': entry('/work/elsewhere/config.json', 'directory'),
    'another target': entry('/work/elsewhere/link', 'symlink', { mode: '0777', target: '/etc' }),
    'another mode of a folder': entry('/work/elsewhere', 'directory', { mode: '0700' }),
    'a file in a new folder': file('/work/elsewhere/deep/er/left', ''),
  };
  for (const [what, changed] of Object.entries(changes)) {
    test(`puts back all below the top entry in which it finds ${what}, and nothing beside it`, () => {
      assert.deepEqual(undone([changed]), ELSEWHERE);
    });
  }

  test('lays again what was removed', () => {
    assert.deepEqual(undone([], ['/home/node/.tool']), TOOL);
    assert.deepEqual(undone([], ['/tmp/pipe']), PIPE);
  });

  test('takes away what is new in each writable place, whatever its kind, and lays nothing for it', () => {
    assert.deepEqual(undone([entry('/tmp/socket', 'socket'), file('/work/elsewhere2/x', 'x')]), [
      'remove /tmp/socket',
      'remove /work/elsewhere2',
    ]);
  });

  test('puts back everything when what the reference left could not be seen, or not wholly', () => {
    const all = [TOOL[0], PIPE[0], ELSEWHERE[0]];
    for (const ran of [null, see(BEFORE, ['too many entries'])]) {
      const laid = undoReference(FILES, see(BEFORE), ran).map(describeEntry);
      assert.deepEqual(laid.slice(0, all.length), all);
      assert.deepEqual([...laid].sort(), [...TOOL, ...PIPE, ...ELSEWHERE].sort());
      assert.equal(laid.at(-1), 'owner /work/elsewhere/config.json 0:0');
    }
  });

  test('takes away what only the listing that was cut off shows', () => {
    const ran = see([...BEFORE, file('/tmp/left', 'x')], ['too many entries']);
    assert.ok(undoReference(FILES, see(BEFORE), ran).map(describeEntry).includes('remove /tmp/left'));
  });
});

describe('the reset of a reference', () => {
  const reset: CompiledReference['files'] = [
    { kind: 'file', path: '/home/node/.tool', mode: '0644', contentBase64: base64('inert') },
  ];
  const refused = '/home/node/.tool is not the file that was laid';
  const trials: readonly (readonly [what: string, laid: readonly SnapshotEntry[], told: string | null])[] = [
    ['lies there with its bytes and mode', [file('/home/node/.tool', 'inert')], null],
    ['lies there beside others', [...BEFORE.slice(4), file('/home/node/.tool', 'inert')], null],
    ['has other bytes', [file('/home/node/.tool', 'active')], refused],
    ['has another mode', [file('/home/node/.tool', 'inert', { mode: '0600' })], refused],
    ['is a link', [entry('/home/node/.tool', 'symlink', { target: 'inert' })], refused],
    ['could not be read', [entry('/home/node/.tool', 'file')], refused],
    ['is not there', [], refused],
  ];
  for (const [what, laid, told] of trials) {
    test(`is ${told === null ? 'asserted' : 'refused'} when a file ${what}`, () => {
      assert.equal(findUnlaid(reset, see(laid)), told);
    });
  }

  test('of no file needs none', () => {
    assert.equal(findUnlaid([], see([])), null);
  });
});
