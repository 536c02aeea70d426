import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inventory } from './inventory.ts';
import type { ScopeReport } from './model.ts';
import { PROFILES } from './profiles/profiles.ts';
import { CANARY, CANARY_FILES, everyOutput } from './testing/canary-world.ts';

const RUNS = 5000;

const BASES = [...Object.values(CANARY_FILES.project), ...Object.values(CANARY_FILES.home)].filter(
  (text) => text !== CANARY,
);

/** Pieces that formats give a meaning to, and bytes that they do not expect. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '//',
  '/*',
  '*/',
  '\ufeff',
  '\0',
  '\n',
  '\t',
  '#',
  '=',
  "'",
  '"""',
  'null',
  'true',
  '1e999',
  '-',
  '__proto__',
  'mcpServers',
  'servers',
  'command',
  '"a":1,"a":2',
  '\ud800',
  '\u202e',
  '{"a":'.repeat(80),
  '['.repeat(5000),
  '[mcp_servers.local]\n',
  'guard',
  '--inner',
];

interface Mutation {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}

const insertion = fc.oneof(
  fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece)),
  fc.uint8Array({ maxLength: 6 }),
  fc.constant(new Uint8Array()),
);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(200) }),
  insert: insertion,
});

function apply(bytes: Uint8Array, { at, remove, insert }: Mutation): Uint8Array {
  const start = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)]);
}

const mutated = fc
  .tuple(fc.constantFrom(...BASES), fc.array(mutation, { minLength: 1, maxLength: 6 }))
  .map(([text, mutations]) => mutations.reduce(apply, Buffer.from(text) as Uint8Array));

const client = fc.constantFrom(...PROFILES.map(({ id }) => id));

/** The reader is a port: here every source of the client is the same bytes. */
function inventoryOf(name: string, bytes: Uint8Array): ScopeReport {
  return inventory(
    { state: 'present', spelledPath: '/work/alias', canonicalPath: '/work/project' },
    {
      client: name,
      explain: true,
      platform: 'linux',
      home: '/home/me',
      env: {},
      readSource: () => ({ state: 'present', bytes }),
      probeFile: () => 'missing',
    },
  );
}

/** A cut in the right place makes a value into a name, and names are reported. Everything else must be ours. */
function withoutNames(report: ScopeReport): ScopeReport {
  return { ...report, servers: report.servers.map((server) => ({ ...server, name: '' })) };
}

describe('mutated configuration files', () => {
  it(`${RUNS} of them never crash the inventory, leak a canary or carry an error of a parser`, () => {
    const states = new Map<string, number>();
    fc.assert(
      fc.property(client, mutated, (name, bytes) => {
        const report = inventoryOf(name, bytes);
        for (const { state, problem } of report.sources) {
          states.set(problem ?? state, (states.get(problem ?? state) ?? 0) + 1);
        }
        const names = new Set(report.servers.map(({ name }) => name));
        assert.ok(names.size <= report.servers.length);
        for (const output of everyOutput(withoutNames(report))) {
          assert.ok(!output.toLowerCase().includes(CANARY), 'a canary left the inventory');
          assert.doesNotMatch(output, /SyntaxError|TomlError|RangeError|Unexpected token/);
        }
        assert.deepEqual(JSON.parse(everyOutput(report)[0] ?? ''), JSON.parse(JSON.stringify(report)));
      }),
      { numRuns: RUNS, seed: 20261130 },
    );
    // The run is worth something only when it went down both roads.
    for (const road of ['present', 'syntax', 'entry-malformed']) assert.ok((states.get(road) ?? 0) > 0, road);
  });

  it('random bytes do no more', () => {
    fc.assert(
      fc.property(client, fc.uint8Array({ maxLength: 300 }), (name, bytes) => {
        assert.equal(inventoryOf(name, bytes).version, 1);
      }),
      { numRuns: 200, seed: 20261130 },
    );
  });
});
