import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { PROFILES } from './profiles/profiles.ts';
import { withWorld } from './testing/world.ts';

// Tests run from dist/harness/scope.
const SCHEMA: unknown = JSON.parse(
  readFileSync(new URL('../../../evidence-schema/scope.schema.json', import.meta.url), 'utf8'),
);

const validate = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
  SCHEMA !== null && typeof SCHEMA === 'object' ? SCHEMA : {},
);

function faultsOf(document: unknown): readonly string[] {
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe('the page about the inventory', () => {
  it('says what each state and problem of the schema means', () => {
    const page = readFileSync(new URL('../../../docs/scope.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const words = rows.flatMap((line) => (line.split('|')[1] ?? '').match(/[a-z0-9-]+/g) ?? []);
    const { state, problem } = JSON.parse(JSON.stringify(SCHEMA)).$defs.source.properties;
    const named = [...state.enum, ...problem.enum].filter((word) => word !== null);
    assert.deepEqual(
      named.filter((word) => !words.includes(word)),
      [],
    );
    assert.equal(named.length, 22);
  });
});

describe('the published schema', () => {
  it('accepts the report of every client, with and without explanations, and of an invalid root', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', '{"mcpServers":{"a":{"command":"x"},"b":1},"c":1}');
      world.inHome('.claude.json', '{');
      for (const client of [...PROFILES.map(({ id }) => id), 'all']) {
        for (const platform of ['darwin', 'linux', 'win32'] as const) {
          const report = world.run({ client, platform, explain: platform === 'darwin' });
          assert.deepEqual(faultsOf(JSON.parse(JSON.stringify(report))), [], `${client} ${platform}`);
        }
      }
      assert.deepEqual(faultsOf(world.run({ argument: '/nowhere/at/all' })), []);
      assert.deepEqual(faultsOf(world.run({ home: '' })), []);
    });
  });

  it('is closed: an additional field anywhere is refused at its place', () => {
    withWorld((world) => {
      world.inProject('.mcp.json', '{"mcpServers":{"a":{"command":"x"}}}');
      const [source, server, instruction] = [
        world.run().sources[0],
        world.run().servers[0],
        world.run().instructions[0],
      ];
      const report = world.run();
      const broken: readonly (readonly [string, unknown])[] = [
        [' additionalProperties', { ...report, extra: 1 }],
        ['/sources/0 additionalProperties', { ...report, sources: [{ ...source, command: 'x' }] }],
        ['/servers/0 additionalProperties', { ...report, servers: [{ ...server, args: [] }] }],
        ['/instructions/0 additionalProperties', { ...report, instructions: [{ ...instruction, text: '' }] }],
        [
          '/coverage additionalProperties',
          { ...report, coverage: { ...report.coverage, loaded: 'unknown' } },
        ],
        [
          '/coverage/enforcement const',
          { ...report, coverage: { ...report.coverage, enforcement: 'enforced' } },
        ],
        ['/servers/0/configured const', { ...report, servers: [{ ...server, configured: false }] }],
        ['/sources/0/state enum', { ...report, sources: [{ ...source, state: 'fine' }] }],
        ['/version const', { ...report, version: 2 }],
      ];
      for (const [fault, document] of broken) assert.deepEqual(faultsOf(document), [fault]);
    });
  });
});
