import type { CompiledCase, CompiledStep } from '../../../suite/compiled.ts';
import { localLink } from '../../../suite/layout.ts';
import { commonChecks, ownChecks } from './checks.ts';
import { emptyCase, PROJECT, type ScopeCase } from './scope-case.ts';
import { AFTER_STEP, BEFORE_STEP, CONTROL_STEP, CONTROLS, step } from './steps.ts';

/** Writes one case in the closed form that run and verify read. */
export function compileScopeCase(one: ScopeCase): CompiledCase {
  const argv = one.argv ?? [PROJECT];
  return {
    ...emptyCase(one),
    controls: CONTROLS,
    steps: [
      CONTROL_STEP,
      BEFORE_STEP,
      at(one, step('json', [localLink('packproof'), 'scope', ...argv, '--json'], one.cwd)),
      at(one, step('text', [localLink('packproof'), 'scope', ...argv], one.cwd)),
      AFTER_STEP,
    ],
    checks: [...commonChecks(one), ...ownChecks(one)],
  };
}

function at({ env = {} }: ScopeCase, made: CompiledStep): CompiledStep {
  const changed = Object.entries({ ...made.env, ...env });
  return {
    ...made,
    env: Object.fromEntries(changed.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
  };
}
