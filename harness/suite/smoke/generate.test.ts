import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { packageRoot } from '../../document/assets.ts';
import { toCanonicalBytes } from '../../document/canonical.ts';
import type { CompiledCase } from '../compiled.ts';
import { evaluateCase } from '../evaluate/evaluator.ts';
import type { CandidateFacts } from '../facts.ts';
import { parseCompiledSuite } from '../parse/parse-suite.ts';
import { FACTS } from '../testing/facts.ts';
import { bytesOf, observe } from '../testing/observations.ts';
import { CATALOGUE } from './catalogue.ts';
import { toSmokeChecksDocument } from './document.ts';
import { generateSmokeSuite } from './generate.ts';
import { CASE_MS } from './limits.ts';
import { toIdParts } from './names.ts';

const NODES = ['20.20.2', '24.1.0'];
const BARE: CandidateFacts = { ...FACTS, name: 'tool', bins: [], exports: undefined, files: [] };
const cases = (facts: CandidateFacts): readonly CompiledCase[] => generateSmokeSuite(facts, NODES).cases;
const ids = (facts: CandidateFacts): readonly string[] => cases(facts).map((one) => one.id);

describe('the generated suite', () => {
  test('is the same bytes for the same facts, in whatever order bins are declared', () => {
    const again = { ...FACTS, bins: [...FACTS.bins].reverse().map((bin) => ({ ...bin })) };
    const one = toCanonicalBytes(generateSmokeSuite(FACTS, NODES));
    // The alias is the later name in order, not in declaration.
    assert.deepEqual(toCanonicalBytes(generateSmokeSuite(again, NODES)), one);
  });

  test('takes the bin named like the package first and gives an alias the short set', () => {
    assert.deepEqual(
      ids(FACTS).filter((id) => id.endsWith('.classify') || id.endsWith('.stdin-help')),
      [
        'bin.mcp-tool.classify',
        'bin.mcp-tool.stdin-help',
        'bin.another.classify',
        'bin.another.stdin-help',
        'bin.alias.classify',
      ],
    );
  });

  test('puts a classification before what depends on it', () => {
    const seen = new Set<string>();
    for (const one of cases(FACTS)) {
      if (one.requires !== null) assert.ok(seen.has(one.requires.classification), one.id);
      seen.add(one.id);
    }
  });

  test('stays below 25 boxes for a bin of any class', () => {
    const single = cases({ ...FACTS, bins: FACTS.bins.slice(0, 1) });
    assert.ok(single.length <= 25, `${single.length}`);
  });

  test('asks no case for more time than a run gives it, whatever hangs', () => {
    for (const one of cases(FACTS).filter((found) => !found.id.startsWith('exports.'))) {
      const worstMs = one.steps.reduce((sum, step) => sum + step.timeoutMs, 0);
      assert.ok(worstMs <= CASE_MS, `${one.id} may take ${worstMs} ms`);
    }
  });

  test('gives a dialogue the time that its waits and its end may take', () => {
    for (const step of cases(FACTS).flatMap((one) => one.steps)) {
      if (step.stdin.kind !== 'dialogue') continue;
      const { exchanges, ladder } = step.stdin;
      const waitsMs = exchanges.reduce((sum, one) => sum + one.waitMs, 0);
      assert.ok(step.timeoutMs >= waitsMs + ladder.afterEofMs + ladder.afterTermMs, step.name);
    }
  });

  test('exercises no check whose steps did not take place', () => {
    for (const one of cases(FACTS)) {
      const unseen = observe({ caseId: one.id, steps: [] });
      const { checks } = evaluateCase(one, [unseen.observation], bytesOf(unseen));
      const judged = checks.filter((check) => check.result !== 'not-exercised').map((check) => check.id);
      // These speak of the box, not of a step.
      assert.deepEqual(
        judged.filter((id) => !['memory', 'cwd.clean', 'bin.kind', 'mcp.recognised'].includes(id)),
        [],
      );
    }
  });

  test('runs bins by their links only, and nothing of the host is passed on', () => {
    for (const one of cases(FACTS)) {
      for (const step of one.steps) {
        const [program = ''] = step.argv;
        assert.match(
          program,
          /^(\/opt\/candidate\/(node_modules\/\.bin|global\/bin)\/[a-z-]+|\/usr\/local\/bin\/node)$/,
        );
        if (program.endsWith('/node')) assert.ok(step.argv.includes('-e'), one.id);
        assert.deepEqual(
          Object.keys(step.env).filter(
            (name) => !['HOME', 'LANG', 'LC_ALL', 'NO_COLOR', 'PATH', 'TZ'].includes(name),
          ),
          [],
        );
      }
    }
  });

  test('has a case even for a package with nothing to run', () => {
    assert.deepEqual(ids(BARE), ['package']);
  });

  test('states what it left out', () => {
    const bins = Array.from({ length: 40 }, (_, index) => ({ name: `b${index}`, path: `b${index}.js` }));
    const exports = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`./e${index}`, `./e${index}.js`]),
    );
    const suite = generateSmokeSuite(
      { ...FACTS, bins: [...bins, { name: '../evil', path: 'x.js' }], exports },
      NODES,
    );
    const said = suite.doesNotProve.join('\n');
    assert.match(said, /20 of 41 commands had classification and arguments only/);
    assert.match(said, /16 of 41 commands were not tried/);
    assert.match(said, /16 entry points were not tried/);
    assert.equal(suite.cases.filter((one) => one.id.endsWith('.classify')).length, 25);
    assert.equal(suite.cases.filter((one) => one.id.startsWith('exports.')).length, 6);
  });

  test('survives names of the candidate’s choosing', () => {
    const names = [
      'A',
      'a',
      'ä',
      '..',
      'x'.repeat(300),
      'con',
      '-rf',
      'a b',
      '\u202e',
      '__proto__',
      'a\nb',
      "'$(x)'",
    ];
    const facts = {
      ...FACTS,
      name: '__proto__',
      bins: names.map((name) => ({ name, path: `${name}.js` })),
      exports: { './A': './a.js', './a': './a.js', './__proto__': './p.js' },
      optionalPeers: ['a(b', 'c|d'],
    };
    const suite = generateSmokeSuite(facts, NODES);
    assert.deepEqual(parseCompiledSuite(JSON.parse(JSON.stringify(suite))), suite);
  });

  test('waits longer for a package that calls itself an MCP server', () => {
    const waits = (facts: CandidateFacts): readonly number[] =>
      cases(facts)
        .filter((one) => one.id.endsWith('.classify'))
        .flatMap((one) =>
          one.steps.flatMap((step) => (step.stdin.kind === 'dialogue' ? step.stdin.exchanges : [])),
        )
        .map((exchange) => exchange.waitMs);
    const plain = { ...FACTS, name: 'tool' };
    assert.deepEqual(new Set(waits(plain)), new Set([5_000]));
    assert.deepEqual(new Set(waits(FACTS)), new Set([8_000]));
    assert.deepEqual(new Set(waits({ ...plain, keywords: ['MCP'] })), new Set([8_000]));
    assert.deepEqual(
      new Set(waits({ ...plain, dependencies: ['@modelcontextprotocol/sdk'] })),
      new Set([8_000]),
    );
    assert.deepEqual(new Set(waits({ ...plain, name: 'mcpherson' })), new Set([5_000]));
  });
});

