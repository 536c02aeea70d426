import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROFILES } from '../scope/profiles/profiles.ts';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-cli-')));
after(() => rmSync(dir, { recursive: true, force: true }));
const project = join(dir, 'project');
mkdirSync(project);
mkdirSync(join(dir, 'home'));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function scope(...argv: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'scope', ...argv], {
    cwd: project,
    env: { HOME: join(dir, 'home'), PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, stdout, stderr };
}

describe('packproof scope', () => {
  it('ends with 0 for an inventoried project and with 1 once a source is malformed', () => {
    const good = scope(project, '--json');
    assert.deepEqual([good.code, good.stderr], [0, '']);
    assert.equal(JSON.parse(good.stdout).inventoryComplete, true);
    writeFileSync(join(project, '.mcp.json'), '{"mcpServers":{"a":{"command":"CANARY"}');
    const broken = scope('.', '--json');
    assert.deepEqual([broken.code, broken.stderr], [1, '']);
    assert.equal(JSON.parse(broken.stdout).inventoryComplete, false);
    assert.doesNotMatch(broken.stdout, /CANARY/);
    rmSync(join(project, '.mcp.json'));
  });

  it('ends with 1 for an invalid root and says what it is', () => {
    const missing = scope(join(dir, 'none'));
    assert.equal(missing.code, 1);
    assert.match(missing.stdout, /^root state {2}missing$/m);
    const json = scope(join(dir, 'none'), '--json');
    assert.deepEqual([json.code, JSON.parse(json.stdout).root.state], [1, 'missing']);
  });

  it('ends with 2 for an empty or absent root and for an unknown client, with nothing on stdout', () => {
    for (const [argv, code] of [
      [[''], 'ARGUMENT_MISSING'],
      [[], 'ARGUMENT_MISSING'],
      [[project, '--client', 'emacs'], 'FLAG_VALUE'],
      [[project, '--client', ''], 'FLAG_VALUE'],
      [['', '--client', 'emacs'], 'FLAG_VALUE'],
      [[project, project], 'ARGUMENT_EXTRA'],
    ] as const) {
      const ended = scope(...argv);
      assert.deepEqual([ended.code, ended.stdout], [2, ''], argv.join(' '));
      assert.match(ended.stderr, new RegExp(`\\[${code}\\]\\n$`));
    }
  });

  it('says nothing of the operating system when the current directory is gone or nobody has a home', () => {
    const gone = join(dir, 'gone');
    mkdirSync(gone);
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const away = spawnSync('sh', ['-c', script, 'sh', gone, process.execPath, MAIN, 'scope', '.', '--json'], {
      env: { HOME: join(dir, 'home'), PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    });
    assert.deepEqual([away.status, away.stderr, JSON.parse(away.stdout).root.state], [1, '', 'missing']);
    for (const home of ['', 'relative', '/nowhere/\ufffd']) {
      const homeless = spawnSync(process.execPath, [MAIN, 'scope', project, '--json'], {
        env: { PATH: '/usr/bin:/bin', HOME: home },
        encoding: 'utf8',
      });
      assert.deepEqual([homeless.status, homeless.stderr], [1, '']);
      assert.match(homeless.stdout, /"state":"unreadable","problem":"home-unknown"/);
    }
  });

  it('explains rows and names every client in its help, which says that it is a snapshot', () => {
    assert.match(scope(project, '--explain').stdout, /no file is there/);
    const help = scope('--help').stdout;
    for (const { id } of PROFILES) assert.ok(help.includes(id), id);
    assert.match(help, /snapshot, not an atomic view/);
  });
});
