import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../document/digest.ts';

const BLOCK = 512;

export const SAMPLE_NAME = '@scope/sample';
export const SAMPLE_VERSION = '1.2.3';
export const SAMPLE_BIN = 'sample';

/** Files of the sample candidate, as they stand in its archive. */
export const SAMPLE_FILES: readonly {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}[] = [
  {
    path: 'package.json',
    mode: 0o644,
    content: Buffer.from(
      JSON.stringify({ name: SAMPLE_NAME, version: SAMPLE_VERSION, bin: { [SAMPLE_BIN]: 'cli.js' } }),
    ),
  },
  { path: 'cli.js', mode: 0o644, content: Buffer.from('#!/usr/bin/env node\r\nconsole.log("help");\n') },
  { path: 'lib/.gitignore', mode: 0o664, content: Buffer.from('tmp\n') },
];

/** The sample candidate: a gzipped ustar file, written here byte by byte. */
export function sampleArchive(): {
  readonly bytes: Buffer;
  readonly unpackedBytes: number;
  readonly entries: number;
} {
  const parts = SAMPLE_FILES.map(({ path, mode, content }) => {
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return Buffer.concat([toHeader(`package/${path}`, mode, content.length), content, padding]);
  });
  const tar = Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
  return { bytes: gzipSync(tar), unpackedBytes: tar.length, entries: parts.length };
}

function toHeader(path: string, mode: number, sizeBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 'latin1');
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

export function sha512Hex(bytes: Buffer): string {
  return createHash('sha512').update(bytes).digest('hex');
}

export function describeBytes(bytes: Buffer): {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly sha512: string;
} {
  return { sizeBytes: bytes.length, sha256: sha256Hex(bytes), sha512: sha512Hex(bytes) };
}
