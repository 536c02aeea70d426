import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DockerError, type DockerErrorCode } from './errors.ts';
import { checkVersionFloor, negotiateApiVersion, probeDocker } from './probe.ts';

const VERSION = {
  Version: '29.1.0',
  ApiVersion: '1.52',
  MinAPIVersion: '1.44',
  Os: 'linux',
  Arch: 'amd64',
  Components: [
    { Name: 'Engine', Version: '29.1.0' },
    { Name: 'runc', Version: '1.3.3' },
  ],
};
const INFO = {
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
  CpuCfsPeriod: true,
  SecurityOptions: ['name=seccomp,profile=builtin', 'name=cgroupns'],
  DefaultRuntime: 'runc',
  KernelVersion: '6.1.0',
  Driver: 'overlayfs',
  CgroupVersion: '2',
};

/** Answers as engines do that cannot be had here: newer, older, rootless, podman's API, a lying one. */
describe('the probe of an engine', () => {
  let folder: string;
  let server: Server;
  let version: unknown;
  let info: unknown;
  let status: number;
  const paths: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-probe-'));
    server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify((request.url ?? '').endsWith('/version') ? version : info));
    });
    await new Promise<void>((resolve) => server.listen(join(folder, 's'), resolve));
  });
  beforeEach(() => {
    [version, info, status] = [VERSION, INFO, 200];
    paths.length = 0;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const probe = () => probeDocker({ kind: 'unix', socketPath: join(folder, 's') });

  async function assertRefused(code: DockerErrorCode, where: string): Promise<void> {
    const found = await probe();
    assert.equal(found.kind, 'refused');
    assert.deepEqual(found.kind === 'refused' && [found.error.code, found.error.where, found.error.kind], [
      code,
      where,
      'infrastructure',
    ]);
  }

  it('takes a newer engine with the API that both know', async () => {
    const found = await probe();
    assert.deepEqual(found.kind === 'ready' && found.identity, {
      version: '29.1.0',
      apiVersion: '1.47',
      kernel: '6.1.0',
      platform: 'linux/amd64',
      storage: 'overlayfs',
      cgroupVersion: 2,
      runtime: { name: 'runc', version: '1.3.3' },
      securityOptions: INFO.SecurityOptions,
    });
    assert.deepEqual(paths, ['/version', '/v1.47/info']);
  });

  it('refuses another program behind the same paths', async () => {
    version = { ...VERSION, Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] };
    await assertRefused('NOT_DOCKER', 'Components');
    version = { ...VERSION, Components: null };
    await assertRefused('NOT_DOCKER', 'Components');
  });

  it('refuses an engine below the floor', async () => {
    version = { ...VERSION, Version: '20.10.17' };
    await assertRefused('ENGINE_TOO_OLD', 'Version');
  });

  it('refuses an engine for Windows boxes', async () => {
    version = { ...VERSION, Os: 'windows' };
    await assertRefused('PLATFORM_UNSUPPORTED', 'Os');
  });

  it('refuses an engine that asks for a newer API than ours', async () => {
    version = { ...VERSION, ApiVersion: '1.60', MinAPIVersion: '1.48' };
    await assertRefused('API_VERSION_UNSUPPORTED', 'ApiVersion');
  });

  for (const limit of ['MemoryLimit', 'SwapLimit', 'PidsLimit', 'CpuCfsQuota', 'CpuCfsPeriod']) {
    it(`refuses an engine that cannot enforce ${limit}`, async () => {
      info = { ...INFO, [limit]: false };
      await assertRefused('LIMIT_NOT_ENFORCEABLE', limit);
      info = { ...INFO, [limit]: undefined };
      await assertRefused('LIMIT_NOT_ENFORCEABLE', limit);
    });
  }

  it('refuses an engine without seccomp', async () => {
    info = { ...INFO, SecurityOptions: ['name=rootless'] };
    await assertRefused('LIMIT_NOT_ENFORCEABLE', 'SecurityOptions');
  });

  it('refuses answers of another form', async () => {
    version = { ...VERSION, Version: 29 };
    await assertRefused('ANSWER_INVALID', '/version: Version');
    version = [];
    await assertRefused('ANSWER_INVALID', '/version');
    version = VERSION;
    info = { ...INFO, Driver: null };
    await assertRefused('ANSWER_INVALID', '/info: Driver');
  });

  it('refuses an engine that fails, and tells it from one that is not there', async () => {
    status = 503;
    assert.equal((await probe()).kind, 'refused');
    const nothing = await probeDocker({ kind: 'unix', socketPath: join(folder, 'none') });
    assert.equal(nothing.kind, 'absent');
  });
});

describe('version rules', () => {
  it('negotiate down to the older side and never below 1.41', () => {
    assert.equal(negotiateApiVersion('1.41', '1.12'), '1.41');
    assert.equal(negotiateApiVersion('1.43', null), '1.43');
    assert.equal(negotiateApiVersion('1.99', '1.44'), '1.47');
    assert.throws(() => negotiateApiVersion('1.40', '1.12'), hasCode('API_VERSION_UNSUPPORTED'));
    assert.throws(() => negotiateApiVersion('1.9', '1.9'), hasCode('API_VERSION_UNSUPPORTED'));
  });

  it('hold for the versions of distributions and reject what is no version', () => {
    for (const version of ['20.10.18', '20.10.24+dfsg1', '29.0.0-rc.1', '24.0']) {
      checkVersionFloor(version);
    }
    for (const version of ['20.10.17', '20.9.99', '19.03.15', 'dev', '', 'v28.0.0']) {
      assert.throws(() => checkVersionFloor(version), hasCode('ENGINE_TOO_OLD'));
    }
  });
});

function hasCode(code: DockerErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof DockerError && error.code === code;
}
