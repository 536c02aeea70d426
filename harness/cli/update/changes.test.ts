import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSuite } from '../../suite/language/compile-suite.ts';
import { FACTS_OF_TOOL } from '../../suite/language/testing/facts-of-tool.ts';
import { findChanges } from './changes.ts';
import type { Seen } from './seen.ts';

const HEAD = `formatVersion: 1
id: own
title: own
proves: [something]
doesNotProve: [anything else]
cases:
  - id: own.one
    why: it matters
    steps:
      - argv: ["\${bin:tool}"]
`;

/** What is found when every check has failed and all that was seen is this. */
async function found(rest: string, seen: Seen): Promise<readonly string[]> {
  const bytes = Buffer.from(`${HEAD}${rest}`);
  const suite = compileSuite(bytes, { file: 'own.yaml', candidateFacts: FACTS_OF_TOOL });
  const readBeside = () => ({ bytes: null, reason: 'nothing beside' });
  const run = { failed: () => true, seen: async () => seen };
  const changes = await findChanges({ name: 'own.yaml', bytes, readBeside }, suite, run);
  return changes.map((one) => ('why' in one ? one.why : `${one.before} to ${one.after}`));
}

const TEXT: Seen = { kind: 'bytes', expected: Buffer.from('old'), bytes: Buffer.from('new') };
const END: Seen = { kind: 'termination', key: 'signaled', value: 'SIGABRT' };

describe('what is offered of failed checks', () => {
  it('is what states one exact thing', async () => {
    assert.deepEqual(await found('    checks: [{ stdout: { equals: old } }]\n', TEXT), ['old to new']);
    const end = '    checks: [{ termination: { exited: 3 } }]\n';
    assert.deepEqual(await found(end, END), ['exited: 3\n to signaled: SIGABRT\n']);
  });

  it('is nothing that says more, or says it in several places', async () => {
    const silent = [
      '    checks: [{ stdout: { includes: old } }]\n',
      '    checks: [{ not: { stdout: { equals: old } } }]\n',
      '    checks: [{ termination: { exited: nonzero } }]\n',
      '    checks: [{ termination: [{ exited: 1 }, timed-out] }]\n',
      '    checks: [{ file: { path: a, equals: old } }]\n',
    ];
    for (const rest of silent) assert.deepEqual(await found(rest, TEXT), [], rest);
  });

  it('is refused with the reason where a new text would take something away', async () => {
    const placeholder = `    checks: [{ stdout: { equals: "$\{version}" } }]\n`;
    assert.deepEqual(await found(placeholder, TEXT), ['it has a placeholder']);
    const matrix = '    matrix: { flag: { a: x, b: y } }\n    checks: [{ stdout: { equals: old } }]\n';
    const shared = 'several cases of a matrix are stated here';
    assert.deepEqual(await found(matrix, TEXT), [shared, shared]);
    const unknown: Seen = { kind: 'unknown', why: 'the output was cut off' };
    assert.deepEqual(await found('    checks: [{ stdout: { equals: old } }]\n', unknown), [unknown.why]);
  });
});
