import { bin, KEPT, type Kind, shell } from './kind.ts';

const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGABRT', 'SIGUSR2', 'SIGHUP'];

function pick<T>(list: readonly [T, ...T[]] | readonly T[], turn: number): T {
  const found = list[turn % list.length];
  if (found === undefined) throw new Error('a list without entries');
  return found;
}

/** How programs end. */
export const ENDS: readonly Kind[] = [
  {
    name: 'exit',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: shell(`exit ${turn % 256}`) }],
      checks: [{ termination: { exited: turn % 256 } }],
    }),
  },
  { name: 'exit-other', expected: 'fail', make: (turn) => ({ steps: [{ argv: bin('exits', turn + 1) }] }) },
  {
    name: 'signal',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: shell(`kill -${pick(SIGNALS, turn).slice(3)} $$`) }],
      checks: [{ termination: { signaled: pick(SIGNALS, turn) } }],
    }),
  },
  {
    name: 'stopped',
    expected: 'pass',
    make: (turn) => ({
      steps: [
        { argv: bin('stops', 'SIGTERM', turn), signals: [{ signal: 'SIGTERM', after: 'first-output' }] },
      ],
      checks: [{ termination: { exited: turn } }, { endedAfter: { signal: 'SIGTERM', within: '8s' } }],
    }),
  },
  {
    name: 'timeout',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('hangs'), timeout: `${2500 + turn}ms` }],
      checks: [
        { termination: 'timed-out' },
        { stdout: { equals: 'partial\n' } },
        { leftovers: 'some', why: KEPT },
      ],
    }),
  },
  {
    name: 'timeout-unmeant',
    expected: 'fail',
    limit: 4,
    make: () => ({ steps: [{ argv: bin('hangs'), timeout: '1s' }] }),
  },
  {
    name: 'output-limit',
    expected: 'pass',
    limit: 2,
    make: () => ({
      steps: [{ argv: bin('floods', 300 * 1024 * 1024), timeout: '15m' }],
      checks: [
        { termination: 'output-limit' },
        { leftovers: 'any', why: KEPT },
        { stdout: { size: { min: 1000 } } },
      ],
    }),
  },
  {
    name: 'much-output',
    expected: 'pass',
    limit: 4,
    make: (turn) => ({
      steps: [{ argv: bin('floods', (17 + turn) * 1024 * 1024), timeout: '5m' }],
      checks: [{ stdout: { size: { min: (17 + turn) * 1024 * 1024, max: (17 + turn) * 1024 * 1024 } } }],
    }),
  },
  {
    name: 'memory',
    expected: 'pass',
    limit: 2,
    make: () => ({
      steps: [{ argv: bin('eats'), timeout: '5m' }],
      checks: [
        { termination: { signaled: 'SIGKILL' } },
        { oomKill: 'some' },
        { stderr: 'any', why: 'what is said before memory ends is not stated' },
      ],
    }),
  },
  {
    name: 'not-started',
    expected: 'pass',
    make: (turn) => ({ steps: [{ argv: [`/none/${turn}`] }], checks: [{ termination: 'not-started' }] }),
  },
  {
    name: 'throws',
    expected: 'fail',
    make: (turn) => ({ steps: [{ argv: bin('throws', turn) }], checks: [{ termination: { exited: 1 } }] }),
  },
  {
    name: 'left-over',
    expected: 'pass',
    make: () => ({ settle: '50ms', steps: [{ argv: bin('leaves') }], checks: [{ leftovers: 'some' }] }),
  },
  {
    name: 'left-over-unmeant',
    expected: 'fail',
    make: () => ({ settle: '50ms', steps: [{ argv: bin('leaves') }] }),
  },
];
