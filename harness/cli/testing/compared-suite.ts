import { sha256Hex } from '../../document/digest.ts';
import { file } from '../../suite/testing/fault-package.ts';
import { packFault } from './candidates.ts';
import type { Workbench } from './workbench.ts';

/** A reference that comes in a tar, and one for no machine that there is. */
const ARCHIVES: Readonly<Record<string, Buffer>> = {
  foreign: Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(57, 0xff)]),
  tool: packFault({ manifest: {}, files: [file('bin/tool', '#!/bin/sh\necho same\n', 0o755)] }),
};

function comparedSuite(bin: string): string {
  const [foreign, tool] = ['foreign', 'tool'].map((name) => {
    const bytes = ARCHIVES[name] ?? Buffer.alloc(0);
    return `name: ${name}, file: compared/${name}, sha256: "${sha256Hex(bytes)}", sizeBytes: ${bytes.length}`;
  });
  return `
formatVersion: 1
id: compared
title: what references say to the same
proves: that they are observed
doesNotProve: anything about the program
archives:
  - { ${foreign}, unpack: none }
  - { ${tool}, unpack: tar.gz, strip: 1 }
cases:
  - id: compared
    why: another program says the same, and a third one does not start
    steps:
      - { name: foreign, kind: reference, archive: foreign, argv: ["\${archive:foreign}"] }
      - { name: tool, kind: reference, archive: tool, argv: ["\${archive:tool}/bin/tool"] }
      - { name: run, argv: ["\${bin:${bin}}"] }
    checks:
      - { step: run, severity: info, stdout: { sameAs: { step: tool } } }
`;
}

/** Writes `compared.yaml`, with its archives beside it: one case that passes when the bin exits with 0. */
export async function writeComparedSuite(bench: Workbench, bin: string): Promise<void> {
  await bench.writeFile('compared.yaml', comparedSuite(bin));
  await bench.makeFolder('compared');
  for (const [name, bytes] of Object.entries(ARCHIVES)) await bench.writeFile(`compared/${name}`, bytes);
}
