import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { findExactValues, replaceValues } from './suite-text.ts';

const TEXT = `# head
cases:
- id: a   # of the case
  checks:
  - stdout: { equals: "old\\n" } # of stdout
  - stderr:
      equals: |
        one
        two
    # below the block
  - termination: { exited: 3 }   # of the end
  - termination: { exited: nonzero }
  - termination: [{ exited: 1 }, timed-out]
  - stdout: {equalsFile: out.txt}
`;

describe('exact values of a suite file', () => {
  const found = [...findExactValues(TEXT).values()];

  it('are those that state one thing', () => {
    assert.deepEqual(
      found.map(({ kind, written }) => [kind, written]),
      [
        ['text', 'old\n'],
        ['text', 'one\ntwo\n'],
        ['termination', '3'],
        ['file', 'out.txt'],
      ],
    );
  });

  it('are replaced with every other byte as it was', () => {
    const [flow, block, end] = found.map(({ offset }) => offset);
    const changed = replaceValues(TEXT, [
      { kind: 'text', offset: flow ?? -1, text: `a "b": #c\n  $\{d}\n` },
      { kind: 'text', offset: block ?? -1, text: 'one\n  three\n' },
      { kind: 'termination', offset: end ?? -1, key: 'signaled', value: 'SIGTERM' },
    ]);
    const expected = TEXT.replace('"old\\n"', () => JSON.stringify(`a "b": #c\n  $$\{d}\n`))
      .replace('        two', '          three')
      .replace('exited: 3', 'signaled: SIGTERM');
    assert.equal(changed, expected);
    assert.equal(parse(changed ?? '').cases[0].checks[1].stderr.equals, 'one\n  three\n');
  });

  it('take any text, and nothing is written where none stands', () => {
    for (const text of [
      '',
      ' ',
      '\n',
      '- a',
      '\t\r\n',
      'x'.repeat(500),
      'no end',
      '\u0000\u2028',
      '\n\n  x\n\n',
    ]) {
      for (const { kind, offset } of found) {
        if (kind !== 'text') continue;
        const changed = replaceValues(TEXT, [{ kind, offset, text }]);
        assert.ok(changed !== null, JSON.stringify(text));
        assert.equal(changed.includes('# below the block') && changed.includes('# of stdout'), true);
      }
    }
    assert.equal(replaceValues(TEXT, [{ kind: 'text', offset: 1, text: '' }]), null);
  });
});
