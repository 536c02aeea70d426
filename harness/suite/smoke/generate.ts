import type { CompiledCase, CompiledSuite } from '../compiled.ts';
import type { CandidateFacts } from '../facts.ts';
import { isLinkName, NODE_BINARY, PROJECT_DIRECTORY } from '../layout.ts';
import { argumentsCase, installedCase, serverArgumentsCase } from './arguments-cases.ts';
import type { SmokeBin } from './bin.ts';
import { check, smokeCase, step } from './build.ts';
import { classifyCase, classifyWithDirectoryCase } from './classify-cases.ts';
import { entryPointCases } from './entry-point-cases.ts';
import { type EntryPoint, listEntryPoints } from './entry-points.ts';
import { stdout } from './expect.ts';
import { ENTRY_POINTS, FULL_BINS, SHORT_BINS } from './limits.ts';
import { toIdParts } from './names.ts';
import { mcpCase, mcpDiscoverCase, signalsCase } from './server-cases.ts';
import {
  environmentCase,
  homeCase,
  stdinHelpCase,
  stdinVersionCase,
  stdoutCase,
  unreadInputCase,
} from './stream-cases.ts';

export const SMOKE_SUITE_ID = 'smoke';

/** Dependencies of a program that speaks MCP. */
const MCP_DEPENDENCIES: readonly string[] = [
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  'fastmcp',
  'mcp-framework',
];

/** How much of the package the suite tries; the rest is named in what the suite does not prove. */
interface Selection {
  readonly full: readonly SmokeBin[];
  readonly short: readonly SmokeBin[];
  readonly skipped: readonly string[];
  readonly entryPoints: readonly EntryPoint[];
  readonly skippedEntryPoints: number;
  readonly unloadableEntryPoints: number;
}

/**
 * Makes the suite that needs no writing, from what the manifest declares. Pure: the same facts and versions
 * give the same suite, byte for byte in its canonical form.
 *
 * `nodeVersions` are those of the run's matrix, exact, in order; they appear in what the suite proves. Bins in
 * order: one named like the package first, then byte order; a second bin of the same file gets the short set.
 */
export function generateSmokeSuite(facts: CandidateFacts, nodeVersions: readonly string[]): CompiledSuite {
  const selection = select(facts);
  return {
    formatVersion: 1,
    id: SMOKE_SUITE_ID,
    title: `generated smoke suite of ${facts.name}@${facts.version}`,
    proves: provesOf(selection, nodeVersions),
    doesNotProve: doesNotProveOf(facts, selection),
    archives: [],
    exclusions: [],
    expectedUnsupported: [],
    cases: [
      packageCase(facts),
      ...selection.full.flatMap(fullCases),
      ...selection.short.flatMap(shortCases),
      ...entryPointCases(facts, selection.entryPoints),
    ],
  };
}

function fullCases(bin: SmokeBin): readonly CompiledCase[] {
  return [
    ...shortCases(bin),
    installedCase(bin),
    stdinHelpCase(bin),
    stdinVersionCase(bin),
    unreadInputCase(bin),
    stdoutCase(bin),
    environmentCase(bin),
    homeCase(bin),
    signalsCase(bin),
    classifyWithDirectoryCase(bin),
    mcpCase(bin, 'plain'),
    mcpDiscoverCase(bin, 'plain'),
    mcpCase(bin, 'directory'),
    mcpDiscoverCase(bin, 'directory'),
  ];
}

function shortCases(bin: SmokeBin): readonly CompiledCase[] {
  return [classifyCase(bin), argumentsCase(bin), serverArgumentsCase(bin)];
}

/** Read by Node without running a line of the candidate. */
function packageCase(facts: CandidateFacts): CompiledCase {
  const manifest = `${PROJECT_DIRECTORY}/node_modules/${facts.name}/package.json`;
  const script =
    'const m = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")); process.stdout.write(m.name + "\\n" + m.version + "\\n");';
  return smokeCase({
    id: 'package',
    topic: 'package',
    why: 'what was installed is the package that was audited',
    steps: [step('manifest', [NODE_BINARY, '--input-type=commonjs', '-e', script, manifest])],
    answers: ['manifest'],
    checks: [
      check('package', 'package.identity', {
        kind: 'stream-equals',
        of: stdout('manifest'),
        contentBase64: Buffer.from(`${facts.name}\n${facts.version}\n`).toString('base64'),
      }),
    ],
  });
}

