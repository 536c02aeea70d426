/** The arrows of the architecture; the project references enforce them again at compile time. */
const folders = {
  document: [],
  boundary: ['document'],
  audit: ['document'],
  engine: ['document', 'boundary'],
  image: ['document', 'audit', 'boundary', 'engine'],
  suite: ['document', 'audit', 'engine', 'boundary'],
  prepare: ['document', 'audit', 'boundary', 'engine', 'image', 'suite'],
  run: ['document', 'boundary', 'engine', 'image', 'suite', 'prepare'],
  evidence: ['document', 'audit', 'boundary', 'engine', 'image', 'suite', 'prepare', 'run'],
  job: ['document', 'audit', 'boundary', 'engine', 'image', 'suite', 'prepare', 'run', 'evidence'],
  merge: ['document', 'engine', 'suite', 'prepare', 'run', 'evidence', 'job'],
  replay: ['document', 'boundary', 'engine', 'image', 'suite', 'prepare', 'run', 'evidence', 'job'],
  tamper: ['document', 'evidence'],
  verify: [],
  scope: [],
};

const arrows = Object.entries(folders).map(([folder, allowed]) => ({
  name: `arrows-of-${folder}`,
  comment: `harness/${folder} may import only: ${allowed.join(', ') || 'nothing else of harness/'}`,
  severity: 'error',
  from: { path: `^harness/${folder}/`, pathNot: '\\.test\\.ts$|/testing/' },
  to: { path: '^harness/', pathNot: `^harness/(${[folder, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'builder-of-vectors-shares-nothing',
      comment: 'what builds the vectors imports neither exporter nor parser nor verifier',
      severity: 'error',
      from: { path: '^evidence-schema/testkit/builder/' },
      to: { pathNot: '^evidence-schema/testkit/builder/|^(node:)?[a-z]+$' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'verify-only-reads',
      comment: 'the verifier has no process, network, clock or writing',
      severity: 'error',
      from: { path: '^harness/verify/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(fs|path|crypto|zlib|url|util|process)$' },
    },
    {
      name: 'run-knows-no-engine-by-name',
      severity: 'error',
      from: { path: '^harness/(run|evidence|prepare|image)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^harness/engine/(docker|runc)/' },
    },
    {
      name: 'no-test-code-in-product',
      severity: 'error',
      from: { pathNot: '\\.test\\.ts$|/testing/|/testkit/run/' },
      to: { path: '\\.test\\.ts$|/testing/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
