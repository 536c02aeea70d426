import { bin, type Kind } from './kind.ts';

/** What they find and leave. */
export const FILES: readonly Kind[] = [
  {
    name: 'file-created',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('writes', 'made.txt', turn) }],
      checks: [
        { files: { created: 'made.txt' } },
        { file: { path: '/work/elsewhere/made.txt', equals: String(turn) } },
      ],
    }),
  },
  {
    name: 'file-unmeant',
    expected: 'fail',
    make: (turn) => ({
      steps: [{ argv: bin('writes', 'made.txt', turn) }],
      checks: [{ files: { absent: 'made.txt' } }],
    }),
  },
  {
    name: 'fixture',
    expected: 'pass',
    make: (turn) => ({
      files: [
        { path: 'given.txt', text: `given ${turn}\n`, mode: '0600', time: '2001-02-03T04:05:06Z' },
        { path: 'link', symlink: 'given.txt' },
        { path: 'pipe', fifo: true },
        { path: 'empty', directory: true },
      ],
      steps: [{ argv: bin('shows', 'link') }],
      checks: [{ stdout: { equals: `given ${turn}\n` } }, { files: { unchanged: { below: '/work' } } }],
    }),
  },
  {
    name: 'file-removed',
    expected: 'pass',
    make: (turn) => ({
      files: [{ path: 'given.txt', text: String(turn) }],
      steps: [{ argv: bin('removes', 'given.txt') }],
      checks: [{ files: { removed: 'given.txt' } }],
    }),
  },
  {
    name: 'file-denied',
    expected: 'fail',
    make: (turn) => ({
      files: [{ path: 'given.txt', text: String(turn), mode: '0000' }],
      steps: [{ argv: bin('shows', 'given.txt') }],
    }),
  },
  {
    name: 'control',
    expected: 'pass',
    make: (turn) => ({
      files: [{ path: 'tool.sh', text: `: > marker-${turn}\n` }],
      steps: [
        {
          name: 'works',
          control: 'positive',
          argv: ['/bin/sh', 'tool.sh'],
          undo: { remove: `marker-${turn}` },
        },
        {
          name: 'off',
          control: 'negative',
          argv: ['/bin/sh', 'tool.sh'],
          lay: [{ path: 'tool.sh', text: '' }],
        },
        {
          name: 'again',
          control: 'restored',
          argv: ['/bin/sh', 'tool.sh'],
          undo: { remove: `marker-${turn}` },
        },
        { name: 'run', argv: bin('says', turn) },
      ],
      checks: [
        { step: 'works', files: { created: `marker-${turn}` } },
        { step: 'off', files: { absent: `marker-${turn}` } },
        { step: 'again', files: { created: `marker-${turn}` } },
        { files: { absent: `marker-${turn}` } },
      ],
    }),
  },
  {
    name: 'canary',
    expected: 'pass',
    make: (turn) => ({
      canaries: [`canary-${turn}-`],
      files: [{ path: 'secret.txt', text: `canary-${turn}-secret` }],
      steps: [{ argv: bin('writes', 'other.txt', turn) }],
    }),
  },
  {
    name: 'canary-leaks',
    expected: 'fail',
    make: (turn) => ({
      canaries: [`canary-${turn}-`],
      files: [{ path: 'secret.txt', text: `canary-${turn}-secret` }],
      steps: [
        {
          argv: bin(
            ...(turn % 2 === 0 ? ['shows', 'secret.txt'] : ['writes', 'copy.txt', `canary-${turn}-secret`]),
          ),
        },
      ],
    }),
  },
  {
    name: 'executes',
    expected: 'pass',
    make: (turn) => ({
      exec: true,
      files: [{ path: 'own.sh', text: `#!/bin/sh\nexit ${turn}\n`, mode: '0755' }],
      steps: [{ argv: ['./own.sh'] }],
      checks: [{ termination: { exited: turn } }],
    }),
  },
  {
    name: 'executes-not',
    expected: 'pass',
    make: (turn) => ({
      files: [{ path: 'own.sh', text: `#!/bin/sh\nexit ${turn}\n`, mode: '0755' }],
      steps: [{ argv: ['./own.sh'] }],
      checks: [{ termination: 'not-started' }],
    }),
  },
  {
    name: 'to-file',
    expected: 'pass',
    make: (turn) => ({
      steps: [{ argv: bin('says', turn), stdout: { file: 'out.txt' } }],
      checks: [{ file: { path: '/work/out/out.txt', equals: `${turn}\n` } }],
    }),
  },
  {
    name: 'steps',
    expected: 'pass',
    make: (turn) => ({
      steps: [
        { name: 'first', argv: bin('writes', '/tmp/kept', turn) },
        { name: 'second', argv: bin('shows', '/tmp/kept') },
      ],
      checks: [{ step: 'second', stdout: { equals: String(turn) } }],
    }),
  },
];
