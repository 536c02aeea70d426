import { dirname, join } from 'node:path';
import Config from '@npmcli/config';
import parts from '@npmcli/config/lib/definitions/index.js';
import { PrepareError } from './errors.ts';

/**
 * The user's npm settings that concern fetching: registries, credentials, proxy, certificates, retries.
 *
 * They stay in this process. No part of them is written, logged, put into an error, or given to the npm
 * that resolves.
 */
export type FetchSettings = Readonly<Record<string, unknown>>;

/** npm's own default registry, which the setting `replace-registry-host=npmjs` means. */
export const DEFAULT_REGISTRY = String(parts.definitions.registry?.default ?? '');

/** Nothing else of npm's settings has anything to do with how bytes are fetched. */
const FETCH_KEYS: readonly string[] = [
  'registry',
  'scope',
  'proxy',
  'httpsProxy',
  'noProxy',
  'ca',
  'cert',
  'key',
  'strictSSL',
  'localAddress',
  'maxSockets',
  'retry',
  'timeout',
  'userAgent',
  'replaceRegistryHost',
];

/**
 * Reads npm's configuration as npm itself would in `cwd`: built-in, global, user, project, environment.
 *
 * @throws {PrepareError} NPM_CONFIG_INVALID, without any value of it.
 */
export async function readFetchSettings(
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FetchSettings> {
  const config = new Config({
    ...parts,
    npmPath: join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm'),
    // npm reads options from argv; ours are not npm's.
    argv: [process.execPath, 'packproof'],
    // load() writes into the environment it is given.
    env: { ...env },
    cwd,
    warn: false,
  });
  try {
    await config.load();
    config.validate();
    return pickFetchSettings(config.flat);
  } catch (error) {
    throw new PrepareError('usage', 'NPM_CONFIG_INVALID', 'npm configuration', {
      where: 'npm config',
      expected: 'settings that npm accepts',
      actual: error instanceof Error ? error.name : 'an error',
    });
  }
}

function pickFetchSettings(flat: Readonly<Record<string, unknown>>): FetchSettings {
  const picked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat)) {
    if (FETCH_KEYS.includes(key) || key.startsWith('//') || /^@.*:registry$/iu.test(key)) picked[key] = value;
  }
  return picked;
}
