import type { CandidateFacts } from '../../facts.ts';

/** A candidate with one bin, as tests of the language need it. */
export const FACTS_OF_TOOL: CandidateFacts = {
  name: '@scope/tool',
  version: '1.2.3+build',
  bins: [{ name: 'tool', path: 'tool.js' }],
  type: 'module',
  main: null,
  exports: undefined,
  files: ['package.json', 'tool.js'],
  dependencies: [],
  optionalPeers: [],
  keywords: [],
  enginesNode: null,
};
