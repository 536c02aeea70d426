import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCandidateFacts } from '../candidate-facts.ts';
import { generateSmokeSuite } from '../smoke/generate.ts';
import { FAULT_PACKAGES, type FaultPackage } from './fault-packages.ts';

/** Topic and severity of every check that the generated suite of a package holds. */
function severities(fault: FaultPackage): ReadonlyMap<string, string> {
  const bins = Object.entries((fault.manifest['bin'] ?? {}) as Record<string, string>);
  const facts = toCandidateFacts(fault.manifest, {
    bins: bins.map(([name, path]) => ({ name, path })),
    files: fault.files.map((file) => file.path),
  });
  return new Map(
    generateSmokeSuite(facts, ['20.20.2']).cases.flatMap((one) => {
      const topic = one.id.startsWith('bin.') ? one.id.slice(one.id.lastIndexOf('.') + 1) : one.id;
      return one.checks.map((check) => [`${topic}/${check.id}`, check.severity] as const);
    }),
  );
}

describe('fault packages', () => {
  test('have names of their own', () => {
    const names = FAULT_PACKAGES.map((fault) => fault.name.toLowerCase());
    assert.equal(new Set(names).size, names.length);
  });

  test('cover at least 45 faults, each expected to be seen somewhere, and good ones beside them', () => {
    const faults = FAULT_PACKAGES.filter((fault) => fault.name.startsWith('f-'));
    assert.ok(faults.length >= 45, `${faults.length}`);
    const unseen = faults.filter(
      (fault) => fault.findings.length + fault.gates.length + fault.warns.length === 0 && !fault.installFails,
    );
    assert.deepEqual(
      unseen.map((fault) => fault.name),
      [],
    );
    const good = FAULT_PACKAGES.filter((fault) => fault.name.startsWith('g-'));
    assert.ok(good.length >= 10, `${good.length}`);
    assert.deepEqual(
      good.filter((fault) => fault.gates.length > 0),
      [],
    );
  });

  for (const fault of FAULT_PACKAGES) {
    test(`${fault.name} expects checks that its suite holds, with their severity`, () => {
      const held = severities(fault);
      for (const gate of fault.gates) assert.equal(held.get(`${gate.topic}/${gate.check}`), 'gate');
      for (const warn of fault.warns) {
        assert.match(held.get(`${warn.topic}/${warn.check}`) ?? 'absent', /^(warn|info)$/, warn.check);
      }
    });
  }
});