describe('the catalogue', () => {
  test('is used whole: every check of it can be generated', () => {
    const used = new Set(
      cases(FACTS).flatMap((one) => one.checks.map((check) => `${one.tags[1]}/${check.id}`)),
    );
    const unused = Object.entries(CATALOGUE).flatMap(([topic, { checks }]) =>
      Object.keys(checks)
        .filter((id) => ![...used].some((one) => isMadeFrom(one, topic, id)))
        .map((id) => `${topic}/${id}`),
    );
    assert.deepEqual(unused, []);
  });

  test('is what docs/smoke-checks.md says', () => {
    const path = join(packageRoot(), 'docs', 'smoke-checks.md');
    assert.equal(readFileSync(path, 'utf8'), toSmokeChecksDocument());
  });
});

function isMadeFrom(used: string, topic: string, id: string): boolean {
  const [ofTopic = '', check = ''] = used.split('/');
  return (topic === 'every' || ofTopic === topic) && (check === id || check.startsWith(`${id}.`));
}

describe('parts of ids', () => {
  test('are plain, bounded and unique', () => {
    assert.deepEqual(toIdParts(['Tool', 'tool', 'TOOL!', '@a/b', '..', '\u00e9', 'tool-2']), [
      'tool',
      'tool-2',
      'tool-3',
      'a-b',
      'x',
      'x-2',
      'tool-2-2',
    ]);
    assert.equal(toIdParts(['y'.repeat(300)])[0]?.length, 60);
  });
});
