import type { CompiledArchive } from './archive.ts';
import type { CompiledSuite } from './compiled.ts';
import { excludedCases } from './exceptions.ts';

/** The archives that a case which is not excluded runs; the others need not be had. In the order of the suite. */
export function neededArchives(suite: CompiledSuite): readonly CompiledArchive[] {
  const excluded = excludedCases(suite);
  const used = new Set(
    suite.cases
      .filter(({ id }) => !excluded.has(id))
      .flatMap(({ references }) => references.map(({ archive }) => archive)),
  );
  return suite.archives.filter(({ name }) => used.has(name));
}
