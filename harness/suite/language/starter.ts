import type { BinFact, CandidateFacts } from '../facts.ts';
import { toIdParts } from '../smoke/names.ts';
import { programOf, type SeenBin, toSeenCases } from './seen-cases.ts';

/** The dependency by which MCP servers are known; any other server can be given a dialogue by hand. */
const MCP_SDK = '@modelcontextprotocol/sdk';

/** What the head says of the cases below it: where nothing was run they are guesses. */
const GUESSED = `# packproof init ran nothing of the package: the cases below are guesses from its package.json. The first check shows
# which of them hold; mend those that do not, or take them out. From the evidence of a check, packproof init --from
# EVIDENCE writes what the programs answered then.
`;
const SEEN = `# The cases below are what the programs answered in a run that packproof recorded: each held once. Whether it is
# what users rely on is for the author to say.
`;

function toHead(origin: string): string {
  return `# A suite of packproof: what users of the package rely on, as cases. packproof check takes it from the
# current folder and runs it beside the generated suite. Every key is described in docs/suite-language.md of the
# packproof package; $schema is for editors, and holds where packproof is installed in this folder.
${origin}$schema: ./node_modules/packproof/evidence-schema/suite.schema.json
formatVersion: 1
id: own
title: What users of \${package} rely on
proves:
  - that the commands of \${package} \${version} answer as these cases say
doesNotProve:
  - anything about commands and options that no case names
cases:
`;
}

/**
 * The text of a first suite for a candidate. A starter is for its author to complete, so it says what to change.
 *
 * For each bin: what it answered, where that was seen; else the version it should print; and for a package built
 * on the MCP library a first conversation. Bins whose names no placeholder can hold are left out. Null when no bin
 * is left.
 */
export function toStarterSuite(
  facts: CandidateFacts,
  seen: ReadonlyMap<string, SeenBin> = new Map(),
): string | null {
  const bins = facts.bins.filter(({ name }) => /^[^{}\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/.test(name));
  if (bins.length === 0) return null;
  const ids = toIdParts(bins.map(({ name }) => name));
  const isServer = facts.dependencies.includes(MCP_SDK);
  const parts = bins.map((bin, index): string => {
    const answers = seen.get(bin.name);
    const own = answers === undefined ? '' : toSeenCases(bin, ids[index] ?? '', answers, facts.version);
    if (isServer) return [toServerCase(bin, ids[index] ?? ''), own].filter((part) => part !== '').join('\n');
    return own === '' ? `  # No case of ${JSON.stringify(bin.name)}: it was not asked for anything.\n` : own;
  });
  const hasCase = parts.some((part) => part.includes('  - id:'));
  if (seen.size > 0 && hasCase) return toHead(SEEN) + parts.join('\n');
  const guess = isServer ? toServerCase : toCommandCase;
  return toHead(GUESSED) + bins.map((bin, index) => guess(bin, ids[index] ?? '')).join('\n');
}

function toCommandCase(bin: BinFact, id: string): string {
  return `  - id: own.${id}.version
    why: bug reports and scripts ask for the version
    steps:
      - argv: [${programOf(bin)}, --version]
    checks:
      # Without a check of it, a step must exit with 0, write nothing to stderr and leave no process behind.
      - stdout: { includes: "\${version}" }

  - id: own.${id}.unknown-option
    why: a misspelt option must not look like success
    steps:
      - argv: [${programOf(bin)}, --no-such-option]
    checks:
      - termination: { exited: nonzero }
      - stderr: { excludes: ["    at "] }
        why: users are told what is wrong, not where the program noticed
`;
}

function toServerCase(bin: BinFact, id: string): string {
  return `  - id: own.${id}.conversation
    why: clients start the server, ask for its tools and close its input
    steps:
      - argv: [${programOf(bin)}]
        timeout: 20s
        stdin:
          dialogue:
            - send:
                jsonrpc: "2.0"
                id: 1
                method: initialize
                params:
                  protocolVersion: "2025-06-18"
                  capabilities: {}
                  clientInfo: { name: packproof, version: "1" }
            - send: { jsonrpc: "2.0", method: notifications/initialized }
            - send: { jsonrpc: "2.0", id: 2, method: tools/list }
    checks:
      - stdout:
          is: json-rpc
          answer: { id: 2, has: /tools }
      - notNeeded: SIGKILL
      - stderr: any
        why: servers log there
`;
}
