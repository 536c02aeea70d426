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
stops the run: nothing is installed, and every case is \`unrun\`. A finding that is meant to be there is waived by
\`--waive FILE\` with its code, a reason and a date of expiry; the waiver is recorded in the evidence.
`;

const SECTIONS: readonly (readonly [string, Catalogue])[] = [
  ['gzip members', GZIP_CODES],
  ['tar headers and records', TAR_CODES],
  ['Entries and their names', ENTRY_CODES],
  ['package.json', MANIFEST_CODES],
  ['Bins', BIN_CODES],
  ['Dependencies', DEPENDENCY_CODES],
  ['Imports', IMPORT_CODES],
  ['Waivers', WAIVER_CODES],
];

/** The page about every finding code and limit, in Markdown; the same text for the same catalogue. */
export function toFindingsDocument(): string {
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, value]) => `| \`${name}\` | ${value} |`);
  return [
    HEAD,
    ...SECTIONS.map(([title, codes]) => toSection(title, codes)),
    `## Limits\n\nEach is checked before the work that it bounds.\n\n| limit | value |\n| --- | --- |\n${limits.join('\n')}\n`,
  ].join('\n');
}

function toSection(title: string, codes: Catalogue): string {
  const rows = Object.entries(codes).map(
    ([code, { severity, unsafe, title: states, why, advice, source }]) => {
      const cells = [`\`${code}\``, severity, unsafe ? 'unsafe' : '', states, why, advice, source];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    },
  );
  return `## ${title}

| code | severity | | states that | why it matters | advice | source |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
