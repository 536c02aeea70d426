import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageRoot } from '../../../document/assets.ts';
import type { CompiledCase, CompiledCheck, CompiledSuite } from '../../../suite/compiled.ts';
import { localLink } from '../../../suite/layout.ts';
import { buildScopeSuite } from './suite.ts';

/** A patch of compiled code: `find` stands in the file exactly once. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The command with one rule broken, and what catches it. */
export interface Twin {
  /** Name of its file and of its bin. */
  readonly rule: string;
  readonly why: string;
  readonly case: string;
  readonly check: string;
  /** Other checks of the case that fail with it: all of them, so that a twin that only crashes is none. */
  readonly alsoFails: readonly string[];
  readonly hangs: boolean;
  readonly patches: readonly Patch[];
}

const FIELDS = ['why', 'case', 'check', 'alsoFails', 'patches'];

/** The bin that is built as the twins are, with nothing broken. */
export const UNBROKEN = 'unbroken';

/** A twin that hangs never answers, so that the wait may be short. */
const HANG_MS = 2000;

/** Every file of cases/scope/broken. @throws {Error} for a file with a field too many or too few */
export function readTwins(): readonly Twin[] {
  const folder = join(packageRoot(), 'cases/scope/broken');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().map((name) => {
    const value = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const fields = Object.keys(value).filter((key) => key !== 'hangs');
    if (fields.join() !== FIELDS.join()) throw new Error(`${name}: expected the fields ${FIELDS.join()}`);
    return { hangs: false, ...value, rule: basename(name, '.json') };
  });
}

/**
 * A suite that passes when each twin is caught: the case that a twin names, with exactly the checks turned
 * round that must fail. What passes on the product must pass here too, so that no twin is caught by chance.
 */
export function buildTwinSuite(twins: readonly Twin[]): CompiledSuite {
  const { cases, ...suite } = buildScopeSuite();
  const byId = new Map(cases.map((compiled) => [compiled.id, compiled]));
  const find = (id: string): CompiledCase => {
    const compiled = byId.get(id);
    if (compiled === undefined) throw new Error(`${id}: expected a case of the suite`);
    return compiled;
  };
  return {
    ...suite,
    id: 'packproof.scope.twins',
    title: 'broken inventories of client configuration',
    proves: ['Each broken inventory fails the check that names its rule, and no check besides those listed.'],
    doesNotProve: ['Anything about the inventory itself.'],
    exclusions: [],
    cases: [
      turned({ ...find('claude-all-origins'), id: UNBROKEN }, UNBROKEN, []),
      ...twins.map((twin) => toTwinCase(twin, find(twin.case))),
    ],
  };
}

function toTwinCase(twin: Twin, compiled: CompiledCase): CompiledCase {
  const caught = [twin.check, ...twin.alsoFails];
  const unknown = caught.filter((id) => compiled.checks.every((check) => check.id !== id));
  if (unknown.length > 0) throw new Error(`${twin.rule}: ${compiled.id} has no check ${unknown.join()}`);
  const changed = turned({ ...compiled, id: twin.rule, why: twin.why }, twin.rule, caught);
  return twin.hangs ? impatient(changed, twin.rule) : changed;
}

function turned(compiled: CompiledCase, bin: string, caught: readonly string[]): CompiledCase {
  return {
    ...compiled,
    steps: compiled.steps.map((step) =>
      step.argv[0] === localLink('packproof')
        ? { ...step, argv: [localLink(bin), ...step.argv.slice(1)] }
        : step,
    ),
    checks: compiled.checks.map((check) => (caught.includes(check.id) ? mustFail(check) : check)),
  };
}

function mustFail(check: CompiledCheck): CompiledCheck {
  return { ...check, why: `must fail: ${check.why}`, expect: { kind: 'not', of: check.expect } };
}

function impatient(compiled: CompiledCase, bin: string): CompiledCase {
  const steps = compiled.steps.map((step) =>
    step.argv[0] === localLink(bin) ? { ...step, timeoutMs: HANG_MS } : step,
  );
  return { ...compiled, steps };
}
