import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SnapshotEntry } from '../engine/engine.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import { byAbsolutePath, type ListedFile } from './box-files.ts';
import { findNamedFiles } from './named-files.ts';

function listed(path: string, change: Partial<ListedFile> = {}): ListedFile {
  return { path, kind: 'file', mode: '0755', sizeBytes: 1, sha256: `image:${path}`, target: null, ...change };
}

function link(path: string, target: string): ListedFile {
  return listed(path, { kind: 'symlink', mode: '0777', sha256: null, target });
}

function folder(path: string, mode = '0755'): ListedFile {
  return listed(path, { kind: 'directory', mode, sha256: null });
}

function laid(path: string, change: Partial<SnapshotEntry> = {}): SnapshotEntry {
  const owner = { uid: 1000, gid: 1000, mtimeMs: 0 };
  return {
    path,
    kind: 'file',
    mode: '0755',
    sizeBytes: 1,
    sha256: `laid:${path}`,
    target: null,
    ...owner,
    ...change,
  };
}

const IMAGE = byAbsolutePath([
  link('bin', 'usr/bin'),
  folder('usr'),
  folder('usr/bin'),
  listed('usr/bin/env'),
  listed('usr/bin/data', { mode: '0644' }),
  folder('usr/local'),
  folder('usr/local/bin'),
  listed('usr/local/bin/node'),
  link('usr/local/bin/data', '/usr/local/bin/node'),
  folder('opt'),
  listed('opt/100%'),
  link('opt/round', '/opt/round'),
  folder('closed', '0700'),
  listed('closed/tool'),
]);

interface Setting {
  readonly laid?: readonly SnapshotEntry[];
  readonly exec?: boolean;
  readonly step?: Partial<Pick<CompiledStep, 'cwd' | 'env'>>;
}

function named(argv: readonly string[], setting: Setting = {}): readonly (string | null)[] {
  const step = { argv, cwd: '/work', env: {}, ...setting.step };
  const snapshot = { way: 'host', entries: setting.laid ?? [], truncated: [] } as const;
  const place = { image: IMAGE, laid: snapshot, exec: setting.exec ?? false };
  return findNamedFiles(step, place).map(
    ({ word, file }) => `${word} ${file === null ? 'none' : `${file.path} ${file.sha256}`}`,
  );
}

const NODE = '0 /usr/local/bin/node image:usr/local/bin/node';

describe('the files that a command names', () => {
  it('finds a name in the first folder of PATH that has a program of it, by way of links', () => {
    const path = { env: { PATH: '/nowhere:/usr/local/bin:/bin' } };
    assert.deepEqual(named(['node'], { step: path }), [NODE]);
    assert.deepEqual(named(['env'], { step: path }), ['0 /usr/bin/env image:usr/bin/env']);
    // Found where it may not be run, it is looked for further.
    assert.deepEqual(named(['data'], { step: { env: { PATH: '/bin:/usr/local/bin' } } }), [NODE]);
    assert.deepEqual(named(['env']), ['0 /usr/bin/env image:usr/bin/env']);
    assert.deepEqual(named(['node']), ['0 none']);
  });

  it('takes a name with a slash for a path, from the folder that the step starts in', () => {
    assert.deepEqual(named(['./node'], { step: { cwd: '/usr/local/bin' } }), [NODE]);
    assert.deepEqual(named(['/bin/../local/bin/node']), [NODE]);
    assert.deepEqual(named(['/usr/bin/env/']), ['0 none']);
    assert.deepEqual(named(['']), ['0 none']);
  });

  it('starts nothing in a writable place unless the case may, and nothing without the right to', () => {
    const entries = [laid('/work/tool')];
    assert.deepEqual(named(['/work/tool'], { laid: entries }), ['0 none']);
    assert.deepEqual(named(['./tool'], { laid: entries, exec: true }), ['0 /work/tool laid:/work/tool']);
    const others = [laid('/work/tool', { uid: 0, gid: 0, mode: '0744' })];
    assert.deepEqual(named(['./tool'], { laid: others, exec: true }), ['0 none']);
    const groups = [laid('/work/tool', { uid: 0, mode: '0654' })];
    assert.deepEqual(named(['./tool'], { laid: groups, exec: true }), ['0 /work/tool laid:/work/tool']);
    assert.deepEqual(named(['/closed/tool']), ['0 none']);
    assert.deepEqual(named(['/usr/bin/data']), ['0 none']);
  });

  it('names other words where they are regular files, whatever their mode', () => {
    const entries = [laid('/work/a', { mode: '0000' }), laid('/work/dir', { kind: 'directory' })];
    assert.deepEqual(
      named(['/bin/env', 'a', '--flag=a', 'dir', '/usr/bin/data', '/opt/100%', '/opt/round', 'gone'], {
        laid: entries,
      }),
      [
        '0 /usr/bin/env image:usr/bin/env',
        '1 /work/a laid:/work/a',
        '4 /usr/bin/data image:usr/bin/data',
        '5 /opt/100%25 image:opt/100%',
      ],
    );
  });

  it('follows links from the writable places into the image and back', () => {
    const entries = [
      laid('/work/out', { kind: 'symlink', target: '/usr/local' }),
      laid('/work/self', { kind: 'symlink', target: '../tmp/x' }),
      laid('/tmp/x'),
    ];
    assert.deepEqual(named(['out/bin/node', 'self'], { laid: entries }), [NODE, '1 /tmp/x laid:/tmp/x']);
  });

  it('says nothing of what the kernel makes up', () => {
    assert.deepEqual(named(['/proc/self/exe', '/dev/null']), ['0 none']);
    // What lies behind such a folder of PATH is not told either: it may not be reached.
    assert.deepEqual(named(['env'], { step: { env: { PATH: '/proc/self/cwd:/bin' } } }), ['0 none']);
  });
});