function select(facts: CandidateFacts): Selection {
  const linkable = facts.bins.filter((bin) => isLinkName(bin.name));
  const ordered = [...linkable].sort((left, right) => compareBins(facts, left.name, right.name));
  const idParts = toIdParts(ordered.map((bin) => bin.name));
  const mcpHint = isLikelyMcp(facts);
  const bins = ordered.map((bin, index) => ({
    bin: { name: bin.name, idPart: idParts[index] ?? `${index}`, version: facts.version, mcpHint },
    isAlias: ordered.findIndex((other) => other.path === bin.path) < index,
  }));
  const full = bins.filter((one) => !one.isAlias).slice(0, FULL_BINS);
  const rest = bins.filter((one) => !full.includes(one));
  const entryPoints = listEntryPoints(facts);
  const chosen = entryPoints.slice(0, ENTRY_POINTS);
  return {
    full: full.map((one) => one.bin),
    short: rest.slice(0, SHORT_BINS).map((one) => one.bin),
    skipped: [
      ...rest.slice(SHORT_BINS).map((one) => one.bin.name),
      ...facts.bins.filter((bin) => !isLinkName(bin.name)).map((bin) => bin.name),
    ],
    entryPoints: chosen,
    skippedEntryPoints: entryPoints.length - chosen.length,
    unloadableEntryPoints: chosen.filter((point) => point.ways.length === 0).length,
  };
}

function compareBins(facts: CandidateFacts, left: string, right: string): number {
  const own = facts.name.replace(/^@[^/]*\//, '');
  if (left === own || right === own) return left === right ? 0 : left === own ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function isLikelyMcp(facts: CandidateFacts): boolean {
  return (
    facts.dependencies.some((name) => MCP_DEPENDENCIES.includes(name)) ||
    facts.keywords.some((word) => /^(mcp|mcp-server|model-?context-?protocol)$/i.test(word)) ||
    /(^|[-_/.@])mcp($|[-_/.])/i.test(facts.name)
  );
}

function provesOf(selection: Selection, nodeVersions: readonly string[]): readonly string[] {
  const bins = selection.full.length + selection.short.length;
  return [
    `The ${bins} commands tried ran through the links that npm made, as uid 1000 without a passwd entry, from a directory that is not theirs, on a read-only root and without a network.`,
    `Classification, arguments and MCP sessions ran on Node ${nodeVersions.join(', ')}; the other cases on the first of these.`,
    'Every check says what it saw; one whose precondition was not met is not counted as passed.',
  ];
}

function doesNotProveOf(facts: CandidateFacts, selection: Selection): readonly string[] {
  const sentences = [
    'What the package does beyond help, version, a bare start, one opening session and loading its entry points.',
    'That the package is harmless, or that it behaves the same outside this boundary.',
  ];
  if (selection.short.length > 0) {
    sentences.push(
      `${selection.short.length} of ${facts.bins.length} commands had classification and arguments only, being further names of the same file or beyond the first ${FULL_BINS}.`,
    );
  }
  if (selection.skipped.length > 0) {
    sentences.push(
      `${selection.skipped.length} of ${facts.bins.length} commands were not tried: names that cannot be links, or beyond the first ${FULL_BINS + SHORT_BINS}.`,
    );
  }
  if (selection.skippedEntryPoints > 0) {
    sentences.push(
      `${selection.skippedEntryPoints} entry points were not tried: the first ${ENTRY_POINTS} were taken, the main one first, then by byte order.`,
    );
  }
  if (selection.unloadableEntryPoints > 0) {
    sentences.push(
      `${selection.unloadableEntryPoints} entry points were not loaded: they hold types, data or nothing for Node.`,
    );
  }
  return sentences;
}
