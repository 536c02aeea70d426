import { type Kind, says } from './kind.ts';

/** What decides whether a case runs. */
export const STANDINGS: readonly Kind[] = [
  {
    name: 'needs-cli',
    expected: 'pass',
    make: (turn) => ({ requires: { case: 'class', classes: ['cli', 'reads-stdin'] }, ...says(turn) }),
  },
  {
    name: 'needs-server',
    expected: 'unsupported',
    make: (turn) => ({ requires: { case: 'class', classes: ['server'] }, ...says(turn) }),
  },
  { name: 'excluded', expected: 'excluded', make: (turn) => says(turn) },
  {
    name: 'tagged',
    expected: 'pass',
    make: (turn) => ({ tags: ['tagged', `turn-${turn % 3}`], ...says(turn) }),
  },
];
