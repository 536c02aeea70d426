import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageCode } from './errors.ts';
import { fileOf, type LayerEntry } from './layer-entry.ts';
import { type LayerRules, planLayer } from './layer-plan.ts';
import { fault } from './testing/scratch.ts';

const ANYWHERE: LayerRules = { prefix: null, fault: 'infrastructure' };
const CANDIDATE: LayerRules = { prefix: 'opt/candidate', fault: 'candidate' };
const text = (path: string, mode?: number): LayerEntry => fileOf(path, Buffer.from('x'), mode);
const link = (path: string, target: string): LayerEntry => ({ kind: 'symlink', path, target });
const folder = (path: string, mode = 0o755): LayerEntry => ({ kind: 'directory', path, mode });

describe('planLayer', () => {
  it('adds parents, puts them first and sorts by bytes', () => {
    const planned = planLayer(
      [text('b/é'), text('b/\u{1F600}'), text('b/\uFFFD'), text('a-'), text('a/z')],
      ANYWHERE,
    );
    assert.deepEqual(
      planned.map(({ kind, path }) => `${kind} ${path}`),
      ['directory a', 'file a-', 'file a/z', 'directory b', 'file b/é', 'file b/\uFFFD', 'file b/\u{1F600}'],
    );
  });

  it('brings modes into the small set by what the owner may execute', () => {
    const modes = [0o600, 0o700, 0o744, 0o777, 0o4, 0o11].map((mode, index) => text(`f${index}`, mode));
    const planned = planLayer([...modes, folder('d', 0o700), folder('tmp', 0o700)], ANYWHERE);
    assert.deepEqual(
      planned.map((entry) => (entry.kind === 'symlink' ? '' : `${entry.path} ${entry.mode.toString(8)}`)),
      ['d 755', 'f0 644', 'f1 755', 'f2 755', 'f3 755', 'f4 644', 'f5 644', 'tmp 1777'],
    );
  });

  it('allows directories at mount points, and files where engines lay files', () => {
    const planned = planLayer([folder('home/node'), folder('work'), text('etc/passwd')], ANYWHERE);
    assert.deepEqual(
      planned.map(({ path }) => path),
      ['etc', 'etc/passwd', 'home', 'home/node', 'work'],
    );
  });

  it('allows links that stay below the prefix', () => {
    const entries = [
      text('opt/candidate/node_modules/a/c.js'),
      link('opt/candidate/node_modules/.bin/a', '../a/c.js'),
      link('opt/candidate/global/lib/x', '/opt/candidate/node_modules'),
    ];
    assert.equal(planLayer(entries, CANDIDATE).length, 10);
  });
});

interface Refusal {
  readonly why: string;
  readonly code: ImageCode;
  readonly where: string;
  readonly entries: readonly LayerEntry[];
  readonly rules?: LayerRules;
}

