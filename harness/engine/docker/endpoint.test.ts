import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sha256Hex } from '../../document/digest.ts';
import { describeEndpoint, findDockerEndpoint, parseDockerHost } from './endpoint.ts';
import { DockerError } from './errors.ts';

describe('the endpoint of a Docker Engine', () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'packproof-home-'));
  });
  after(() => rm(home, { recursive: true }));

  async function writeContext(name: string, host: unknown, withTls: boolean): Promise<void> {
    const id = sha256Hex(Buffer.from(name));
    const meta = join(home, '.docker', 'contexts', 'meta', id);
    const tls = join(home, '.docker', 'contexts', 'tls', id, 'docker');
    await mkdir(meta, { recursive: true });
    await writeFile(
      join(meta, 'meta.json'),
      JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }),
    );
    if (withTls) {
      await mkdir(tls, { recursive: true });
      await writeFile(join(tls, 'ca.pem'), 'ca');
    }
  }

  it('is the system socket when nothing is said', async () => {
    assert.deepEqual(await findDockerEndpoint({ HOME: home }), {
      kind: 'unix',
      socketPath: '/var/run/docker.sock',
    });
  });

  it('is DOCKER_HOST before any context', async () => {
    const environment = { HOME: home, DOCKER_HOST: 'unix:///run/a.sock', DOCKER_CONTEXT: 'none' };
    assert.deepEqual(await findDockerEndpoint(environment), { kind: 'unix', socketPath: '/run/a.sock' });
  });

  it('is that of the current context, certificates included', async () => {
    await writeContext('far', 'tcp://10.0.0.1:2376', true);
    await writeFile(join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: 'far' }));
    const found = await findDockerEndpoint({ HOME: home });
    assert.equal(describeEndpoint(found), 'https://10.0.0.1:2376');
    await writeFile(join(home, '.docker', 'config.json'), '{broken');
    assert.equal(describeEndpoint(await findDockerEndpoint({ HOME: home })), 'unix:///var/run/docker.sock');
  });

  it('is that of DOCKER_CONTEXT before the current one', async () => {
    await writeContext('near', 'unix:///run/near.sock', false);
    const found = await findDockerEndpoint({ HOME: home, DOCKER_CONTEXT: 'near' });
    assert.equal(describeEndpoint(found), 'unix:///run/near.sock');
  });

  it('refuses a context that does not exist', async () => {
    await assert.rejects(
      findDockerEndpoint({ HOME: home, DOCKER_CONTEXT: 'gone' }),
      isUnsupported('gone', 'none'),
    );
  });

  it('takes TLS from the environment', async () => {
    const environment = { DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' };
    assert.deepEqual(await findDockerEndpoint(environment), {
      kind: 'tcp',
      host: 'h',
      port: 2376,
      tlsFolder: '/certs',
    });
  });

  it('understands the written forms and repeats them', () => {
    for (const text of ['unix:///a/b.sock', 'tcp://127.0.0.1:1234', 'tcp://[::1]:99']) {
      assert.equal(describeEndpoint(parseDockerHost(text, null)), text);
    }
    assert.equal(describeEndpoint(parseDockerHost('http://h:80', null)), 'tcp://h:80');
    assert.equal(describeEndpoint(parseDockerHost('tcp://h', null)), 'tcp://h:2375');
  });

  for (const text of [
    'ssh://host',
    'unix://relative',
    'npipe:////./pipe/x',
    'h:2375',
    'tcp://',
    'https://h:1',
  ]) {
    it(`refuses ${text}`, () => {
      assert.throws(() => parseDockerHost(text, null), isUnsupported('DOCKER_HOST', text));
    });
  }
});

function isUnsupported(where: string, actual: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof DockerError, String(error));
    assert.deepEqual(
      [error.code, error.kind, error.where, error.actual],
      ['ENDPOINT_UNSUPPORTED', 'usage', where, actual],
    );
    return true;
  };
}
