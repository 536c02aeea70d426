import { BIN_CODES } from './catalogue/bin-codes.ts';
import { DEPENDENCY_CODES } from './catalogue/dependency-codes.ts';
import type { Catalogue } from './catalogue/entry.ts';
import { ENTRY_CODES } from './catalogue/entry-codes.ts';
import { GZIP_CODES } from './catalogue/gzip-codes.ts';
import { IMPORT_CODES } from './catalogue/import-codes.ts';
import { MANIFEST_CODES } from './catalogue/manifest-codes.ts';
import { TAR_CODES } from './catalogue/tar-codes.ts';
import { WAIVER_CODES } from './catalogue/waiver-codes.ts';
import { DEFAULT_LIMITS } from './limits.ts';

const HEAD = `# Findings of the audit

This page is made from the catalogue in \`harness/audit/catalogue\`; a test fails when the two differ.
\`npm run build && node dist/harness/audit/write-document.js\` writes it anew.

The audit reads the bytes of an archive before anything else touches them. \`gate\`: a fault for every user; the
exit code is 1. \`warn\`: a fault for some, or a likely one. \`info\`: a fact worth knowing. An unsafe gate finding
stops the run: nothing is installed, and every case is \`unrun\`. A finding that is meant to be there is
[waived](#waivers) by \`--waive FILE\`.
`;

const WAIVERS = `## Waivers

\`--waive FILE\` of \`check\`, \`prepare\` and \`audit\` names findings to live with until a day. FILE is JSON and
nothing else, a list at the top, at most 1 MiB (\`packproof schema waivers\` prints its schema):

\`\`\`json
[
  {
    "code": "BIN_SHEBANG_CRLF",
    "path": "package/cli.js",
    "reason": "npm mends the line when it installs; the next release has it right",
    "expires": "2030-01-31"
  }
]
\`\`\`

| key | required | meaning |
| --- | --- | --- |
| \`code\` | yes | of a finding in the tables above that is not unsafe |
| \`path\` | | the path of the finding, exactly as the audit prints it; left out, every finding of the code |
| \`reason\` | yes | a text, which goes into the evidence |
| \`expires\` | yes | \`YYYY-MM-DD\`, the last day on which it holds, in UTC |

A waived finding stays in the output and in the evidence, marked as such, and counts for nothing: a gate no longer makes
the exit code 1. Waivers and what became of them are in \`inputs/audit.json\` and in the statement. A file that does
not fit ends the command with exit code 2 before anything is unpacked: \`WAIVER_FILE_INVALID\`,
\`WAIVER_FILE_TOO_LARGE\`, \`WAIVER_CODE_UNKNOWN\`, \`WAIVER_CODE_UNSAFE\` (unsafe findings, and those below),
\`WAIVER_REPEATED\` (code and path twice). One that no longer fits is a finding:
`;

const SECTIONS: readonly (readonly [string, Catalogue])[] = [
  ['gzip members', GZIP_CODES],
  ['tar headers and records', TAR_CODES],
  ['Entries and their names', ENTRY_CODES],
  ['package.json', MANIFEST_CODES],
  ['Bins', BIN_CODES],
  ['Dependencies', DEPENDENCY_CODES],
  ['Imports', IMPORT_CODES],
];

/** The page about every finding code and limit, in Markdown; the same text for the same catalogue. */
export function toFindingsDocument(): string {
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, value]) => `| \`${name}\` | ${value} |`);
  return [
    HEAD,
    ...SECTIONS.map(([title, codes]) => toSection(title, codes)),
    `${WAIVERS}\n${toTable(WAIVER_CODES)}`,
    `## Limits\n\nEach is checked before the work that it bounds.\n\n| limit | value |\n| --- | --- |\n${limits.join('\n')}\n`,
  ].join('\n');
}

function toSection(title: string, codes: Catalogue): string {
  return `## ${title}\n\n${toTable(codes)}`;
}

function toTable(codes: Catalogue): string {
  const rows = Object.entries(codes).map(
    ([code, { severity, unsafe, title: states, why, advice, source }]) => {
      const cells = [`\`${code}\``, severity, unsafe ? 'unsafe' : '', states, why, advice, source];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    },
  );
  return `| code | severity | | states that | why it matters | advice | source |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