const REFUSALS: readonly Refusal[] = [
  { why: 'no entry at all', code: 'LAYER_EMPTY', where: '/', entries: [] },
  { why: 'an empty path', code: 'PATH_INVALID', where: '', entries: [text('')] },
  { why: 'an absolute path', code: 'PATH_INVALID', where: '/a', entries: [text('/a')] },
  { why: 'a path that climbs', code: 'PATH_INVALID', where: 'a/../../b', entries: [text('a/../../b')] },
  { why: 'a dot part', code: 'PATH_INVALID', where: './a', entries: [text('./a')] },
  { why: 'a doubled slash', code: 'PATH_INVALID', where: 'a//b', entries: [text('a//b')] },
  { why: 'a trailing slash', code: 'PATH_INVALID', where: 'a/', entries: [folder('a/')] },
  { why: 'a NUL', code: 'PATH_INVALID', where: 'a\0b', entries: [text('a\0b')] },
  { why: 'a lone surrogate', code: 'PATH_INVALID', where: 'a\uD800', entries: [text('a\uD800')] },
  {
    why: 'a part beyond NAME_MAX',
    code: 'PATH_INVALID',
    where: 'a'.repeat(256),
    entries: [text('a'.repeat(256))],
  },
  { why: 'a path twice', code: 'PATH_DUPLICATE', where: 'a', entries: [text('a'), link('a', 'b')] },
  {
    why: 'a file below a file',
    code: 'PARENT_NOT_DIRECTORY',
    where: 'a/b/c',
    entries: [text('a'), text('a/b/c')],
  },
  {
    why: 'a file below a link',
    code: 'PARENT_NOT_DIRECTORY',
    where: 'a/b',
    entries: [text('a/b'), link('a', '/etc')],
  },
  ...['dev', 'proc', 'sys', 'tmp', 'work', 'home', 'home/node', 'etc'].map(
    (path): Refusal => ({
      why: `a link at ${path}`,
      code: 'MOUNT_POINT_NOT_DIRECTORY',
      where: path,
      entries: [link(path, 'usr')],
    }),
  ),
  {
    why: 'a file at a mount point',
    code: 'MOUNT_POINT_NOT_DIRECTORY',
    where: 'home/node',
    entries: [text('home/node')],
  },
  {
    why: 'a link at /etc/passwd',
    code: 'MOUNT_POINT_NOT_DIRECTORY',
    where: 'etc/passwd',
    entries: [link('etc/passwd', '/tmp/x')],
  },
  {
    why: 'a directory at /etc/passwd',
    code: 'MOUNT_POINT_NOT_DIRECTORY',
    where: 'etc/passwd',
    entries: [folder('etc/passwd')],
  },
  { why: 'a setuid file', code: 'MODE_FORBIDDEN', where: 'a', entries: [text('a', 0o4755)] },
  { why: 'a setgid directory', code: 'MODE_FORBIDDEN', where: 'd', entries: [folder('d', 0o2755)] },
  { why: 'an empty link target', code: 'LINK_TARGET_INVALID', where: 'a', entries: [link('a', '')] },
  { why: 'a NUL in a target', code: 'LINK_TARGET_INVALID', where: 'a', entries: [link('a', 'b\0')] },
  {
    why: 'a file beyond the ustar size field',
    code: 'FILE_TOO_LARGE',
    where: 'a',
    entries: [{ kind: 'file', path: 'a', mode: 0o644, sizeBytes: 8 ** 11, content: Buffer.alloc(0) }],
  },
  {
    why: 'a path outside the prefix',
    code: 'PATH_OUTSIDE_PREFIX',
    where: 'usr/local/bin/node',
    entries: [text('usr/local/bin/node')],
    rules: CANDIDATE,
  },
  {
    why: 'a neighbour of the prefix',
    code: 'PATH_OUTSIDE_PREFIX',
    where: 'opt/candidate-2/x',
    entries: [text('opt/candidate-2/x')],
    rules: CANDIDATE,
  },
  {
    why: 'an absolute link out of the prefix',
    code: 'LINK_ESCAPES_PREFIX',
    where: 'opt/candidate/a',
    entries: [link('opt/candidate/a', '/etc/passwd')],
    rules: CANDIDATE,
  },
  {
    why: 'a relative link out of the prefix',
    code: 'LINK_ESCAPES_PREFIX',
    where: 'opt/candidate/a',
    entries: [link('opt/candidate/a', '../archives')],
    rules: CANDIDATE,
  },
  {
    why: 'a link above the root',
    code: 'LINK_ESCAPES_PREFIX',
    where: 'opt/candidate/a',
    entries: [link('opt/candidate/a', '../../../../../x')],
    rules: CANDIDATE,
  },
];

describe('planLayer refuses', () => {
  for (const { why, code, where, entries, rules = ANYWHERE } of REFUSALS) {
    it(why, () => {
      assert.throws(() => planLayer(entries, rules), { ...fault(code, where), kind: rules.fault });
    });
  }
});
