import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readAsset } from '../../document/assets.ts';
import { connectDocker, toReadable } from '../../engine/docker/client.ts';
import { findDockerEndpoint } from '../../engine/docker/endpoint.ts';
import { parseBaseLock } from '../../image/base-lock.ts';

/** What the base of a test leaves to packproof to lay. */
const NOT_IN_BASE = ['libatomic1', 'libcrypt1', 'libnss-myhostname', 'perl-base'];

/**
 * Unpacks the pinned packages as Debian itself would, `/bin` and its like being links, and packs what comes out.
 * `archives` is the folder of a context that holds them by sha256.
 */
export async function makeRootfs(folder: string, archives: string): Promise<string> {
  const root = join(folder, 'root');
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
  const lock = parseBaseLock(readAsset('docker/base.lock.json'));
  for (const item of lock.platforms['linux/amd64'].archives) {
    if (NOT_IN_BASE.includes(item.package)) continue;
    const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', join(archives, item.sha256)], {
      maxBuffer: 1 << 28,
    });
    execFileSync('tar', ['-x', '--keep-directory-symlink', '-C', root], { input: tar });
  }
  await rm(join(root, 'usr/share'), { recursive: true, force: true });
  return packRoot(folder, 'rootfs.tar.gz');
}

/** Packs the tree as it is now under another name. */
export async function packRoot(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  execFileSync('tar', ['-C', join(folder, 'root'), '-czf', file, '.']);
  return file;
}

/** A registry of the test's own on loopback. */
export class TestRegistry {
  readonly #folder: string;
  readonly #stop: () => void;
  readonly repository: string;

  private constructor(folder: string, port: number, stop: () => void) {
    this.#folder = folder;
    this.#stop = stop;
    this.repository = `127.0.0.1:${port}/packproof-test-${port}`;
  }

  static async start(): Promise<TestRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'packproof-registry-'));
    const port = await freePort();
    const config = {
      version: '0.1',
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: join(folder, 'data') } },
      http: { addr: `127.0.0.1:${port}` },
    };
    const file = join(folder, 'config.json');
    await writeFile(file, JSON.stringify(config));
    const child = spawn('docker-registry', ['serve', file], { stdio: 'ignore' });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`docker-registry ended with ${code}`)));
    });
    failed.catch(() => undefined);
    await Promise.race([untilAnswers(`http://127.0.0.1:${port}/v2/`), failed]);
    return new TestRegistry(folder, port, () => child.kill('SIGKILL'));
  }

  /** Gives the engine's image of a root file system to the registry, and its digest; the engine forgets it. */
  async push(rootfs: string): Promise<string> {
    const client = await connectDocker(await findDockerEndpoint(process.env), null);
    try {
      const source = createReadStream(rootfs);
      await drain(await client.streams.importImage(source, { repo: this.repository, tag: '1' }));
      const image = client.streams.getImage(`${this.repository}:1`);
      const said = await drain(await image.push({ authconfig: {} }));
      await client.calls.getImage(`${this.repository}:1`).remove();
      const digest = /"Digest":"sha256:([0-9a-f]{64})"/.exec(said)?.[1];
      if (digest === undefined) throw new Error(`no digest in ${said}`);
      return digest;
    } finally {
      client.destroy();
    }
  }

  async close(): Promise<void> {
    this.#stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function drain(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of toReadable(stream)) text += String(chunk);
  return text;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

/** A registry starts in a tenth of a second; a starved machine gets long. */
const START_LIMIT_MS = 30_000;

async function untilAnswers(url: string): Promise<void> {
  for (const end = Date.now() + START_LIMIT_MS; Date.now() < end; await pause(50)) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
  }
  throw new Error(`${url}: no answer`);
}

/** The base that a context was made with. */
export function readBase(context: string): {
  readonly kind: string;
  readonly rootfs: { readonly sha256: string };
} {
  const document: { readonly base: { readonly kind: string; readonly rootfs: { readonly sha256: string } } } =
    JSON.parse(readFileSync(join(context, 'context.json'), 'utf8'));
  return document.base;
}
