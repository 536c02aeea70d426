import type { LoadedImage } from '../engine/engine.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { versionsOf } from '../suite/node-versions.ts';
import type { CasePlan } from './case-plan.ts';
import { RunError } from './errors.ts';
import type { RunRequest } from './request.ts';

/**
 * Every declared case on every Node version that it asks for, in the order of the result: suite, case, version.
 *
 * @throws {RunError} IMAGE_MISSING, DUPLICATE_CASE
 */
export function planCases(request: Pick<RunRequest, 'images' | 'suites'>): readonly CasePlan[] {
  const images = [...request.images];
  if (images.length === 0) {
    throw new RunError('IMAGE_MISSING', 'images', { where: 'run', expected: 'at least one', actual: '0' });
  }
  refuseDuplicates(request.suites.flatMap((suite) => suite.cases));
  const plans: CasePlan[] = [];
  for (const suite of request.suites) {
    for (const one of suite.cases) {
      for (const [node, image] of imagesFor(one, images)) {
        plans.push({ suiteId: suite.id, case: one, node, image, order: plans.length });
      }
    }
  }
  return plans;
}

function imagesFor(
  one: CompiledCase,
  images: readonly (readonly [string, LoadedImage])[],
): readonly (readonly [string, LoadedImage])[] {
  const versions = versionsOf(
    one,
    images.map(([node]) => node),
  );
  return images.filter(([node]) => versions.includes(node));
}

/** Case ids become folder names, so they are compared as a case-insensitive file system would. */
function refuseDuplicates(cases: readonly CompiledCase[]): void {
  const seen = new Set<string>();
  for (const { id } of cases) {
    const folded = id.toLowerCase();
    if (seen.has(folded)) {
      throw new RunError('DUPLICATE_CASE', 'case id', {
        where: id,
        expected: 'once over all suites',
        actual: 'twice',
      });
    }
    seen.add(folded);
  }
}
