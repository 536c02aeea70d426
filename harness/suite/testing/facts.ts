import type { CandidateFacts } from '../facts.ts';

/** Facts of a package with everything a generated suite can hold. */
export const FACTS: CandidateFacts = {
  name: '@scope/mcp-tool',
  version: '1.2.3',
  bins: [
    { name: 'mcp-tool', path: 'dist/cli.js' },
    { name: 'another', path: 'dist/other.js' },
    { name: 'alias', path: 'dist/cli.js' },
  ],
  type: 'module',
  main: null,
  exports: {
    '.': { types: './index.d.ts', import: './index.js', require: './index.cjs' },
    './features/*': './features/*.js',
    './types': { types: './index.d.ts' },
  },
  files: ['index.js', 'index.cjs', 'features/a.js', 'dist/cli.js', 'dist/other.js', 'index.d.ts'],
  dependencies: [],
  optionalPeers: ['left-out'],
  keywords: [],
  enginesNode: '>=20',
};
