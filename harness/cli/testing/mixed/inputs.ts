import { bin, KEPT, type Kind, shell } from './kind.ts';

/** What they are given on standard input. */
export const INPUTS: readonly Kind[] = [
  {
    name: 'input-closed',
    expected: 'pass',
    make: (turn) => ({ steps: [{ argv: bin('counts', turn) }], checks: [{ stdout: { equals: '0\n' } }] }),
  },
  {
    name: 'input-idle',
    expected: 'pass',
    make: () => ({
      steps: [{ argv: bin('copies'), stdin: 'idle', timeout: '1s' }],
      checks: [{ termination: 'timed-out' }, { leftovers: 'some', why: KEPT }, { stdout: 'empty' }],
    }),
    limit: 6,
  },
  {
    name: 'input-text',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('copies'), stdin: { text: `line ${turn}\n` } }],
      checks: [{ stdout: { equals: `line ${turn}\n` } }],
    }),
  },
  {
    name: 'input-fill',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('counts'), stdin: { fill: `${turn + 1}KiB` } }],
      checks: [{ stdout: { equals: `${(turn + 1) * 1024}\n` } }],
    }),
  },
  {
    name: 'input-unread',
    expected: 'pass',
    make: () => ({ steps: [{ argv: shell('exit 0'), stdin: { fill: '1MiB' } }] }),
  },
  {
    name: 'dialogue',
    expected: 'pass',
    make: (turn) => ({
      steps: [
        {
          argv: bin('answers'),
          stdin: {
            dialogue: [{ send: { jsonrpc: '2.0', id: turn, method: 'ask' } }],
            afterEof: '2s',
            afterTerm: '2s',
          },
        },
      ],
      checks: [
        { stdout: { value: { id: turn, pointer: '/method', oneOf: ['ask'] } } },
        { stdout: 'json-rpc' },
      ],
    }),
  },
];
