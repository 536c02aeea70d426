import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256Hex } from '../../document/digest.ts';
import type { SnapshotEntry } from '../../engine/engine.ts';
import type { Expectation, FileAspect } from '../compiled.ts';
import { bytesOf, observe } from '../testing/observations.ts';
import { judgeExpectation } from './expectation.ts';
import { Seen } from './seen.ts';

const A: SnapshotEntry = {
  path: '/work/a',
  kind: 'file',
  mode: '0644',
  uid: 1000,
  gid: 1000,
  mtimeMs: 1,
  sizeBytes: 1,
  sha256: 'a'.repeat(64),
  target: null,
};
const LINK: SnapshotEntry = { ...A, path: '/work/l', kind: 'symlink', sha256: null, target: 'a' };
/** A name that is no UTF-8. */
const RAW: SnapshotEntry = { ...A, path: '/work/%FF' };

const unchanged = (...compare: readonly FileAspect[]): Expectation => ({
  kind: 'files-unchanged',
  below: ['/work'],
  except: ['/work/out'],
  compare,
});
const ALL = unchanged('bytes', 'modes', 'times');
const change = (kind: 'created' | 'removed' | 'changed'): Expectation => ({
  kind: 'path-changed',
  path: '/work/a',
  change: kind,
  control: null,
});
const absent: Expectation = { kind: 'path-absent', path: '/work/a', control: null };
const fileIs = {
  kind: 'file-is',
  path: '/work/a',
  type: 'file',
  mode: null,
  sha256: null,
  target: null,
  control: null,
} as const;

interface Row {
  readonly about: string;
  readonly expect: Expectation;
  readonly before: readonly SnapshotEntry[];
  readonly after: readonly SnapshotEntry[] | null;
  readonly truncated?: boolean;
  readonly truth: 'true' | 'false' | 'unknown';
}

const row = (
  about: string,
  expect: Expectation,
  [before, after]: readonly [readonly SnapshotEntry[], readonly SnapshotEntry[] | null],
  truth: Row['truth'],
): Row => ({ about, expect, before, after, truth });

const ROWS: readonly Row[] = [
  row(
    'what is as it was',
    ALL,
    [
      [A, LINK, RAW],
      [A, LINK, RAW],
    ],
    'true',
  ),
  row('what is gone', ALL, [[A, LINK], [A]], 'false'),
  row('what is new', ALL, [[A], [A, LINK]], 'false'),
  row('what is new where it may be', ALL, [[A], [A, { ...A, path: '/work/out' }]], 'true'),
  row('what is new elsewhere', ALL, [[A], [A, { ...A, path: '/workshop' }]], 'true'),
  row('other bytes', ALL, [[A], [{ ...A, sha256: 'b'.repeat(64) }]], 'false'),
  row(
    'other bytes of an unshown name',
    ALL,
    [
      [A, RAW],
      [A, { ...RAW, sizeBytes: 2 }],
    ],
    'false',
  ),
  row('another target', ALL, [[LINK], [{ ...LINK, target: 'b' }]], 'false'),
  row('another mode', ALL, [[A], [{ ...A, mode: '0600' }]], 'false'),
  row('another owner', ALL, [[A], [{ ...A, uid: 0 }]], 'false'),
  row('another time', ALL, [[A], [{ ...A, mtimeMs: 2 }]], 'false'),
  row(
    'another time of a folder',
    ALL,
    [[{ ...A, kind: 'directory' }], [{ ...A, kind: 'directory', mtimeMs: 2 }]],
    'true',
  ),
  row('another kind', unchanged('times'), [[A], [{ ...A, kind: 'fifo' }]], 'false'),
  row('another time when only bytes count', unchanged('bytes'), [[A], [{ ...A, mtimeMs: 2 }]], 'true'),
  row('bytes that were not read', ALL, [[A], [{ ...A, sha256: null }]], 'unknown'),
  row('nothing at all', ALL, [[], []], 'false'),
  row('files that nobody looked at', ALL, [[A], null], 'unknown'),
  { ...row('what a cut listing has', ALL, [[A], [A]], 'unknown'), truncated: true },
  { ...row('what is new in a cut listing', ALL, [[], [A]], 'false'), truncated: true },

  row('a new file', change('created'), [[], [A]], 'true'),
  row('a file that was there', change('created'), [[A], [A]], 'false'),
  { ...row('a new file of a cut listing', change('created'), [[], [A]], 'unknown'), truncated: true },
  row('a file that is gone', change('removed'), [[A], []], 'true'),
  row('a file that is still there', change('removed'), [[A], [A]], 'false'),
  row('a file with other bytes', change('changed'), [[A], [{ ...A, sizeBytes: 2 }]], 'true'),
  row('a file with another mode', change('changed'), [[A], [{ ...A, mode: '0600' }]], 'false'),
  row('a new file is no changed one', change('changed'), [[], [A]], 'false'),
  row('a file not read', change('changed'), [[A], [{ ...A, sha256: null }]], 'unknown'),

  row('a marker that is not there', absent, [[], [LINK]], 'true'),
  row('a marker that is there', absent, [[], [A]], 'false'),
  row('a name that only looks like it', absent, [[], [RAW]], 'true'),
  row('no look', absent, [[], null], 'unknown'),
  { ...row('a marker of a cut listing', absent, [[], []], 'unknown'), truncated: true },
  row(
    'a marker below a link',
    { kind: 'path-absent', path: '/work/l/a', control: null },
    [[], [LINK]],
    'unknown',
  ),

  row('a file', fileIs, [[], [A]], 'true'),
  row('no file', fileIs, [[], []], 'false'),
  row('its mode', { ...fileIs, mode: '0644' }, [[], [A]], 'true'),
  row('another mode', { ...fileIs, mode: '0600' }, [[], [A]], 'false'),
  row('its bytes', { ...fileIs, sha256: 'a'.repeat(64) }, [[], [A]], 'true'),
  row('other bytes', { ...fileIs, sha256: 'b'.repeat(64) }, [[], [A]], 'false'),
  row('bytes not read', { ...fileIs, sha256: 'a'.repeat(64) }, [[], [{ ...A, sha256: null }]], 'unknown'),
  row('a link', { ...fileIs, path: '/work/l', type: 'symlink', target: 'a' }, [[], [LINK]], 'true'),
  row(
    'a link elsewhere',
    { ...fileIs, path: '/work/l', type: 'symlink', target: 'b' },
    [[], [LINK]],
    'false',
  ),
];

