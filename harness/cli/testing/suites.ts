import { toCanonicalBytes } from '../../document/canonical.ts';
import { plainCase, plainStep } from '../../run/testing/plain-case.ts';
import type { CompiledCase, CompiledStep, CompiledSuite } from '../../suite/compiled.ts';
import { type FaultPackage, file } from '../../suite/testing/fault-package.ts';

/** The bytes of a suite of these cases, as `--suite` takes them. */
export function suiteBytes(
  cases: readonly CompiledCase[],
  id = 'trial',
  exceptions: Partial<Pick<CompiledSuite, 'exclusions' | 'expectedUnsupported'>> = {},
): Buffer {
  const suite: CompiledSuite = {
    formatVersion: 1,
    id,
    title: 'a suite of a test',
    proves: ['that the steps ended as they did'],
    doesNotProve: ['anything else'],
    archives: [],
    cases,
    exclusions: [],
    expectedUnsupported: [],
    ...exceptions,
  };
  return toCanonicalBytes(suite);
}

/** A case with one step `run`: an installed bin through its link, gated on the exit code 0. */
export function binCase(id: string, bin: string, step: Partial<CompiledStep> = {}): CompiledCase {
  return plainCase({
    id,
    steps: [plainStep({ argv: [`/opt/candidate/node_modules/.bin/${bin}`], ...step })],
  });
}

/** A package with one bin for each program; the programs are ES modules. */
export function programPackage(
  name: string,
  programs: Readonly<Record<string, string>>,
): Pick<FaultPackage, 'manifest' | 'files'> {
  const names = Object.keys(programs);
  return {
    manifest: {
      name,
      version: '1.2.3',
      type: 'module',
      license: 'MIT',
      repository: 'github:example/example',
      bin: Object.fromEntries(names.map((bin) => [bin, `${bin}.js`])),
    },
    files: Object.entries(programs).map(([bin, body]) =>
      file(`${bin}.js`, `#!/usr/bin/env node\n${body}\n`, 0o755),
    ),
  };
}
