import { CATALOGUE, type CatalogueEntry, type CatalogueTopic } from './catalogue.ts';

const HEAD = `# Checks of the generated smoke suite

This page is made from the catalogue in \`harness/suite/smoke/catalogue.ts\`; a test fails when the two differ.
\`npm run build && node dist/harness/suite/smoke/write-document.js\` writes it anew.

The rule for \`gate\`: the check fails for every user of the published package in some everyday use, and what was
seen cannot be explained by a program that merely has other habits. What depends on a habit is \`warn\`: it never
fails a case, and makes the result WARNED. What only informs is \`info\`. A check whose precondition did not hold
is \`not-exercised\`, which is never a pass.

Every command is first classified in a box of its own: \`cli\` ends by itself, \`reads-stdin\` ends at the end of
its input, \`server\` must be told to end, \`mcp-server\` answers \`initialize\`, \`needs-terminal\` fails and says so,
\`broken\` cannot start, \`unclear\` is anything else. Which cases follow depends on the class; the others are
\`unsupported\`.
`;

/** The page about every check, in Markdown; the same text for the same catalogue. */
export function toSmokeChecksDocument(): string {
  return [HEAD, ...Object.values(CATALOGUE).map(topicSection)].join('\n');
}

function topicSection(topic: CatalogueTopic): string {
  const rows = Object.entries(topic.checks).map(([id, entry]) => checkRow(id, entry));
  return `## ${topic.title}

Runs: ${topic.runs}.
Applies to: ${topic.appliesTo}.

| check | severity | states that | when | why this severity | advice |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function checkRow(id: string, entry: CatalogueEntry): string {
  const cells = [`\`${id}\``, entry.severity, entry.why, entry.when ?? 'always', entry.reason, entry.advice];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