describe('what became of files', () => {
  for (const { about, expect, before, after, truncated, truth } of ROWS) {
    test(`${expect.kind}: ${about} is ${truth}`, () => {
      const observed = observe({ steps: [{}] });
      const cut = truncated === true ? ['entries'] : [];
      const observation = {
        ...observed.observation,
        before: { way: 'host' as const, entries: before, truncated: [] },
        after: after === null ? null : { way: 'host' as const, entries: after, truncated: cut },
      };
      const seen = new Seen('case', [observation], bytesOf(observed));
      assert.equal(judgeExpectation(expect, seen).truth, truth);
    });
  }
});

describe('canaries', () => {
  const canaries: Expectation = { kind: 'no-canaries', texts: ['sekrit', 'hidden'] };
  const content = Buffer.from('a sekrit\n');
  const holder: SnapshotEntry = { ...A, sizeBytes: content.length, sha256: sha256Hex(content) };

  function look(parts: {
    readonly stdout?: string;
    readonly eofSeen?: boolean;
    readonly before?: readonly SnapshotEntry[];
    readonly after?: readonly SnapshotEntry[];
    readonly truncated?: boolean;
    readonly file?: Buffer | null;
  }): string {
    const observed = observe({ steps: [{ stdout: parts.stdout ?? 'fine', eofSeen: parts.eofSeen ?? true }] });
    const truncated = parts.truncated === true ? ['entries'] : [];
    const observation = {
      ...observed.observation,
      before: { way: 'host' as const, entries: parts.before ?? [], truncated: [] },
      after: { way: 'host' as const, entries: parts.after ?? [], truncated },
    };
    const file = (): Buffer | null => (parts.file === undefined ? content : parts.file);
    return judgeExpectation(canaries, new Seen('case', [observation], { stream: bytesOf(observed), file }))
      .truth;
  }

  const clean = Buffer.from('clean');
  const other: SnapshotEntry = { ...A, sizeBytes: clean.length, sha256: sha256Hex(clean) };

  for (const [about, parts, truth] of [
    ['nothing anywhere', {}, 'true'],
    ['one in a stream', { stdout: 'so sekrit!' }, 'false'],
    ['one in a stream that may go on', { stdout: 'so hidden!', eofSeen: false }, 'false'],
    ['none in a stream that may go on', { eofSeen: false }, 'unknown'],
    ['one in a new file', { after: [holder] }, 'false'],
    ['one in the file that it was given', { before: [holder], after: [holder] }, 'true'],
    ['one in a file that was another', { before: [other], after: [holder] }, 'false'],
    ['none in a new file', { after: [other], file: clean }, 'true'],
    ['a new file whose bytes were not kept', { after: [other], file: null }, 'unknown'],
    ['a new file with bytes of another', { after: [other], file: content }, 'unknown'],
    ['a new file that was not read', { after: [{ ...A, sha256: null }] }, 'unknown'],
    ['one in a name', { after: [{ ...A, kind: 'directory', sha256: null, path: '/work/sekrit' }] }, 'false'],
    ['one in the bytes of a name', { after: [{ ...RAW, kind: 'fifo', path: '/work/sekrit%FF' }] }, 'false'],
    [
      'none in a name that looks escaped',
      { after: [{ ...A, kind: 'fifo', path: '/work/sek%25rit' }] },
      'true',
    ],
    ['one in a link', { after: [{ ...LINK, target: '/hidden' }] }, 'false'],
    ['a cut listing', { truncated: true }, 'unknown'],
  ] as const) {
    test(`${about} is ${truth}`, () => assert.equal(look(parts), truth));
  }
});
