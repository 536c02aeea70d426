import { bin, type Kind, says } from './kind.ts';

/** What they print. */
export const OUTPUTS: readonly Kind[] = [
  {
    name: 'text',
    expected: 'pass',
    make: (turn) =>
      says(turn, { stdout: { equals: `turn ${turn}\n`, includes: 'turn', matches: '^turn [0-9]+\n$' } }),
  },
  { name: 'text-other', expected: 'fail', make: (turn) => says(turn, { stdout: { excludes: 'turn' } }) },
  {
    name: 'warning',
    expected: 'pass',
    make: (turn) =>
      says(turn, { severity: 'warn', stdout: { equals: 'never' } }, { stdout: { includes: 'turn' } }),
  },
  { name: 'noise', expected: 'fail', make: (turn) => ({ steps: [{ argv: bin('warns', turn) }] }) },
  {
    name: 'bytes',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('bytes', `ff00${(turn % 256).toString(16).padStart(2, '0')}`) }],
      checks: [{ stdout: { equalsBase64: Buffer.from([255, 0, turn % 256]).toString('base64') } }],
    }),
  },
  {
    name: 'json',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('json', turn, 'b') }],
      checks: [
        { stdout: { json: { subset: { number: turn } } } },
        {
          id: 'whole',
          stdout: { json: { equals: { number: turn, list: [String(turn), 'b'], extra: true } } },
        },
        {
          id: 'form',
          stdout: {
            json: {
              schema: { required: ['extra'], properties: { number: { type: 'integer', minimum: turn } } },
            },
          },
        },
      ],
    }),
  },
  {
    name: 'json-other',
    expected: 'fail',
    make: (turn) => ({
      steps: [{ argv: bin('json', turn) }],
      checks: [{ stdout: { json: { subset: { number: turn + 1 } } } }],
    }),
  },
  {
    name: 'json-lines',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('lines', turn + 1) }],
      checks: [
        { stdout: { eachLine: { schema: { required: ['line'] } } } },
        { id: 'last', stdout: { someLine: { equals: { line: turn } } } },
      ],
    }),
  },
  {
    name: 'same-as',
    expected: 'pass',
    make: () => ({
      steps: [{ argv: bin('says', 'turn 0') }],
      checks: [{ stdout: { sameAs: { case: 'text.0', step: 'run', stream: 'stdout' } } }],
    }),
  },
  {
    name: 'precondition',
    expected: 'pass',
    make: (turn) =>
      says(turn, { id: 'never', when: { termination: { exited: 9 } }, stdout: { equals: 'never' } }),
  },
  {
    name: 'env',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('env'), env: { MIXED: String(turn), TZ: null } }],
      checks: [{ stdout: { includes: '"MIXED"', excludes: '"TZ"' } }],
    }),
  },
];
